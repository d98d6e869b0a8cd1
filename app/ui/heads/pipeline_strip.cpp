#include <algorithm>
#include <cmath>
#include <string>

#include "app/session/session.h"
#include "app/ui/heads/pipeline_parts.h"
#include "app/ui/map/heatmap_view.h"
#include "app/ui/panels.h"
#include "app/ui/shell_state.h"
#include "app/ui/widgets/fitting_words.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/stage_sources.h"

namespace headscope::ui {
namespace {

void draw_strip_picture(Ui& ui, StripState& strip, StageId stage, const Rect& rect) {
  const Strip& numbers = strip.data.strip(stage, strip.selection.batch);
  if (rect.width() < 4 || numbers.matrix.empty() || numbers.matrix.dim(0) == 0 || numbers.matrix.dim(1) == 0) return;
  HeatmapView view;
  view.grid.area = rect;
  view.grid.rows = numbers.matrix.dim(0);
  view.grid.columns = numbers.matrix.dim(1);
  view.grid.cell_width = rect.width() / static_cast<double>(view.grid.columns);
  view.grid.cell_height = rect.height() / static_cast<double>(view.grid.rows);
  view.matrix = numbers.matrix;
  view.mask = numbers.mask;
  view.map = color_map_of(ui, is_weight_like(stage));
  view.range = numbers.range;
  draw_heatmap_view(ui, view);
}

// Without its blanks when there is no room for them.
std::string fitting(Ui& ui, const std::string& shape, float width) {
  return fitting_words(ui, Type::mono11, width, {shape, without_blanks(shape)});
}

// The operation stands without its details, or not at all, where there is no room for them.
std::string fitting_operation(Ui& ui, const std::string& operation, float width) {
  return fitting_words(ui, Type::words11, width, {operation, operation.substr(0, operation.find(',')), ""});
}

void draw_card_ground(Ui& ui, StripState& strip, const PipelineCard& card, const Rect& rect, bool hovered) {
  const float radius = ui.px(size::radius_field);
  const bool selected = card.has(strip.selection.stage);
  const bool feeding = std::any_of(card.stages.begin(), card.stages.end(), [&](StageId id) { return strip.feeds(id); });
  fill(rect, selected ? ui.colors.tint : hovered ? ui.colors.hover : ui.colors.raised, radius);
  if (selected) {
    outline(ui, rect, ui.colors.accent, 2, radius);
  } else if (feeding) {
    outline(ui, rect, ui.colors.text2, 1.5f, radius);
  }
}

void draw_single(Ui& ui, StripState& strip, const PipelineCard& card, const Rect& rect) {
  const Stage& stage = *strip.data.trace().find(card.stages.front());
  draw_card_ground(ui, strip, card, rect, ui.state.hovered == stage_probe_name(stage.id));
  stage_input(ui, strip, stage.id, rect);
  const float left = rect.min.x + ui.px(8);
  const float right = rect.max.x - ui.px(6);
  const auto line = [&](float center) {
    return Rect{{left, rect.min.y + ui.px(center) - ui.px(8)}, {right, rect.min.y + ui.px(center) + ui.px(8)}};
  };
  text_in(ui, line(12), Type::words11, ui.colors.text2, fitting_operation(ui, stage.operation, right - left));
  text_in(ui, line(27), Type::mono_bold12, stage_name_color(ui, card, stage), stage_name(stage.id));
  text_in(ui, line(42), Type::mono11, ui.colors.text2,
          fitting(ui, shape_or_equal(strip.data.trace(), stage), right - left));
  draw_strip_picture(ui, strip, stage.id,
                     {{left, rect.min.y + ui.px(52)}, {rect.max.x - ui.px(8), rect.min.y + ui.px(64)}});
}

// Several stages, a line each: the name and its numbers, or the name and its shape where shapes differ.
void draw_group(Ui& ui, StripState& strip, const PipelineCard& card, const Rect& rect) {
  const Trace& trace = strip.data.trace();
  const bool same_shape = std::all_of(card.stages.begin(), card.stages.end(), [&](StageId id) {
    return trace.tensor(id).shape() == trace.tensor(card.stages.front()).shape();
  });
  draw_card_ground(ui, strip, card, rect, false);
  const float left = rect.min.x + ui.px(8);
  const float right = rect.max.x - ui.px(8);
  const Rect top{{left, rect.min.y + ui.px(4)}, {right, rect.min.y + ui.px(20)}};
  const std::string& operation = trace.find(card.stages.front())->operation;
  float operation_width = top.width();
  if (same_shape) {
    const std::string shape = to_string(trace.tensor(card.stages.front()).shape());
    const float width = text_width(ui, Type::mono11, shape);
    text_in(ui, {{std::max(left, right - width - 1), top.min.y}, top.max}, Type::mono11, ui.colors.text2, shape, 1);
    operation_width -= width + ui.px(6);
  }
  text_in(ui, {top.min, {left + operation_width, top.max.y}}, Type::words11, ui.colors.text2,
          fitting_operation(ui, operation, operation_width));
  float name_width = 0;
  for (const StageId id : card.stages) {
    name_width = std::max(name_width, text_width(ui, Type::mono_bold12, stage_name(id)));
  }
  for (std::size_t i = 0; i < card.stages.size(); ++i) {
    const StageId id = card.stages[i];
    const float y = rect.min.y + ui.px(20) + static_cast<float>(i) * ui.px(15);
    const Rect line{{rect.min.x + ui.px(4), y}, {rect.max.x - ui.px(4), y + ui.px(15)}};
    if (id == strip.selection.stage) {
      fill(line, ui.colors.panel, ui.px(size::radius_inner));
      outline(ui, line, ui.colors.accent, 1, ui.px(size::radius_inner));
    } else if (ui.state.hovered == stage_probe_name(id)) {
      fill(line, ui.colors.hover, ui.px(size::radius_inner));
    }
    stage_input(ui, strip, id, line);
    text_in(ui, {{left, y}, {left + name_width + 1, y + ui.px(15)}}, Type::mono_bold12,
            stage_name_color(ui, card, *trace.find(id)), stage_name(id));
    const float rest = left + name_width + ui.px(8);
    if (same_shape) {
      draw_strip_picture(ui, strip, id, {{rest, y + ui.px(2)}, {right, y + ui.px(13)}});
    } else if (right - rest > ui.px(20)) {
      text_in(ui, {{rest, y}, {right, y + ui.px(15)}}, Type::mono11, ui.colors.text2,
              fitting(ui, to_string(trace.tensor(id).shape()), right - rest), 1);
    }
  }
}

float wanted_width(Ui& ui, const Trace& trace, const PipelineCard& card, bool least) {
  float names = 0;
  float shapes = 0;
  for (const StageId id : card.stages) {
    const Stage& stage = *trace.find(id);
    const std::string shape = shape_or_equal(trace, stage);
    names = std::max(names, text_width(ui, Type::mono_bold12, stage_name(id)));
    shapes = std::max(shapes, text_width(ui, Type::mono11, least ? without_blanks(shape) : shape));
  }
  if (card.stages.size() == 1) {
    const float both = std::ceil(std::max(names, shapes)) + ui.px(15);
    return least ? both : std::max(ui.px(108), both);
  }
  return std::ceil(names + ui.px(8) + (least ? shapes : std::max(shapes, ui.px(76))) + ui.px(18));
}

// The stages as cards.
void draw_cards(Ui& ui, StripState& strip, const Rect& area) {
  const Trace& trace = strip.data.trace();
  const std::vector<PipelineCard> cards = pipeline_cards(trace);
  std::vector<float> wanted;
  std::vector<float> least;
  std::size_t selected = 0;
  const Rect inner{{area.min.x + ui.px(size::panel_padding), area.min.y},
                   {area.max.x - ui.px(size::panel_padding), area.max.y}};
  for (std::size_t i = 0; i < cards.size(); ++i) {
    least.push_back(wanted_width(ui, trace, cards[i], true));
    wanted.push_back(wanted_width(ui, trace, cards[i], false));
    if (cards[i].has(strip.selection.stage)) selected = i;
  }
  const CardLayout layout = card_layout(wanted, least, ui.px(20), ui.px(12), inner.width(), ui.px(60));
  const float offset = stages_offset(ui, inner, layout, selected);
  const Rect clip = layout.content > inner.width() + 0.5f ? inner : area;
  canvas().PushClipRect({clip.min.x - ui.px(4), clip.min.y}, {clip.max.x + ui.px(4), clip.max.y}, true);
  const float top = area.min.y + ui.px(5), height = ui.px(72);
  for (std::size_t i = 0; i < cards.size(); ++i) {
    const float x = inner.min.x + layout.x[i] - offset;
    const Rect rect{{x, top}, {x + layout.width[i], top + height}};
    if (rect.max.x < clip.min.x || rect.min.x > clip.max.x) continue;
    if (i + 1 < cards.size()) draw_stage_arrow(ui, std::round(rect.max.x + layout.gap / 2), rect.center().y);
    if (cards[i].stages.size() == 1) {
      draw_single(ui, strip, cards[i], rect);
    } else {
      draw_group(ui, strip, cards[i], rect);
    }
  }
  canvas().PopClipRect();
  draw_stages_bar(ui, inner, layout, offset, area.max.y);
}

}  // namespace

void draw_pipeline_strip(Ui& ui, const Rect& area, bool folds) {
  PanelData* data = panel_data(ui);
  if (data == nullptr || data->trace().stages.empty()) return;
  const Trace& trace = data->trace();
  StripState strip{*data, selection_of(ui.session.view, trace), {}};
  const bool names_only = area.height() < ui.px(size::pipeline);
  OnScreen& on_screen = ui.state.panels.get<ShellState>().on_screen;
  on_screen.pipeline = !names_only;
  on_screen.pipeline_names = names_only;
  strip.feeding = linked_stages(ui, *data);
  if (!ui.state.hover.cell) {
    for (const StageId stage : feeding_stages(trace, strip.selection.stage)) strip.feeding.push_back(stage);
  }
  if (names_only) {
    draw_stages_line(ui, strip, area, folds);
  } else {
    draw_cards(ui, strip, area);
  }
}

}  // namespace headscope::ui
