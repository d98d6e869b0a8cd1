#include "app/ui/widgets/translation.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace headscope::ui {
namespace {

constexpr std::size_t kMostKnown = std::size_t{1} << 14;
constexpr std::size_t kLongest = 4000;  // bytes of a text of ours
constexpr std::size_t kEdge = 3;        // bytes at the begin or the end by which patterns are found
// A row of few letters is matched only where what it captures are single words or numbers: "{} of {}" is no sentence.
constexpr std::size_t kFewLetters = 6;

std::size_t letters_in(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80;
  }));
}

// Blanks and marks at both ends, which a sentence has of the place where it stands.
constexpr std::string_view kMarks = " ,.;:%()";
std::string_view lead_of(std::string_view text) {
  return text.substr(0, std::min(text.find_first_not_of(kMarks), text.size()));
}
std::string_view tail_of(std::string_view text) {
  const std::size_t last = text.find_last_not_of(kMarks);
  return last == std::string_view::npos ? std::string_view() : text.substr(last + 1);
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

}  // namespace

bool has_words(std::string_view text) {
  return std::adjacent_find(text.begin(), text.end(), [](char a, char b) {
           return std::isalpha(static_cast<unsigned char>(a)) != 0 && std::isalpha(static_cast<unsigned char>(b)) != 0;
         }) != text.end();
}

Translation::Translation(const TranslationTable& table) {
  for (const auto& [english, ways] : table) add_row(english, ways);
  // A row stands for its words without the blanks and marks around them too, where no row of its own does.
  for (const auto& [english, ways] : table) {
    const std::string_view lead = lead_of(english), tail = tail_of(english);
    if (lead.size() + tail.size() == 0 || lead.size() + tail.size() >= english.size()) continue;
    std::vector<std::string> inner;
    for (const std::string& way : ways) {
      if (lead_of(way) == lead && tail_of(way) == tail) inner.emplace_back(between(way, lead, tail));
    }
    const std::string bare(between(english, lead, tail));
    if (inner.size() == ways.size() && letters_in(bare) > 1 && !table.contains(bare)) add_row(bare, inner);
  }
}

void Translation::add_row(const std::string& english, const std::vector<std::string>& ways) {
  if (ways.empty()) return;
  if (english.find("{}") == std::string::npos) {
    rows_.emplace(english, ways);
  } else {
    add_pattern(english, ways);
  }
}

void Translation::add_pattern(const std::string& english, const std::vector<std::string>& ways) {
  Pattern pattern{split_at_captures(english), {}, 0};
  for (const std::string& literal : pattern.literals) pattern.letters += letters_in(literal);
  if (pattern.letters < 2) return;
  for (std::string_view way : ways) {
    std::vector<Piece> pieces;
    int next = 0;
    while (!way.empty()) {
      const std::size_t open = std::min(way.find('{'), way.size()), close = way.find('}', open);
      if (open > 0 || close == std::string_view::npos) {
        const std::size_t end = close == std::string_view::npos ? way.size() : open;
        pieces.push_back({std::string(way.substr(0, end))});
        way.remove_prefix(end);
        continue;
      }
      std::string_view name = way.substr(1, close - 1);
      if (name.find_first_not_of("0123456789*") != std::string_view::npos) {  // braces of the sentence itself
        pieces.push_back({std::string(way.substr(0, 1))});
        way.remove_prefix(1);
        continue;
      }
      Piece piece{"", next++, name.ends_with('*')};
      if (piece.translated) name.remove_suffix(1);
      int number = 0;
      if (std::from_chars(name.data(), name.data() + name.size(), number).ec == std::errc()) piece.capture = number - 1;
      pieces.push_back(piece);
      way.remove_prefix(close + 1);
    }
    pattern.ways.push_back(std::move(pieces));
  }
  const std::string &first = pattern.literals.front(), &last = pattern.literals.back();
  auto& among = first.size() >= kEdge  ? by_begin_[first.substr(0, kEdge)]
                : last.size() >= kEdge ? by_end_[last.substr(last.size() - kEdge)]
                                       : others_;
  among.push_back(patterns_.size());
  patterns_.push_back(std::move(pattern));
}

bool Translation::match(const Pattern& pattern, std::string_view text, Captures& captures) {
  const std::string &first = pattern.literals.front(), &last = pattern.literals.back();
  const std::size_t count = pattern.literals.size() - 1;
  if (text.size() < first.size() + last.size()) return false;
  if (!text.starts_with(first) || !text.ends_with(last)) return false;
  captures.clear();
  const std::size_t end = text.size() - last.size();
  std::size_t at = first.size();
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t next = k + 1 == count ? end : text.find(pattern.literals[k + 1], at);
    if (next == std::string_view::npos || next < at || next > end) return false;
    captures.push_back(text.substr(at, next - at));
    if (pattern.letters < kFewLetters && captures.back().find(' ') != std::string_view::npos) return false;
    at = next + (k + 1 == count ? 0 : pattern.literals[k + 1].size());
  }
  return true;
}

