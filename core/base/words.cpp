#include "core/base/words.h"

#include "core/base/utf8.h"

namespace headscope {
namespace {

bool splits_words(unsigned char ascii) {
  return ascii == ' ' || (ascii >= 0x9 && ascii <= 0xD) || (ascii >= 0x1C && ascii <= 0x1F);
}

// Python's str.split() also parts at the four information separators, which are not White_Space.
bool splits_words(const CodePoint& point) {
  return point.valid && (is_space(point.value) || (point.value >= 0x1C && point.value <= 0x1F));
}

}  // namespace

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t begin = 0;
  const auto end_word = [&](std::size_t end) {
    if (end > begin) words.push_back(text.substr(begin, end - begin));
  };
  for (std::size_t at = 0; at < text.size();) {
    if (const auto byte = static_cast<unsigned char>(text[at]); byte < 0x80 && !splits_words(byte)) {
      ++at;
      continue;
    }
    const CodePoint point = code_point_at(text, at);
    const std::size_t next = at + static_cast<std::size_t>(point.bytes);
    if (splits_words(point)) {
      end_word(at);
      begin = next;
    }
    at = next;
  }
  end_word(text.size());
  return words;
}

}  // namespace headscope
