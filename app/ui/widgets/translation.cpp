#include "app/ui/widgets/translation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "app/ui/widgets/sentence_parts.h"

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

// Where a text is taken apart, in this order: what was parted by one is parted further only by those behind it.
constexpr std::array<std::string_view, 7> kSeparators = {"\n", " · ", ". ", "; ", ": ", ", ", " ("};

}  // namespace

Translation::Translation(const TranslationTable& table) {
  for (const auto& [english, ways] : table) add_row(english, ways);
  // A row stands for its words without the blanks and marks around them too, where no row of its own does.
  for (const auto& [english, ways] : table) {
    const std::string_view lead = lead_of(english), tail = tail_of(english);
    if (lead.size() + tail.size() >= english.size()) continue;
    if (!lead.empty() && !tail.empty()) add_inner_row(table, english, ways, lead, "");
    if (lead.size() + tail.size() > 0) add_inner_row(table, english, ways, lead, tail);
  }
}

// A row without `lead` and `tail`, where all its ways have them too.
void Translation::add_inner_row(const TranslationTable& table, std::string_view english,
                                const std::vector<std::string>& ways, std::string_view lead, std::string_view tail) {
  std::vector<std::string> inner;
  for (const std::string& way : ways) {
    if (lead_of(way) == lead && (tail.empty() || tail_of(way) == tail)) inner.emplace_back(between(way, lead, tail));
  }
  const std::string bare(between(english, lead, tail));
  if (inner.size() == ways.size() && letters_in(bare) > 1 && !table.contains(bare)) add_row(bare, inner);
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
  Pattern pattern{split_at_captures(english), {}, 0, {}};
  for (const std::string& literal : pattern.literals) pattern.letters += letters_in(literal);
  if (pattern.letters < 2) return;
  pattern.translates.resize(pattern.literals.size(), false);
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
      piece.capture = std::clamp(piece.capture, 0, static_cast<int>(pattern.literals.size()) - 1);
      if (piece.translated) pattern.translates[static_cast<std::size_t>(piece.capture)] = true;
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

// Whether this is what a capture may be: the ending of a plural behind a word ("row{}"), else at most one blank for
// three letters of the row, so that no short row takes a whole sentence for a name. What is translated itself may be
// longer.
bool Translation::may_be(const Pattern& pattern, std::size_t capture, std::string_view text) {
  const std::string_view before = pattern.literals[capture];
  const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  if (before.size() >= 3 && std::all_of(before.end() - 3, before.end(), is_letter)) {
    return text.empty() || text == "s" || text == "es" || text.starts_with(' ') || text.starts_with(':');
  }
  const auto blanks = static_cast<std::size_t>(std::count(text.begin(), text.end(), ' '));
  if (blanks == 0) return true;
  return pattern.letters >= kFewLetters && (pattern.translates[capture] || blanks * 3 <= pattern.letters);
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
    if (!may_be(pattern, k, captures.back())) return false;
    at = next + (k + 1 == count ? 0 : pattern.literals[k + 1].size());
  }
  return true;
}

void Translation::match_best(const std::vector<std::size_t>& among, std::string_view text, Match& best) const {
  Captures here;
  for (const std::size_t k : among) {
    const Pattern& pattern = patterns_[k];
    if (best.pattern != nullptr && pattern.letters <= best.pattern->letters) continue;
    if (!match(pattern, text, here)) continue;
    best = {&pattern, here};
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
      const std::vector<std::string> said = piece.translated ? found(captured, 0) : std::vector<std::string>();
      way += said.empty() ? std::string(captured) : said[std::min(k, said.size() - 1)];
    }
    ways.push_back(std::move(way));
  }
  return ways;
}

std::vector<std::string> Translation::of_part(std::string_view part, std::size_t separator) {
  // A token at the end of a part may be a mark itself: "The model goes on with ., ".
  if (std::vector<std::string> ways = by_rows(part); !ways.empty()) return ways;
  const std::string_view lead = lead_of(part), tail = lead.size() == part.size() ? "" : tail_of(part);
  const std::string_view inner = between(part, lead, tail);
  if (!has_words(inner)) return {std::string(part)};
  std::vector<std::string> ways = found(inner, separator);
  for (std::string& way : ways) way = fmt::format("{}{}{}", lead, way, tail);
  return ways;
}

std::vector<std::string> Translation::by_parts(std::string_view english, std::size_t from) {
  for (std::size_t at = from; at < kSeparators.size(); ++at) {
    if (english.find(kSeparators[at]) == std::string_view::npos) continue;
    std::vector<std::string> ways(1);
    bool first = true;
    for (const std::string_view part : split(english, kSeparators[at])) {
      const std::vector<std::string> said = of_part(part, at + 1);
      if (said.empty()) {
        ways.clear();
        break;
      }
      while (ways.size() < said.size()) ways.push_back(ways.back());
      for (std::size_t way = 0; way < ways.size(); ++way) {
        if (!first) ways[way] += kSeparators[at];
        ways[way] += said[std::min(way, said.size() - 1)];
      }
      first = false;
    }
    if (!ways.empty()) return ways;
  }
  const bool has_marks = lead_of(english).size() + tail_of(english).size() > 0;
  return has_marks ? of_part(english, from) : as_begun(english, from);
}

// A row in small letters stands for the beginning of a sentence too.
std::vector<std::string> Translation::as_begun(std::string_view english, std::size_t from) {
  std::string small(english);
  if (std::isupper(static_cast<unsigned char>(small.front())) == 0) return {};
  small.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(small.front())));
  std::vector<std::string> ways = found(small, from);
  for (std::string& way : ways) {
    if (!way.empty()) way.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(way.front())));
  }
  return ways;
}

Translation::Match Translation::best_match(std::string_view english) const {
  Match best;
  if (english.size() >= kEdge) {
    if (const auto at = by_begin_.find(english.substr(0, kEdge)); at != by_begin_.end()) {
      match_best(at->second, english, best);
    }
    if (const auto at = by_end_.find(english.substr(english.size() - kEdge)); at != by_end_.end()) {
      match_best(at->second, english, best);
    }
  }
  match_best(others_, english, best);
  return best;
}

std::vector<std::string> Translation::by_rows(std::string_view english) {
  if (!has_words(english)) return {};
  if (const auto row = rows_.find(english); row != rows_.end()) return row->second;
  const Match best = best_match(english);
  return best.pattern == nullptr ? std::vector<std::string>() : filled(*best.pattern, best.captures);
}

std::vector<std::string> Translation::found(std::string_view english, std::size_t from) {
  if (!has_words(english) || english.size() > kLongest) return {};
  if (const auto row = rows_.find(english); row != rows_.end()) return row->second;
  const Match best = best_match(english);
  // What is captured at the beginning over the end of a sentence may belong to it: "Head · 3 of 8 heads" is no number
  // of heads.
  const bool over_end =
      best.pattern != nullptr && best.pattern->literals.front().empty() && ends_a_sentence(best.captures.front());
  if (best.pattern == nullptr || over_end) {
    std::vector<std::string> ways = by_parts(english, from);
    if (best.pattern == nullptr || !ways.empty()) return ways;
  }
  return filled(*best.pattern, best.captures);
}

const std::vector<std::string>& Translation::ways(std::string_view english) {
  const auto known = known_.find(english);
  if (known != known_.end()) return known->second;
  return known_.emplace(std::string(english), found(english, 0)).first->second;
}

void Translation::forget() {
  if (known_.size() > kMostKnown) known_.clear();
}

}  // namespace headscope::ui
