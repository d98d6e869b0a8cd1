#include "core/io/python_json.h"

#include <algorithm>
#include <iterator>

namespace headscope {
namespace {

// The letter DEL in front tells these strings from those that people write.
struct Number {
  std::string_view written, instead, string;
};
constexpr Number kNumbers[] = {{"-Infinity", "\"\x7F-inf\"  ", "\x7F-inf"},
                               {"Infinity", "\"\x7F+inf\" ", "\x7F+inf"},
                               {"NaN", "\"\x7F\"", "\x7F"}};

}  // namespace

std::string_view python_number(std::string_view string) {
  const auto found = std::find_if(std::begin(kNumbers), std::end(kNumbers),
                                  [&](const Number& number) { return number.string == string; });
  return found == std::end(kNumbers) ? std::string_view() : found->written;
}

std::string without_python_numbers(std::string_view json) {
  std::string text(json);
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\' && in_string) {
      ++at;
    } else if (text[at] == '"') {
      in_string = !in_string;
    } else if (!in_string) {
      for (const auto& [written, instead, string] : kNumbers) {
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
