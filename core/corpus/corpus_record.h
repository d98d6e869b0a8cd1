// What every head does over the phrases of a list, or of a part of it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/corpus/drawn_points.h"
#include "core/corpus/head_record.h"
#include "core/corpus/phrase_ranges.h"

namespace headscope {

// What was asked; equal in all parts of one scan.
struct CorpusFacts {
  std::string model;                 // name: "demo:pronouns", or of the folder
  std::string sha256;                // of the model's weights
  std::string tokenizer;             // kind, size and a digest of what it does
  std::int64_t most_tokens = 0;      // of a phrase; the rest is not read
  std::int64_t repeated = 0;         // random tokens that are run twice one after the other beside each phrase; 0: none
  std::int64_t ablation_sample = 0;  // phrases of the list that are run without each head, too; 0: none
  std::string list_sha256;           // of the bytes of the list of phrases
  std::int64_t list_size = 0;        // phrases in it, blank and unreadable ones included
  std::int64_t points = 0;           // positions that are drawn from the list, with the vectors of each head; 0: none
  VectorSizes vector_sizes{};        // numbers of these vectors; all 0 without points
  bool phrase_loss = false;          // whether the loss of all phrases is counted
  bool patterns = true;              // whether heads have a mean pattern: files of version 2 have none
  std::string architecture = {};     // architecture_text() of the model; "": of captures and older files, unknown
  friend bool operator==(const CorpusFacts&, const CorpusFacts&) = default;
};

// Whether phrase `index` is one of the sample: floor(k size / sample) for k = 0 ... sample - 1, all where size is
// smaller. So every shard knows it.
bool in_ablation_sample(std::int64_t index, const CorpusFacts& facts);

struct CorpusRecord {
  CorpusFacts facts;
  PhraseRanges scanned;  // indices in the list
  // Of the phrases scanned: those that are in the numbers below, their tokens, blank lines, and what could not be read.
  std::int64_t phrases = 0, tokens = 0, blank = 0, unreadable = 0;
  // Of the sample: tokens that the model predicted, and their loss in nats.
  std::uint64_t loss_tokens = 0;
  ExactSum loss;
  // Of all phrases, where CorpusFacts::phrase_loss: the same.
  std::uint64_t phrase_loss_tokens = 0;
  ExactSum phrase_loss;
  std::vector<HeadRecord> heads;               // sorted by layer and head
  std::vector<PointPlace> points;              // as they were drawn: the first of all rows of these phrases
  std::map<std::uint64_t, std::string> words;  // the texts of the tokens that heads count, and of no others
  friend bool operator==(const CorpusRecord&, const CorpusRecord&) = default;
};

// Why two records are not parts of one scan: "the model is A, there B"; "" when they are. Names of models may differ, a
// folder may have one on every machine; weights and settings (CorpusFacts::architecture) may not, nor may one record
// know the settings and the other not. Records that hold the same phrase are not parts of one scan either.
std::string difference_of(const CorpusRecord& a, const CorpusRecord& b);

// Adds texts of tokens. Of two texts of a token the first by its bytes stays, in whatever order they come.
void add_word(CorpusRecord& record, std::uint64_t token, const std::string& text);

// Points of other phrases, sorted, and their vectors in `heads`: the first CorpusFacts::points of all stay.
void add_points(CorpusRecord& record, std::span<const PointPlace> places, std::span<const HeadRecord> heads);

// Once the whole list is scanned, each head keeps its kKeptTokens most frequent tokens a side, and the record their
// texts: nothing can be added any more that would change them. Before, all tokens stay, so that their order is exact.
void settle(CorpusRecord& record);

// Adds the other part, and settles. Asserts that difference_of() finds none. Associative and commutative, to the bit.
void add(CorpusRecord& record, const CorpusRecord& other);

}  // namespace headscope
