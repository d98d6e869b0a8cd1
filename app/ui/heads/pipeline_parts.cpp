#include "app/ui/heads/pipeline_parts.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/session/session.h"
#include "app/ui/map/heatmap_view.h"
#include "app/ui/widgets/control_states.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

// The strip remembers this from frame to frame.
struct PipelineState {
  std::optional<std::size_t> shown;  // the card that was scrolled into sight
};

}  // namespace

bool StripState::feeds(StageId stage) const {
  return std::find(feeding.begin(), feeding.end(), stage) != feeding.end();
}

std::string stage_probe_name(StageId stage) {
  return "pipeline/" + std::string(stage_name(stage));
}

Rgba stage_name_color(const Ui& ui, const PipelineCard& card, const Stage& stage) {
  if (card.stages.size() > 1 && card.has(StageId::query)) {
    if (stage.id == StageId::query) return ui.colors.query;
    return stage.id == StageId::key ? ui.colors.key : ui.colors.value;
  }
  return stage.equals_previous ? ui.colors.text3 : ui.colors.text;
}

void stage_input(Ui& ui, StripState& strip, StageId stage, const Rect& rect) {
  const Stage& found = *strip.data.trace().find(stage);
  const std::string sentence = std::string(stage_name(stage)) + " " + to_string(found.tensor.shape()) + ": " +
                               found.operation +
                               (found.equals_previous ? ". Nothing changes here." : ". Click to see its numbers.");
  const bool selected = strip.selection.stage == stage;
  const std::string name = stage_probe_name(stage);
  const Interaction mouse = interact_mouse(ui, name, rect, {true, false, sentence.c_str()}, selected);
  StageId next = stage;
  if (mouse.focused && selected) {
    if (const std::optional<Cell> arrow = take_arrow(ui)) {
      next = neighbour_stage(strip.data.trace(), stage, static_cast<int>(arrow->row + arrow->column));
    } else if (ui.take_key(KeyName::home)) {
      next = strip.data.trace().stages.front().id;
    } else if (ui.take_key(KeyName::end)) {
      next = strip.data.trace().stages.back().id;
    }
  }
  if (mouse.clicked) select_stage(ui.session.view, stage);
  if (next != stage) select_stage(ui.session.view, next);
  if (mouse.clicked || next != stage) ui.state.focus = stage_probe_name(next);
  if (mouse.focused && ui.state.focus_by_keyboard) focus_ring(ui, rect, ui.px(size::radius_field));
}

void draw_stage_arrow(Ui& ui, float center_x, float center_y) {
  const float half = 3.5f * ui.scale;
  canvas().AddTriangleFilled({center_x - ui.px(2), center_y - half}, {center_x - ui.px(2), center_y + half},
                             {center_x + ui.px(3), center_y}, color32(ui.colors.text3));
}

float stages_offset(Ui& ui, const Rect& area, const CardLayout& layout, std::size_t selected) {
  double& offset = ui.state.panels.get<ScrollOffsets>().down["pipeline"];
  std::optional<std::size_t>& last = ui.state.panels.get<PipelineState>().shown;
  const float most = std::max(0.0f, layout.content - area.width());
  if (most > 0 && ui.on_top() && area.contains(ImGui::GetIO().MousePos)) {
    offset -= static_cast<double>((ImGui::GetIO().MouseWheel + ImGui::GetIO().MouseWheelH) * ui.px(60));
  }
  if (last != selected) {
    last = selected;
    const double low = static_cast<double>(layout.x[selected] + layout.width[selected] - area.width() + ui.px(24));
    const double high = static_cast<double>(layout.x[selected] - ui.px(24));
    offset = std::min(std::max(offset, low), high);
  }
  offset = std::clamp(std::round(offset), 0.0, static_cast<double>(most));
  return static_cast<float>(offset);
}

void draw_stages_bar(Ui& ui, const Rect& inner, const CardLayout& layout, float offset, float bottom) {
  if (layout.content <= inner.width() + 0.5f) return;
  const float share = inner.width() / layout.content, y = bottom - ui.px(5), from = inner.min.x + offset * share;
  fill({{from, y}, {from + inner.width() * share, y + ui.px(3)}}, ui.colors.edge, ui.px(1));
}

}  // namespace headscope::ui
