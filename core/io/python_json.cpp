#include "core/io/python_json.h"

namespace headscope {

std::string without_python_numbers(std::string_view json) {
  struct Number {
    std::string_view written, instead;
  };
  constexpr Number kNumbers[] = {{"-Infinity", "\"-inf\"   "}, {"Infinity", "\"+inf\"  "}, {"NaN", "\"N\""}};
  std::string text(json);
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\' && in_string) {
      ++at;
    } else if (text[at] == '"') {
      in_string = !in_string;
    } else if (!in_string) {
      for (const auto& [written, instead] : kNumbers) {
        if (text.compare(at, written.size(), written) != 0) continue;
        text.replace(at, written.size(), instead);
        at += written.size() - 1;
        break;
      }
    }
  }
  return text;
}

}  // namespace headscope
