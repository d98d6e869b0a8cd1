// Regular expressions that split a text into words: what tokenizer.json calls a Regex. PCRE2 with Unicode properties.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/aligned_text.h"

namespace headscope {

struct Match {
  std::size_t begin = 0;
  std::size_t end = 0;
};

class SplitPattern {
 public:
  // Written as Oniguruma and Rust understand it: \s is Unicode's White_Space, \w letters, marks, decimal digits and
  // connectors. Error with `what` and PCRE2's reason when the pattern is not understood or longer than 20,000 bytes.
  SplitPattern(const std::string& pattern, const std::string& what);

  // The leftmost matches in text[begin, end), in order, without empty ones. Positions count from the beginning of
  // `text`; no byte outside the range is read. `text` is valid UTF-8. Error when the pattern needs more steps than a
  // reasonable one does: about 100 a byte and 10 million.
  void find(std::string_view text, std::size_t begin, std::size_t end, std::vector<Match>& matches) const;

 private:
  struct Code;
  std::shared_ptr<const Code> code_;
  std::string what_;
};

// The pattern with \s, \S, \w and \W spelled out, so that every version of PCRE2 reads them in the same way. Error for
// sets inside sets, which Oniguruma has and PCRE2 would silently read differently.
std::string with_unicode_classes(std::string_view pattern, const std::string& what);

// GPT-2's pattern (Radford et al. 2019), which the ByteLevel pre-tokenizer uses without naming it.
extern const char* const kGpt2Pattern;

// Qwen2's pattern (the released tokenizer's), digits one by one.
extern const char* const kQwen2Pattern;

}  // namespace headscope
