#include "app/ui/widgets/text_places.h"

#include <algorithm>

#include "app/ui/widgets/shown_line.h"
#include "core/base/utf8.h"
#include "core/picture/text/text.h"

namespace headscope::ui {

float caret_place(Ui& ui, Type type, std::string_view s, std::size_t at) {
  at = std::min(at, s.size());
  if (!needs_layout(s)) return text_width(ui, type, given(s.substr(0, at)));
  const auto line = shown_line(ui, type, s);
  const ShownGrapheme* grapheme = line->grapheme_at(at);
  if (grapheme == nullptr) return 0;
  // The letter that follows decides; at the end of the text the one before.
  const bool behind = at == s.size();
  return behind != grapheme->right_to_left ? grapheme->right : grapheme->left;
}

std::size_t byte_at(Ui& ui, Type type, std::string_view s, float x) {
  if (!needs_layout(s)) {
    float left = 0;
    for (std::size_t at = 0; at < s.size();) {
      const std::size_t next = next_grapheme(s, at);
      const float w = text_width(ui, type, given(s.substr(at, next - at)));
      if (x < left + w / 2) return at;
      left += w;
      at = next;
    }
    return s.size();
  }
  std::size_t nearest = 0;
  const auto line = shown_line(ui, type, s);
  for (const ShownGrapheme& grapheme : line->graphemes) {
    const bool left_half = x < (grapheme.left + grapheme.right) / 2;
    nearest = left_half != grapheme.right_to_left ? grapheme.begin : grapheme.end;
    if (x < grapheme.right) break;
  }
  return nearest;
}

std::vector<Stretch> stretches_of(Ui& ui, Type type, std::string_view s, std::size_t begin, std::size_t end) {
  if (begin >= end) return {};
  if (!needs_layout(s)) {
    const float from = text_width(ui, type, given(s.substr(0, begin)));
    return {{from, from + text_width(ui, type, given(s.substr(begin, end - begin)))}};
  }
  std::vector<Stretch> result;
  const auto line = shown_line(ui, type, s);
  for (const ShownGrapheme& grapheme : line->graphemes) {
    if (grapheme.begin < begin || grapheme.end > end) continue;
    if (!result.empty() && result.back().to >= grapheme.left - 0.01f) {
      result.back().to = std::max(result.back().to, grapheme.right);
    } else {
      result.push_back({grapheme.left, grapheme.right});
    }
  }
  return result;
}

}  // namespace headscope::ui
