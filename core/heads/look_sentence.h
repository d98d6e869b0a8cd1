// One look of a head in words: at what, how much, and which fact about the two places stands beside it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/attention/trace.h"

namespace headscope {

// What can be said of the place that is looked at. The first fact that holds is said; each is read off the tokens, and
// none says why a head looks there: weights show where, not why.
enum class LookFact {
  none,
  itself,      // the key is the query's own place
  after_same,  // the token before the key has the letters of the query's, and stands before it
  before,      // the key is the token before the query
  first        // the key is the first token of the text
};

// Of place `key` as seen from place `query` of one text. Places that the text has not give none.
LookFact look_fact(const std::vector<std::string>& tokens, std::int64_t query, std::int64_t key);

// A piece of such a sentence. Words that name a place carry it: the query's, the key's, or that of the earlier token of
// the query's letters; the share names the cell itself.
struct LookPiece {
  enum class Role { words, query, key, earlier, share } role = Role::words;
  std::string text;
  std::int64_t at = -1;  // the place of a query, a key or an earlier token
  bool is_said = false;  // the text says what the token is ("itself", "byte 1 of 2 of ñ"), and is not its letters
};

// The pieces of look_sentence(), whose texts follow each other without anything between them. None where that is "".
std::vector<LookPiece> look_pieces(const Trace& trace, std::int64_t batch, std::int64_t head, std::int64_t query,
                                   std::int64_t key);

// "green looks at book with 71 %; book stood right after the earlier green." The share is the weight of the
// cell, rounded to whole per cent, below one "less than 1 %", and a weight that is not finite is said to be none. Facts
// are said of one text alone. "" where the trace has no weights, or not this cell.
std::string look_sentence(const Trace& trace, std::int64_t batch, std::int64_t head, std::int64_t query,
                          std::int64_t key);

// A token as one reads it in a sentence: without the blanks around it; of blanks alone "a blank".
std::string without_blanks(const std::string& token);

}  // namespace headscope
