// How a word is spelled with a vocabulary: one struct for each of the four ways that tokenizer.json knows.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/text/byte_trie.h"
#include "core/text/merge_queue.h"
#include "core/text/pair_table.h"
#include "core/text/vocabulary.h"

namespace headscope {

// A token of a word: its id, and the bytes of the word that it stands for.
struct ModelToken {
  std::int32_t id = 0;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool as_written = false;  // shown with the text's own letters: an unknown part of a Unigram vocabulary
};

// Working memory of the models, reused from word to word.
struct ModelScratch {
  struct Symbol {
    std::int32_t id, previous, next;
    std::uint32_t begin, end;
  };
  struct Best {
    double score;
    std::int32_t begin, id;
  };
  std::vector<Symbol> symbols;
  MergeHeap short_queue;
  MergeLists long_queue;
  std::vector<Best> best;
  std::vector<ModelToken> path;
  std::string spelling;
  std::int64_t steps = 0;  // the work done: merges examined, pieces tried
};

// Byte pair encoding (Sennrich et al. 2016): starts with single characters and joins the neighbours whose merge has the
// lowest rank, again and again. Linear in the characters of a word.
struct BpeModel {
  Vocabulary vocabulary;
  PairTable merges;  // (left id, right id) -> rank and the id of both together
  std::uint32_t next_rank = 0;
  std::optional<std::int32_t> unknown;
  std::string continuing_subword_prefix;  // put before all characters of a word but the first
  std::string end_of_word_suffix;         // put after its last character
  bool fuse_unknown = false;
  bool byte_fallback = false;                    // unknown characters are spelled by their bytes, "<0xE2>"
  bool ignore_merges = false;                    // a word that is a piece is that piece
  ByteTrie whole;                                // pieces that are found first, the longest at each place
  std::array<std::int32_t, 0x180> letters = {};  // ids of the first characters of Unicode, -1 for none
};

// WordPiece (Schuster and Nakajima 2012; Devlin et al. 2018): the longest piece that the rest of the word begins with.
struct WordPieceModel {
  Vocabulary vocabulary;
  ByteTrie beginnings;     // pieces that may begin a word
  ByteTrie continuations;  // pieces that follow the prefix, without the prefix
  std::int32_t unknown = 0;
  std::string continuing_subword_prefix = "##";
  std::size_t max_input_chars_per_word = 100;
};

// Unigram language model (Kudo 2018): the spelling with the largest sum of scores, by Viterbi's algorithm.
struct UnigramModel {
  Vocabulary vocabulary;
  ByteTrie pieces;
  std::vector<double> scores;  // by id, logarithms
  std::optional<std::int32_t> unknown;
  double unknown_score = 0;
  bool byte_fallback = false;
  bool looks_up_unknown = true;  // a part that no pieces spell may be one all the same, as Hugging Face has it
};

// A word is a piece, or unknown.
struct WordLevelModel {
  Vocabulary vocabulary;
  std::optional<std::int32_t> unknown;
};

using VocabularyModel = std::variant<BpeModel, WordPieceModel, UnigramModel, WordLevelModel>;

// Appends the tokens of `word`, valid UTF-8. Parts that the vocabulary cannot spell become the unknown token, or are
// left out when there is none; Error when the model needs one.
void spell(const BpeModel& model, std::string_view word, ModelScratch& scratch, std::vector<ModelToken>& tokens);
void spell(const WordPieceModel& model, std::string_view word, ModelScratch& scratch, std::vector<ModelToken>& tokens);
void spell(const UnigramModel& model, std::string_view word, ModelScratch& scratch, std::vector<ModelToken>& tokens);
void spell(const WordLevelModel& model, std::string_view word, ModelScratch& scratch, std::vector<ModelToken>& tokens);
void spell(const VocabularyModel& model, std::string_view word, ModelScratch& scratch, std::vector<ModelToken>& tokens);

const Vocabulary& vocabulary_of(const VocabularyModel& model);
std::optional<std::int64_t> unknown_of(const VocabularyModel& model);

// Fills the members that follow from the vocabulary: BPE's letters, the trees of WordPiece, Unigram's tree and
// unknown_score.
void finish(BpeModel& model);
void finish(WordPieceModel& model);
void finish(UnigramModel& model);

}  // namespace headscope
