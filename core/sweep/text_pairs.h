// Pairs of texts in a file: a clean one and a corrupt one, with the tokens that answer them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

struct TextPair {
  std::int64_t line = 0;  // of the file, from 1
  std::string clean, corrupt;
  std::string answer, other;       // tokens, as named_token() takes them; "": none is given
  std::optional<std::int64_t> at;  // a position, below 0 from the end; nullopt: none is given
};

// The pairs of a file, one at least. A .jsonl or .ndjson file has an object a line: clean and corrupt, strings; answer
// and other, strings or ids; at, a whole number, which `position` says too. Blank lines are passed over. A .csv file
// (RFC 4180) has the same names in its first row, in any order, and a pair in each row after it; an empty field is
// none. Error, which names the file and the line, for anything else: another name, no JSON or CSV, invalid UTF-8, a
// text that is missing. UsageError of the option "pairs" for a file with another ending.
std::vector<TextPair> read_text_pairs(const std::string& path);

// The same of what a file holds; `what` begins every sentence, and `csv` says which of both forms it has.
std::vector<TextPair> parse_text_pairs(std::string_view text, const std::string& what, bool csv);

}  // namespace headscope
