// Where marks, names and ticks of the plane lie.
#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/scatter/scatter_panel.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kMark = 8, kName = 110, kAcross = 70, kUpwards = 45;
constexpr std::size_t kMostNamed = 1'500;  // of more marks, none is named

void lay_out_marks(const ScatterShown& shown, ScatterLayout& made) {
  const QueryKeyScatter& scatter = shown.scatter();
  const auto add = [&](const std::vector<ScatterPoint>& points, std::size_t i, bool query) {
    if (i >= points.size() || std::isnan(points[i].x)) return;
    made.marks.push_back({static_cast<float>(made.plane.at_x(points[i].x)),
                          static_cast<float>(made.plane.at_y(points[i].y)), static_cast<std::int64_t>(i), query});
  };
  for (std::size_t i = 0; i < std::max(scatter.queries.size(), scatter.keys.size()); ++i) {
    if (made.switches.queries) add(scatter.queries, i, true);
    if (made.switches.keys) add(scatter.keys, i, false);
  }
}

void lay_out_names(Ui& ui, ScatterLayout& made) {
  if (!made.switches.names) return;
  if (made.marks.size() > kMostNamed) {
    made.without = made.marks.size();
    return;
  }
  const Trace& trace = *made.of->question.trace;
  const std::vector<std::string> queries = trace.query_labels(), keys = trace.key_labels();
  std::vector<NamedMark> marks;
  std::vector<std::string> words;
  for (const ScatterLayout::Mark& mark : made.marks) {
    const std::string name = token_or_index(mark.query ? queries : keys, mark.index);
    const std::size_t begin =
        std::min(name.find_first_not_of(' '), name.size());  // a space would part it from its mark
    words.push_back(shortened_to(ui, Type::mono11, name.substr(begin), ui.px(kName)));
    marks.push_back({static_cast<double>(mark.x), static_cast<double>(mark.y),
                     static_cast<double>(std::ceil(text_width(ui, Type::mono11, words.back())))});
  }
  const double half = static_cast<double>(ui.px(kMark / 2));
  const auto places = name_places(marks, made.plane, {half, half + static_cast<double>(ui.px(3)), half * 1.75});
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!places[i]) {
      ++made.without;
      continue;
    }
    const float left = static_cast<float>(places[i]->left), middle = static_cast<float>(places[i]->middle);
    made.names.push_back({left, middle, words[i], made.marks[i].index, made.marks[i].query});
  }
}

void lay_out_ticks(Ui& ui, ScatterLayout& made) {
  const PointPlane& plane = made.plane;
  for (const double tick : ticks_across(plane, static_cast<double>(ui.px(kAcross)))) {
    made.across.push_back({static_cast<float>(plane.at_x(tick)), tick_label(tick, plane.width / plane.scale)});
  }
  for (const double tick : ticks_upwards(plane, static_cast<double>(ui.px(kUpwards)))) {
    made.upwards.push_back({static_cast<float>(plane.at_y(tick)), tick_label(tick, plane.height / plane.scale)});
  }
}

}  // namespace

const ScatterLayout& scatter_layout(Ui& ui, const ScatterShown& shown, float width, float height) {
  ScatterPanelState& state = ui.state.panels.get<ScatterPanelState>();
  ScatterLayout& made = state.layout;
  const ScatterView& switches = ui.session.view.scatter;
  if (made.of == shown.result && made.switches == switches && made.width == width && made.height == height &&
      made.scale == ui.scale) {
    return made;
  }
  made = ScatterLayout{shown.result, switches, width, height, ui.scale, {}, {}, {}, {}, {}, 0};
  made.plane =
      point_plane(plane_extents(shown.scatter()), 0, 0, static_cast<double>(width), static_cast<double>(height));
  lay_out_marks(shown, made);
  lay_out_names(ui, made);
  lay_out_ticks(ui, made);
  ++state.layouts_made;
  return made;
}

}  // namespace headscope::ui
