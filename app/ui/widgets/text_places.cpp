#include "app/ui/widgets/text_places.h"

#include <algorithm>

#include "core/base/utf8.h"
#include "core/text/visual_order.h"

namespace headscope::ui {

namespace {

float width_of(Ui& ui, Type type, std::string_view s, const VisualCluster& cluster) {
  return text_width(
      ui, type,
      s.substr(static_cast<std::size_t>(cluster.bytes.begin), static_cast<std::size_t>(cluster.bytes.size())));
}

}  // namespace

float caret_place(Ui& ui, Type type, std::string_view s, std::size_t at) {
  at = std::min(at, s.size());
  const std::vector<VisualCluster> order = visual_order(s);
  if (order.empty()) return text_width(ui, type, s.substr(0, at));
  const std::int64_t byte = static_cast<std::int64_t>(at);
  float x = 0, place = 0;
  for (const VisualCluster& cluster : order) {
    const float w = width_of(ui, type, s, cluster);
    // The letter that follows decides; at the end of the text the one before.
    if (cluster.bytes.begin == byte) place = cluster.right_to_left ? x + w : x;
    if (at == s.size() && cluster.bytes.end == byte) place = cluster.right_to_left ? x : x + w;
    x += w;
  }
  return place;
}

std::size_t byte_at(Ui& ui, Type type, std::string_view s, float x) {
  const std::vector<VisualCluster> order = visual_order(s);
  float left = 0;
  if (order.empty()) {
    for (std::size_t at = 0; at < s.size();) {
      const std::size_t next = next_grapheme(s, at);
      const float w = text_width(ui, type, s.substr(at, next - at));
      if (x < left + w / 2) return at;
      left += w;
      at = next;
    }
    return s.size();
  }
  std::size_t nearest = 0;
  for (const VisualCluster& cluster : order) {
    const float w = width_of(ui, type, s, cluster);
    const bool left_half = x < left + w / 2;
    nearest = static_cast<std::size_t>(left_half != cluster.right_to_left ? cluster.bytes.begin : cluster.bytes.end);
    if (x < left + w) return nearest;
    left += w;
  }
  return nearest;
}

std::vector<Stretch> stretches_of(Ui& ui, Type type, std::string_view s, std::size_t begin, std::size_t end) {
  if (begin >= end) return {};
  const std::vector<VisualCluster> order = visual_order(s);
  if (order.empty()) {
    const float from = text_width(ui, type, s.substr(0, begin));
    return {{from, from + text_width(ui, type, s.substr(begin, end - begin))}};
  }
  std::vector<Stretch> result;
  float x = 0;
  for (const VisualCluster& cluster : order) {
    const float w = width_of(ui, type, s, cluster);
    if (cluster.bytes.begin >= static_cast<std::int64_t>(begin) &&
        cluster.bytes.end <= static_cast<std::int64_t>(end)) {
      if (!result.empty() && result.back().to >= x - 0.01f) {
        result.back().to = x + w;
      } else {
        result.push_back({x, x + w});
      }
    }
    x += w;
  }
  return result;
}

}  // namespace headscope::ui
