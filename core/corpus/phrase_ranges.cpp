#include "core/corpus/phrase_ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/base/assert.h"

namespace headscope {

std::int64_t PhraseRanges::count() const {
  std::int64_t sum = 0;
  for (const Range& range : ranges_) sum += range.size();
  return sum;
}

std::optional<Range> PhraseRanges::shared_with(const PhraseRanges& other) const {
  auto a = ranges_.begin();
  auto b = other.ranges_.begin();
  while (a != ranges_.end() && b != other.ranges_.end()) {
    const Range both{std::max(a->begin, b->begin), std::min(a->end, b->end)};
    if (both.begin < both.end) return both;
    a->end < b->end ? ++a : ++b;
  }
  return std::nullopt;
}

void PhraseRanges::add(Range range) {
  if (range.begin >= range.end) return;
  auto at = std::lower_bound(ranges_.begin(), ranges_.end(), range,
                             [](const Range& a, const Range& b) { return a.begin < b.begin; });
  HEADSCOPE_ASSERT(at == ranges_.end() || range.end <= at->begin, "phrases twice");
  HEADSCOPE_ASSERT(at == ranges_.begin() || std::prev(at)->end <= range.begin, "phrases twice");
  if (at != ranges_.end() && at->begin == range.end) {
    range.end = at->end;
    at = ranges_.erase(at);
  }
  if (at != ranges_.begin() && std::prev(at)->end == range.begin) {
    std::prev(at)->end = range.end;
  } else {
    ranges_.insert(at, range);
  }
}

void PhraseRanges::add(const PhraseRanges& other) {
  for (const Range& range : other.ranges_) add(range);
}

PhraseRanges PhraseRanges::missing(std::int64_t total) const {
  PhraseRanges rest;
  std::int64_t at = 0;
  for (const Range& range : ranges_) {
    rest.add({at, range.begin});
    at = range.end;
  }
  rest.add({at, total});
  return rest;
}

std::string PhraseRanges::text() const {
  std::string text;
  for (const Range& range : ranges_) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", range.begin, range.end);
  }
  return text;
}

std::optional<PhraseRanges> PhraseRanges::of_text(std::string_view text, std::int64_t total) {
  PhraseRanges ranges;
  const std::string_view whole = text;
  std::int64_t after = -1;  // a range begins behind the last one, with a hole between them
  while (!text.empty()) {
    Range range;
    for (const auto& [number, close] : {std::pair{&range.begin, ':'}, std::pair{&range.end, ','}}) {
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
      if (error != std::errc()) return std::nullopt;
      text.remove_prefix(static_cast<std::size_t>(end - text.data()));
      if (text.empty() && close == ',') break;
      if (text.empty() || text.front() != close) return std::nullopt;
      text.remove_prefix(1);
    }
    if (range.begin <= after || range.begin >= range.end || range.end > total) return std::nullopt;
    ranges.ranges_.push_back(range);
    after = range.end;
  }
  // One text a set: no other spelling of its numbers, and no comma at the end.
  if (ranges.text() != whole) return std::nullopt;
  return ranges;
}

}  // namespace headscope
