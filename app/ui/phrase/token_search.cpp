#include "app/ui/phrase/token_search.h"

#include <algorithm>
#include <charconv>

namespace headscope::ui {
namespace {

std::vector<std::string> words_of(const std::string& typed) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < typed.size();) {
    const std::size_t begin = typed.find_first_not_of(' ', at);
    if (begin == std::string::npos) break;
    const std::size_t end = std::min(typed.find(' ', begin), typed.size());
    words.push_back(typed.substr(begin, end - begin));
    at = end;
  }
  return words;
}

}  // namespace

std::vector<std::int64_t> positions_named(const std::string& typed, const std::vector<std::string>& tokens) {
  std::int64_t index = -1;
  const char* end = typed.data() + typed.size();
  const auto [stop, error] = std::from_chars(typed.data(), end, index);
  if (error == std::errc() && stop == end) {
    if (index >= 0 && index < std::ssize(tokens)) return {index};
    return {};
  }
  std::vector<std::int64_t> found;
  const std::vector<std::string> words = words_of(typed);
  if (words.empty()) return found;
  const std::size_t last = words.size() - 1;
  for (std::size_t i = 0; i + last < tokens.size(); ++i) {
    bool fits = tokens[i + last].starts_with(words[last]);
    for (std::size_t k = 0; fits && k < last; ++k) fits = tokens[i + k] == words[k];
    if (fits) found.push_back(static_cast<std::int64_t>(i));
  }
  if (!found.empty() || last > 0) return found;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].find(words.front()) != std::string::npos) found.push_back(static_cast<std::int64_t>(i));
  }
  return found;
}

}  // namespace headscope::ui
