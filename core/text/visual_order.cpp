#include "core/text/visual_order.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdint>

#include "core/base/utf8.h"

namespace headscope {
namespace {

enum class Direction { left_to_right, right_to_left, number, neutral };

Direction direction_of(std::uint32_t code_point) {
  if (code_point < 0x590) {
    if (code_point >= '0' && code_point <= '9') return Direction::number;
    const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(code_point));
    const bool letter = category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
    return letter ? Direction::left_to_right : Direction::neutral;
  }
  switch (utf8proc_get_property(static_cast<utf8proc_int32_t>(code_point))->bidi_class) {
    case UTF8PROC_BIDI_CLASS_R:
    case UTF8PROC_BIDI_CLASS_AL:
      return Direction::right_to_left;
    case UTF8PROC_BIDI_CLASS_EN:
    case UTF8PROC_BIDI_CLASS_AN:
      return Direction::number;
    case UTF8PROC_BIDI_CLASS_L:
      return Direction::left_to_right;
    default:
      return Direction::neutral;
  }
}

struct Cluster {
  Range bytes;
  Direction direction;
  bool turned = false;
};

bool has_right_to_left(std::string_view utf8) {
  for (std::size_t at = 0; at < utf8.size();) {
    const CodePoint point = code_point_at(utf8, at);
    if (point.value >= 0x590 && direction_of(point.value) == Direction::right_to_left) return true;
    at += static_cast<std::size_t>(point.bytes);
  }
  return false;
}

}  // namespace

std::vector<VisualCluster> visual_order(std::string_view utf8) {
  if (!has_right_to_left(utf8)) return {};
  std::vector<Cluster> clusters;
  for (std::size_t at = 0; at < utf8.size();) {
    const std::size_t end = next_grapheme(utf8, at);
    clusters.push_back(
        {{static_cast<std::int64_t>(at), static_cast<std::int64_t>(end)}, direction_of(code_point_at(utf8, at).value)});
    at = end;
  }
  for (std::size_t begin = 0; begin < clusters.size(); ++begin) {
    if (clusters[begin].direction != Direction::right_to_left) continue;
    std::size_t end = begin + 1;
    for (std::size_t k = end; k < clusters.size() && clusters[k].direction != Direction::left_to_right; ++k) {
      if (clusters[k].direction == Direction::right_to_left) end = k + 1;
    }
    const auto first = clusters.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = clusters.begin() + static_cast<std::ptrdiff_t>(end);
    std::reverse(first, last);
    std::for_each(first, last, [](Cluster& cluster) { cluster.turned = true; });
    const auto is_number = [](const Cluster& cluster) { return cluster.direction == Direction::number; };
    for (auto digit = std::find_if(first, last, is_number); digit != last;) {
      const auto digits_end = std::find_if_not(digit, last, is_number);
      std::reverse(digit, digits_end);
      std::for_each(digit, digits_end, [](Cluster& cluster) { cluster.turned = false; });
      digit = std::find_if(digits_end, last, is_number);
    }
    begin = end - 1;
  }
  std::vector<VisualCluster> result;
  result.reserve(clusters.size());
  for (const Cluster& cluster : clusters) result.push_back({cluster.bytes, cluster.turned});
  return result;
}

}  // namespace headscope
