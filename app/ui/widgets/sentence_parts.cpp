#include "app/ui/widgets/sentence_parts.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace headscope::ui {
namespace {

constexpr std::string_view kMarks = " ,.;:%()";  // and the middle dot, of two bytes
constexpr std::string_view kDot = "·";

}  // namespace

std::string_view lead_of(std::string_view text) {
  std::size_t end = 0;
  for (;;) {
    end = std::min(text.find_first_not_of(kMarks, end), text.size());
    if (!text.substr(end).starts_with(kDot)) return text.substr(0, end);
    end += kDot.size();
  }
}

std::string_view tail_of(std::string_view text) {
  std::size_t begin = text.size();
  for (;;) {
    const std::size_t last = text.substr(0, begin).find_last_not_of(kMarks);
    begin = last == std::string_view::npos ? 0 : last + 1;
    if (!text.substr(0, begin).ends_with(kDot)) return text.substr(begin);
    begin -= kDot.size();
  }
}

std::string_view between(std::string_view text, std::string_view lead, std::string_view tail) {
  return text.substr(lead.size(), text.size() - lead.size() - tail.size());
}

bool ends_a_sentence(std::string_view text) {
  constexpr std::array<std::string_view, 4> kEnds = {" · ", ". ", "; ", "\n"};
  return std::any_of(kEnds.begin(), kEnds.end(), [&](std::string_view end) { return text.find(end) != text.npos; });
}

std::vector<std::string> split_at_captures(std::string_view english) {
  std::vector<std::string> literals;
  for (std::size_t at = 0;;) {
    const std::size_t next = english.find("{}", at);
    literals.emplace_back(english.substr(at, next == std::string_view::npos ? next : next - at));
    if (next == std::string_view::npos) return literals;
    at = next + 2;
  }
}

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0;;) {
    const std::size_t next = text.find(separator, at);
    parts.push_back(text.substr(at, next == std::string_view::npos ? next : next - at));
    if (next == std::string_view::npos) return parts;
    at = next + separator.size();
  }
}

bool has_words(std::string_view text) {
  return std::adjacent_find(text.begin(), text.end(), [](char a, char b) {
           return std::isalpha(static_cast<unsigned char>(a)) != 0 && std::isalpha(static_cast<unsigned char>(b)) != 0;
         }) != text.end();
}

}  // namespace headscope::ui
