// Text to tokens: what every vocabulary has in common.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor/shape.h"

namespace headscope {

struct Tokens {
  std::vector<std::string> pieces;  // as shown
  std::vector<std::int64_t> ids;    // empty without a vocabulary
  std::vector<Range> offsets;       // [begin, end) in bytes of the text
};

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;
  virtual Tokens tokenize(std::string_view text) const = 0;
};

// "split on blanks": maximal runs of characters that are not white space, as Python's str.split() gives them.
std::unique_ptr<Tokenizer> make_word_tokenizer();

}  // namespace headscope
