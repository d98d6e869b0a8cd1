#include "core/request/problem.h"

#include <fmt/format.h>

#include <algorithm>

namespace headscope {

std::string one_line(const Problem& problem) {
  std::string text = fmt::format("--{}: {}. {}", problem.option, problem.title, problem.detail);
  if (!problem.suggestions.empty()) {
    text += problem.detail.ends_with(':') ? " " : " Try: ";
    for (std::size_t i = 0; i < problem.suggestions.size(); ++i) {
      text += (i > 0 ? ", " : "") + problem.suggestions[i].label;
    }
    text += ".";
  }
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return text;
}

}  // namespace headscope
