#include "app/ui/heads/arcs_drawing.h"

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/ui/widgets/widgets.h"
#include "core/picture/arc_style.h"

namespace headscope::ui {
namespace {

constexpr std::int64_t kMostPieces = 16000;  // of all curves together

// The token whose arcs are bright: the one under the mouse, else the chosen query.
struct Bright {
  std::int64_t query = -1, key = -1;
  bool touches(const Arc& arc) const { return query >= 0 ? arc.query == query : arc.key == key; }
  bool any() const { return query >= 0 || key >= 0; }
};

Bright bright_of(const Ui& ui, const ArcsDrawing& drawing) {
  if (!drawing.computed) return {};
  const Hover& hover = ui.state.hover;
  if (hover.query >= 0 && hover.query < drawing.queries) return {hover.query, -1};
  if (hover.key >= 0 && hover.key < drawing.keys) return {-1, hover.key};
  if (drawing.focus.picked && drawing.focus.pair) return {drawing.focus.pair->row, -1};
  return {};
}

// A curve of one head from its query to its key; offset and width in pixels at 1x.
void draw_arc(Ui& ui, const ArcsDrawing& drawing, const Arc& arc, const ArcPlace& place, double opacity) {
  const float shift = static_cast<float>(place.offset) * ui.scale;
  const float y0 = drawing.middle(arc.query) + shift, y1 = drawing.middle(arc.key) + shift;
  // Where the rows scroll, arcs between tokens that are both out of sight would only cross the picture.
  const float reach = drawing.pitch / 2;
  const auto seen = [&](float y) { return y > drawing.area.min.y - reach && y < drawing.area.max.y + reach; };
  if (!seen(y0) && !seen(y1)) return;
  const ImU32 color = color32(head_color(arc.head), static_cast<float>(opacity));
  const float width = std::max(1.0f, static_cast<float>(place.width) * ui.scale);
  if (y0 == y1) {
    canvas().AddLine({drawing.left, y0}, {drawing.right, y1}, color, width);
    return;
  }
  // An arc beside others keeps its distance along the normal: its inner points move sideways.
  const float turn = std::atan2(2 * (y1 - y0), drawing.right - drawing.left);  // of the middle of the curve
  const float middle = (drawing.left + drawing.right) / 2 - shift * std::tan(turn / 2) * 4 / 3;
  const int parts = std::clamp(static_cast<int>(std::abs(y1 - y0) / ui.px(10)) + 6, 8, drawing.most_parts);
  canvas().AddBezierCubic({drawing.left, y0}, {middle, y0}, {middle, y1}, {drawing.right, y1}, color, width, parts);
}

}  // namespace

ArcRequest request_of(const Ui& ui, const ArcsDrawing& drawing) {
  ArcRequest request;
  request.batch = drawing.focus.selection.batch;
  request.heads = drawing.heads;
  request.queries = drawing.region.queries;
  request.keys = drawing.region.keys;
  request.hide_below = ui.session.view.arcs_hide_below;
  request.most = kMostArcs;
  return request;
}

void draw_arcs(Ui& ui, ArcsDrawing& drawing) {
  const Bright bright = bright_of(ui, drawing);
  const ArcRequest all = request_of(ui, drawing);
  const Arcs& arcs = drawing.data.arcs(all);
  const double row_height = static_cast<double>(drawing.pitch / ui.scale);
  // Few arcs are drawn smoothly, many within what a frame of a software driver can take.
  drawing.most_parts = static_cast<int>(std::clamp<std::int64_t>(kMostPieces / (std::ssize(arcs.arcs) + 1), 8, 40));
  for (auto arc = arcs.arcs.rbegin(); arc != arcs.arcs.rend(); ++arc) {
    if (bright.any() && bright.touches(*arc)) continue;
    const auto k = std::lower_bound(drawing.heads.begin(), drawing.heads.end(), arc->head) - drawing.heads.begin();
    const ArcStyle style =
        arc_style(static_cast<double>(arc->weight), bright.any() ? ArcTone::dim : ArcTone::plain, row_height);
    draw_arc(ui, drawing, *arc, {arc_offset(k, std::ssize(drawing.heads), row_height), style.width}, style.opacity);
  }
  if (!bright.any()) return;
  ArcRequest own = all;
  const auto narrowed = [](Range range, std::int64_t at) {
    return at >= range.begin && at < range.end ? Range{at, at + 1} : Range{at, at};
  };
  if (bright.query >= 0) own.queries = narrowed(own.queries, bright.query);
  if (bright.key >= 0) own.keys = narrowed(own.keys, bright.key);
  const Arcs& strong = drawing.data.arcs(own);
  drawing.most_parts = strong.arcs.size() <= 200 ? 40 : 12;
  const std::vector<ArcPlace> places = places_side_by_side(strong.arcs, row_height);
  for (std::size_t k = strong.arcs.size(); k-- > 0;) {
    const Arc& arc = strong.arcs[k];
    const double opacity = arc_style(static_cast<double>(arc.weight), ArcTone::bright, row_height).opacity;
    draw_arc(ui, drawing, arc, places[k], opacity);
  }
}

}  // namespace headscope::ui
