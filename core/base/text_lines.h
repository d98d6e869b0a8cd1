// The lines of a text.
#pragma once

#include <string_view>

namespace headscope {

// Takes the first line off `text`: without its end, "\n" or "\r\n". A last line without an end counts; `text` must not
// be empty.
inline std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  if (line.ends_with('\r')) line.remove_suffix(1);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return line;
}

}  // namespace headscope
