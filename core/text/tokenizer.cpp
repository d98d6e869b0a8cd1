#include "core/text/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/text/aligned_text.h"
#include "core/text/unicode.h"

namespace headscope {

bool SpecialTokens::is_special(std::int64_t id) const {
  return std::binary_search(all.begin(), all.end(), id);
}

Tokens Tokenizer::tokenize_pair(std::string_view, std::string_view) const {
  throw Error("this tokenizer joins no pairs of texts");
}

std::string Tokenizer::decode(std::span<const std::int64_t>) const {
  throw Error("this tokenizer has no vocabulary: there is no text behind an id");
}

std::string Tokenizer::piece_of(std::int64_t id) const {
  return fmt::format("#{}", id);
}

std::optional<std::int64_t> Tokenizer::id_of(std::string_view) const {
  return std::nullopt;
}

std::vector<std::string> Tokenizer::words_beginning(std::string_view, std::size_t) const {
  return {};
}

std::vector<std::string> suggestions(const Tokenizer& tokenizer, std::string_view text, std::size_t most) {
  std::size_t begin = 0;
  for_each_code_point(text, [&](std::uint32_t code_point, std::size_t at, std::size_t bytes) {
    if (!is_word_character(code_point)) begin = at + bytes;
  });
  if (begin == text.size()) return {};
  return tokenizer.words_beginning(text.substr(begin), most);
}

}  // namespace headscope
