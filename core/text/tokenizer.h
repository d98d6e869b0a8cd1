// Text to tokens: what every vocabulary has in common.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/tensor/shape.h"

namespace headscope {

// One entry a token in every list, except that ids and vocabulary_pieces are empty without a vocabulary.
struct Tokens {
  std::vector<std::string> pieces;             // as shown: " Mary", "##ing"; bytes that are no UTF-8 as <0xE2>
  std::vector<std::string> vocabulary_pieces;  // as the vocabulary spells them: "ĠMary", "▁the"
  std::vector<std::int64_t> ids;
  std::vector<Range> offsets;       // [begin, end) in bytes of the text; empty for tokens that were added to the text
  std::vector<std::int64_t> words;  // index of the word that the token is part of; -1 for special tokens
  // Only for two texts, else empty: the text of each token (0 or 1; -1 for added tokens), and its token type.
  std::vector<std::int64_t> texts, types;
};

// Ids of the tokens with a special role; nullopt where the vocabulary has none.
struct SpecialTokens {
  std::optional<std::int64_t> unknown, mask, begin, end, pad, separator, classifier;
  std::vector<std::int64_t> all;  // ascending: these and the other special ones
  bool is_special(std::int64_t id) const;
};

// Immutable: any number of threads may use one. The defaults are those of a tokenizer without a vocabulary.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  // The tokens of the text, and those that the model needs around them ([CLS] ... [SEP], <s> ...).
  virtual Tokens tokenize(std::string_view text) const = 0;

  // Two texts in one sequence, as models that compare texts read them: [CLS] A [SEP] B [SEP]. Ranges count in the text
  // that the token belongs to; word numbers continue in the second text. Error without knows_pairs().
  virtual Tokens tokenize_pair(std::string_view first, std::string_view second) const;
  virtual bool knows_pairs() const { return false; }

  // The text of the tokens, special ones included. Error for an id outside the vocabulary.
  virtual std::string decode(std::span<const std::int64_t> ids) const;

  // The piece as shown (Tokens::pieces); "#50260" for an id that the vocabulary does not have.
  virtual std::string piece_of(std::int64_t id) const;

  // The id of a piece in the vocabulary's own spelling; nullopt when there is none.
  virtual std::optional<std::int64_t> id_of(std::string_view piece) const;

  // How words become pieces: "BPE", "WordPiece", "Unigram", "WordLevel"; "words" without a vocabulary.
  virtual std::string_view kind() const { return "words"; }

  // One more than the largest id; 0 without a vocabulary.
  virtual std::int64_t vocabulary_size() const { return 0; }

  virtual SpecialTokens special() const { return {}; }

  // At most `most` whole words of the vocabulary that begin with `beginning`, shortest first.
  virtual std::vector<std::string> words_beginning(std::string_view beginning, std::size_t most) const;
};

// "split on blanks": maximal runs of characters that are not white space, as Python's str.split() gives them.
std::unique_ptr<Tokenizer> make_word_tokenizer();

// Some models translate between two vocabularies, of which the encoder reads one and the decoder the other.
enum class TextSide { source, target };

// Whether the decoder of the model in this folder splits words by a vocabulary of its own (target.spm).
bool has_target_vocabulary(const std::string& folder);

// A tokenizer of a kind that is not known here, in a file that is whole: the model beside it can be used by ids.
class UnknownTokenizer : public Error {
 public:
  using Error::Error;
};

// The tokenizer of a model's folder: tokenizer.json, or vocab.json with merges.txt, or vocab.txt; beside them
// tokenizer_config.json and special_tokens_map.json, which name the special tokens. `folder` may also be the
// tokenizer.json itself, a GGUF file, or a folder whose model is one: then it is that file's own. Marian's folders hold
// source.spm and target.spm with vocab.json (and target_vocab.json): `side` says which. A folder that holds none of
// these is read by its SentencePiece file (spiece.model, spm.model, tokenizer.model, sentencepiece.bpe.model), where
// its family is known, or by its list of tiktoken (tokenizer.model, or one *.tiktoken), where it is that of a known
// encoding; either file by itself as its pieces alone, with nothing around a text. Null when the folder has no
// vocabulary; Error when a file is malformed or needs a step that is not implemented here; UnknownTokenizer when a GGUF
// file or a list of tiktoken is of a kind that is not.
std::shared_ptr<const Tokenizer> load_tokenizer(const std::string& folder, TextSide side = TextSide::source);

// Words that the last word of `text` (up to the caret) could become: at most `most`; empty when `text` ends with a
// blank.
std::vector<std::string> suggestions(const Tokenizer& tokenizer, std::string_view text, std::size_t most = 8);

}  // namespace headscope
