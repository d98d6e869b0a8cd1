// Width and opacity of an arc: the same in the window and in pictures.
#pragma once

#include <cstdint>
#include <vector>

#include "core/heads/arcs.h"

namespace headscope {

// plain: no query is highlighted; bright: an arc of the highlighted query; dim: an arc of another query.
enum class ArcTone { plain, bright, dim };

// Width in pixels at 1x and opacity in [0, 1]. Both grow with the weight in [0, 1]; larger weights count as 1. In rows
// of less than 28 px lines are thinner in proportion. Bright arcs that are drawn together have the widths of
// places_side_by_side().
struct ArcStyle {
  double width = 0, opacity = 0;
};
ArcStyle arc_style(double weight, ArcTone tone, double row_height);

// How far below the middle of its token the arc of the k-th of `heads` heads begins and ends, in pixels at 1x: arcs of
// several heads between the same tokens begin beside each other, within a third of a row.
double arc_offset(std::int64_t k, std::int64_t heads, double row_height);

// Bright arcs lie beside each other: how wide each is and how far below the middle of its tokens it begins and ends, in
// pixels at 1x. Widths are weights: all arcs have one number of pixels for a weight of 1, at most 8, with which the
// arcs of several heads between two tokens have room in a row. They touch without overlapping, lower heads above.
struct ArcPlace {
  double offset = 0, width = 0;
};
std::vector<ArcPlace> places_side_by_side(const std::vector<Arc>& arcs, double row_height);

// At most this many arcs are drawn, the strongest; when there are more, the picture says so.
constexpr std::int64_t kMostArcs = 1000;

}  // namespace headscope