void Translation::match_best(const std::vector<std::size_t>& among, std::string_view text, const Pattern*& best,
                             Captures& captures) const {
  Captures here;
  for (const std::size_t k : among) {
    const Pattern& pattern = patterns_[k];
    if (best != nullptr && pattern.letters <= best->letters) continue;
    if (!match(pattern, text, here)) continue;
    best = &pattern;
    captures = here;
  }
}

std::vector<std::string> Translation::filled(const Pattern& pattern, const Captures& captures) {
  std::vector<std::string> ways;
  for (std::size_t k = 0; k < pattern.ways.size(); ++k) {
    std::string way;
    for (const Piece& piece : pattern.ways[k]) {
      if (piece.capture < 0 || piece.capture >= static_cast<int>(captures.size())) {
        way += piece.words;
        continue;
      }
      const std::string_view captured = captures[static_cast<std::size_t>(piece.capture)];
      const std::vector<std::string> said = piece.translated ? found(captured) : std::vector<std::string>();
      way += said.empty() ? std::string(captured) : said[std::min(k, said.size() - 1)];
    }
    ways.push_back(std::move(way));
  }
  return ways;
}

std::vector<std::string> Translation::joined(const std::vector<std::string_view>& parts, std::string_view separator) {
  std::vector<std::string> ways(1);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const std::string_view lead = lead_of(parts[k]), tail = lead.size() == parts[k].size() ? "" : tail_of(parts[k]);
    const std::string_view inner = between(parts[k], lead, tail);
    std::vector<std::string> said;
    if (has_words(inner)) {
      said = found(inner);
      if (said.empty()) return {};
    } else {
      said.emplace_back(inner);
    }
    while (ways.size() < said.size()) ways.push_back(ways.back());
    for (std::size_t way = 0; way < ways.size(); ++way) {
      if (k > 0) ways[way] += separator;
      ways[way] += lead;
      ways[way] += said[std::min(way, said.size() - 1)];
      ways[way] += tail;
    }
  }
  return ways;
}

std::vector<std::string> Translation::by_parts(std::string_view english) {
  constexpr std::array<std::string_view, 7> kSeparators = {"\n", " · ", ". ", "; ", ": ", ", ", " ("};
  for (const std::string_view separator : kSeparators) {
    if (english.find(separator) == std::string_view::npos) continue;
    std::vector<std::string> ways = joined(split(english, separator), separator);
    if (!ways.empty()) return ways;
  }
  const std::string_view lead = lead_of(english), tail = tail_of(english);
  return lead.size() + tail.size() == 0 ? as_begun(english) : joined({english}, "");
}

// A row in small letters stands for the beginning of a sentence too.
std::vector<std::string> Translation::as_begun(std::string_view english) {
  std::string small(english);
  if (std::isupper(static_cast<unsigned char>(small.front())) == 0) return {};
  small.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(small.front())));
  std::vector<std::string> ways = found(small);
  for (std::string& way : ways) way.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(way.front())));
  return ways;
}

std::vector<std::string> Translation::found(std::string_view english) {
  if (!has_words(english) || english.size() > kLongest) return {};
  if (const auto row = rows_.find(english); row != rows_.end()) return row->second;
  const Pattern* best = nullptr;
  Captures captures;
  if (english.size() >= kEdge) {
    if (const auto at = by_begin_.find(english.substr(0, kEdge)); at != by_begin_.end()) {
      match_best(at->second, english, best, captures);
    }
    if (const auto at = by_end_.find(english.substr(english.size() - kEdge)); at != by_end_.end()) {
      match_best(at->second, english, best, captures);
    }
  }
  match_best(others_, english, best, captures);
  // What is captured over the end of a sentence belongs to two: "Head · 3 of 8 heads" is no number of heads.
  if (best == nullptr || std::any_of(captures.begin(), captures.end(), ends_a_sentence)) {
    std::vector<std::string> ways = by_parts(english);
    if (best == nullptr || !ways.empty()) return ways;
  }
  return filled(*best, captures);
}

const std::vector<std::string>& Translation::ways(std::string_view english) {
  const auto known = known_.find(english);
  if (known != known_.end()) return known->second;
  return known_.emplace(std::string(english), found(english)).first->second;
}

void Translation::forget() {
  if (known_.size() > kMostKnown) known_.clear();
}

}  // namespace headscope::ui
