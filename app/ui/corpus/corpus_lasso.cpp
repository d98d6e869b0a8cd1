// A line around points of the plane, drawn with the mouse: the heads inside become the chosen ones.
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/session/session.h"
#include "app/ui/corpus/corpus_panel.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kCorner = 3, kLeast = 6;  // pixels between corners; a line that reaches less far is a click
constexpr float kDash = 6, kGap = 4;

bool is_line(const Ui& ui, const std::vector<PlanePoint>& line) {
  return std::any_of(line.begin(), line.end(), [&](const PlanePoint& corner) {
    return std::hypot(corner.x - line.front().x, corner.y - line.front().y) >= ui.px(kLeast);
  });
}

// Also of a head whose point is covered by another one.
std::vector<std::size_t> heads_inside(const CorpusPlot& made, const Lasso& lasso) {
  const HeadTable& table = *made.table;
  const std::span<const double> x = table.of(shown_mean(table, made.x)), y = table.of(shown_mean(table, made.y));
  std::vector<std::size_t> heads;
  for (std::size_t head = 0; head < table.heads.size(); ++head) {
    if (!std::isfinite(x[head]) || !std::isfinite(y[head])) continue;
    const PlanePoint at{static_cast<float>(made.x_axis.share(x[head])) * made.width,
                        static_cast<float>(1 - made.y_axis.share(y[head])) * made.height};
    if (lasso.holds(at)) heads.push_back(head);
  }
  return heads;
}

void draw_dashed(Ui& ui, ImVec2 a, ImVec2 b, float& along) {
  const float length = std::hypot(b.x - a.x, b.y - a.y), period = ui.px(kDash) + ui.px(kGap);
  if (!(length > 0)) return;
  for (float from = -std::fmod(along, period); from < length; from += period) {
    const float begin = std::max(0.0f, from) / length, end = std::min(length, from + ui.px(kDash)) / length;
    if (end <= begin) continue;
    canvas().AddLine({a.x + (b.x - a.x) * begin, a.y + (b.y - a.y) * begin},
                     {a.x + (b.x - a.x) * end, a.y + (b.y - a.y) * end}, color32(ui.colors.accent),
                     std::max(1.0f, ui.px(1.5f)));
  }
  along += length;
}

}  // namespace

bool read_lasso(Ui& ui, const CorpusShown& shown, const CorpusPlot& made, const Rect& plot, const Interaction& it) {
  std::vector<PlanePoint>& line = ui.state.panels.get<CorpusPanelState>().lasso;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const PlanePoint at{mouse.x - plot.min.x, mouse.y - plot.min.y};
  if (it.held) {
    const bool far = line.empty() || std::hypot(at.x - line.back().x, at.y - line.back().y) >= ui.px(kCorner);
    if (far) line.push_back(at);
    return false;
  }
  if (line.empty()) return false;
  const std::vector<PlanePoint> drawn = std::exchange(line, {});
  if (!is_line(ui, drawn)) return false;
  choose_heads(ui, shown, heads_inside(made, Lasso(drawn)), ui.shift_held);
  if (!ui.shift_held) ui.session.view.corpus.find.clear();
  return true;
}

void draw_lasso(Ui& ui, const Rect& plot) {
  const std::vector<PlanePoint>& line = ui.state.panels.get<CorpusPanelState>().lasso;
  if (line.empty() || !is_line(ui, line)) return;
  ui.mark("corpus/lasso", plot);
  float along = 0;
  for (std::size_t k = 0; k < line.size(); ++k) {
    const PlanePoint &a = line[k], &b = line[(k + 1) % line.size()];
    draw_dashed(ui, {plot.min.x + a.x, plot.min.y + a.y}, {plot.min.x + b.x, plot.min.y + b.y}, along);
  }
}

}  // namespace headscope::ui
