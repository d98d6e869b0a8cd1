// What every head does over the phrases of a list, or of a part of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/corpus/head_record.h"
#include "core/corpus/phrase_ranges.h"

namespace headscope {

// What was asked; equal in all parts of one scan.
struct CorpusFacts {
  std::string model;             // name: "demo:pronouns", or of the folder
  std::string sha256;            // of the model's weights
  std::string tokenizer;         // kind, size and a digest of what it does
  std::int64_t most_tokens = 0;  // of a phrase; the rest is not read
  std::string list_sha256;       // of the bytes of the list of phrases
  std::int64_t list_size = 0;    // phrases in it, blank and unreadable ones included
  friend bool operator==(const CorpusFacts&, const CorpusFacts&) = default;
};

struct CorpusRecord {
  CorpusFacts facts;
  PhraseRanges scanned;  // indices in the list
  // Of the phrases scanned: those that are in the numbers below, their tokens, blank lines, and what could not be read.
  std::int64_t phrases = 0, tokens = 0, blank = 0, unreadable = 0;
  std::vector<HeadRecord> heads;  // sorted by layer and head
  friend bool operator==(const CorpusRecord&, const CorpusRecord&) = default;
};

// Why two records are not parts of one scan: "the model is A, there B"; "" when they are. Names of models may differ, a
// folder may have one on every machine. Records that hold the same phrase are not parts of one scan either.
std::string difference_of(const CorpusRecord& a, const CorpusRecord& b);

// Adds the other part. Asserts that difference_of() finds none. Associative and commutative, to the bit.
void add(CorpusRecord& record, const CorpusRecord& other);

}  // namespace headscope
