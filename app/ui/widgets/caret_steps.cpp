#include "app/ui/widgets/caret_steps.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/utf8.h"
#include "core/text/visual_order.h"

namespace headscope::ui {

namespace {

// The line of the text around a byte, up to its line feeds; of a very long one the part around the byte.
struct Line {
  std::size_t begin = 0, end = 0;
};

constexpr std::size_t kMostAround = std::size_t{1} << 14;  // bytes on each side

Line line_around(std::string_view text, std::size_t at) {
  const std::size_t low = at > kMostAround ? previous_grapheme(text, at - kMostAround) : 0;
  const std::size_t high = text.size() - at > kMostAround ? previous_grapheme(text, at + kMostAround) : text.size();
  const std::string_view around = text.substr(low, high - low);
  const std::size_t before = at == low ? around.npos : around.rfind('\n', at - low - 1);
  const std::size_t after = around.find('\n', at - low);
  return {before == around.npos ? low : low + before + 1, after == around.npos ? high : low + after};
}

bool runs_both_ways(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    if (turns_the_line(point.value)) return true;
    at += static_cast<std::size_t>(point.bytes);
  }
  return false;
}

// A place for the caret: before a byte, and how many graphemes are seen left of it.
struct Stop {
  std::size_t byte = 0;
  std::size_t place = 0;
  bool right_to_left = false;  // the grapheme that begins here
};

// In the order of the text. As caret_place() has it: the grapheme behind the caret decides, at the end the one before.
std::vector<Stop> stops_of(std::string_view text, const Line& line) {
  std::u32string points;
  std::vector<std::size_t> begins, first_points;
  for (std::size_t at = line.begin; at < line.end;) {
    const std::size_t next = next_grapheme(text.substr(0, line.end), at);
    begins.push_back(at);
    first_points.push_back(points.size());
    while (at < next) {
      const CodePoint point = code_point_at(text, at);
      points += static_cast<char32_t>(point.value);
      at += static_cast<std::size_t>(point.bytes);
    }
  }
  const std::vector<std::int8_t> of_points = embedding_levels(points);
  std::vector<std::int8_t> levels;
  for (const std::size_t first : first_points) levels.push_back(of_points[first]);
  std::vector<std::size_t> seen(levels.size());
  const std::vector<std::size_t> order = visual_order(levels);
  for (std::size_t place = 0; place < order.size(); ++place) seen[order[place]] = place;
  std::vector<Stop> stops;
  for (std::size_t k = 0; k < begins.size(); ++k) {
    const bool right_to_left = levels[k] % 2 == 1;
    stops.push_back({begins[k], seen[k] + (right_to_left ? 1 : 0), right_to_left});
  }
  if (begins.empty()) {
    stops.push_back({line.begin, 0});
  } else {
    stops.push_back({line.end, seen.back() + (levels.back() % 2 == 1 ? 0 : 1)});
  }
  return stops;
}

const Stop& stop_at(const std::vector<Stop>& stops, std::size_t byte) {
  const auto after = std::upper_bound(stops.begin(), stops.end(), byte,
                                      [](std::size_t at, const Stop& stop) { return at < stop.byte; });
  return after == stops.begin() ? *after : *(after - 1);
}

std::size_t distance(std::size_t a, std::size_t b) {
  return a < b ? b - a : a - b;
}

// The nearest place on this side of the caret; of two carets at one place the one that is nearer in the text.
std::size_t next_stop(std::string_view text, std::size_t at, bool to_left) {
  const Line line = line_around(text, at);
  const std::vector<Stop> stops = stops_of(text, line);
  const Stop& here = stop_at(stops, at);
  const Stop* best = nullptr;
  for (const Stop& stop : stops) {
    if (to_left ? stop.place >= here.place : stop.place <= here.place) continue;
    if (best != nullptr) {
      const std::size_t old = distance(best->place, here.place), now = distance(stop.place, here.place);
      if (now > old || (now == old && distance(stop.byte, at) >= distance(best->byte, at))) continue;
    }
    best = &stop;
  }
  if (best != nullptr) return best->byte;
  // A line that runs from right to left ends at the left.
  const bool at_end = line.begin != line.end && at == (to_left ? line.end : line.begin);
  if (to_left != at_end) return line.begin == 0 ? at : previous_grapheme(text, line.begin);
  return line.end == text.size() ? at : next_grapheme(text, line.end);
}

// Whether the grapheme before the caret, at the begin of a line the one behind it, runs from right to left.
bool runs_to_left(std::string_view text, std::size_t at) {
  const Line line = line_around(text, at);
  const std::vector<Stop> stops = stops_of(text, line);
  const Stop* after = &stop_at(stops, at);
  return after == stops.data() ? after->right_to_left : (after - 1)->right_to_left;
}

bool is_plain(const TextEdit& edit) {
  const Line line = line_around(edit.buffer, edit.caret);
  return !runs_both_ways(std::string_view(edit.buffer).substr(line.begin, line.end - line.begin));
}

void step(TextEdit& edit, bool select, bool to_left) {
  if (has_selection(edit) && !select) {
    // The end that is seen on that side, where both lie on one line.
    const Line line = line_around(edit.buffer, edit.caret);
    const std::size_t begin = selection_begin(edit), end = selection_end(edit);
    bool swap = false;
    if (begin >= line.begin && end <= line.end) {
      const std::vector<Stop> stops = stops_of(edit.buffer, line);
      swap = stop_at(stops, begin).place > stop_at(stops, end).place;
    }
    move_caret(edit, to_left != swap ? begin : end, false);
    return;
  }
  move_caret(edit, next_stop(edit.buffer, edit.caret, to_left), select);
}

}  // namespace

void step_left(TextEdit& edit, bool select) {
  if (is_plain(edit)) return move_left(edit, select);
  step(edit, select, true);
}

void step_right(TextEdit& edit, bool select) {
  if (is_plain(edit)) return move_right(edit, select);
  step(edit, select, false);
}

void step_word_left(TextEdit& edit, bool select) {
  if (is_plain(edit) || !runs_to_left(edit.buffer, edit.caret)) return move_word_left(edit, select);
  move_word_right(edit, select);
}

void step_word_right(TextEdit& edit, bool select) {
  if (is_plain(edit) || !runs_to_left(edit.buffer, edit.caret)) return move_word_right(edit, select);
  move_word_left(edit, select);
}

}  // namespace headscope::ui
