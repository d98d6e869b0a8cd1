#include "core/base/message_text.h"

#include "core/base/utf8.h"

namespace headscope {

std::string shortened(std::string_view text) {
  constexpr std::size_t longest = 80;
  std::string shown;
  std::size_t at = 0;
  while (at < text.size() && shown.size() < longest) {
    const CodePoint point = code_point_at(text, at);
    const auto bytes = static_cast<std::size_t>(point.bytes);
    if (!point.valid || point.value < 0x20 || point.value == 0x7F) {
      shown += '?';
    } else {
      shown.append(text.substr(at, bytes));
    }
    at += bytes;
  }
  if (at < text.size()) shown += "...";
  return shown;
}

std::string in_quotes(std::string_view text) {
  return '"' + shortened(text) + '"';
}

}  // namespace headscope
