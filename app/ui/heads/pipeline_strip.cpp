#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "app/session/session.h"
#include "app/ui/map/cell_highlight.h"
#include "app/ui/map/heatmap_view.h"
#include "app/ui/panel_data.h"
#include "app/ui/panels.h"
#include "app/ui/pipeline_cards.h"
#include "app/ui/shell_state.h"
#include "app/ui/widgets/control_states.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/stage_sources.h"

namespace headscope::ui {
namespace {

// What the strip remembers.
struct PipelineState {
  std::optional<std::size_t> shown;  // the card that was scrolled into sight
};

struct StripState {
  PanelData& data;
  Selection selection;
  std::vector<StageId> feeding;
  bool names_only = false;
};

std::string probe_name(StageId stage) {
  return "pipeline/" + std::string(stage_name(stage));
}

Rgba name_color(const Ui& ui, const PipelineCard& card, const Stage& stage) {
  if (card.stages.size() > 1 && card.has(StageId::query)) {
    if (stage.id == StageId::query) return ui.colors.query;
    return stage.id == StageId::key ? ui.colors.key : ui.colors.value;
  }
  return stage.equals_previous ? ui.colors.text3 : ui.colors.text;
}

// Clicks and keys of one stage. The selected one is the strip's place in the Tab order; arrows walk through the rest.
bool stage_input(Ui& ui, StripState& strip, StageId stage, const Rect& rect) {
  const Stage& found = *strip.data.trace().find(stage);
  const std::string sentence = std::string(stage_name(stage)) + " " + to_string(found.tensor.shape()) + ": " +
                               found.operation +
                               (found.equals_previous ? ". Nothing changes here." : ". Click to see its numbers.");
  const bool selected = strip.selection.stage == stage;
  const std::string name = probe_name(stage);
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
  if (mouse.clicked || next != stage) ui.state.focus = probe_name(next);
  if (mouse.focused && ui.state.focus_by_keyboard) focus_ring(ui, rect, ui.px(size::radius_field));
  return mouse.hovered;
}

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
  return text_width(ui, Type::mono11, shape) <= width ? shape : without_blanks(shape);
}

void draw_card_ground(Ui& ui, StripState& strip, const PipelineCard& card, const Rect& rect, bool hovered) {
  const float radius = ui.px(size::radius_field);
  const bool selected = card.has(strip.selection.stage);
  const bool feeding =
      std::any_of(strip.feeding.begin(), strip.feeding.end(), [&](StageId id) { return card.has(id); });
  fill(rect, selected ? ui.colors.tint : hovered ? ui.colors.hover : ui.colors.raised, radius);
  if (selected) {
    outline(ui, rect, ui.colors.accent, 2, radius);
  } else if (feeding) {
    outline(ui, rect, ui.colors.text2, 1.5f, radius);
  }
}

void draw_single(Ui& ui, StripState& strip, const PipelineCard& card, const Rect& rect) {
  const Stage& stage = *strip.data.trace().find(card.stages.front());
  draw_card_ground(ui, strip, card, rect, ui.state.hovered == probe_name(stage.id));
  const bool hovered = stage_input(ui, strip, stage.id, rect);
  (void)hovered;
  const float left = rect.min.x + ui.px(8);
  const float right = rect.max.x - ui.px(6);
  const auto line = [&](float center) {
    return Rect{{left, rect.min.y + ui.px(center) - ui.px(8)}, {right, rect.min.y + ui.px(center) + ui.px(8)}};
  };
  text_in(ui, line(12), Type::words11, ui.colors.text2, stage.operation);
  text_in(ui, line(27), Type::mono_bold12, name_color(ui, card, stage), stage_name(stage.id));
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
  if (operation_width > ui.px(16)) {
    text_in(ui, {top.min, {left + operation_width, top.max.y}}, Type::words11, ui.colors.text2, operation);
  }
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
    } else if (ui.state.hovered == probe_name(id)) {
      fill(line, ui.colors.hover, ui.px(size::radius_inner));
    }
    stage_input(ui, strip, id, line);
    text_in(ui, {{left, y}, {left + name_width + 1, y + ui.px(15)}}, Type::mono_bold12,
            name_color(ui, card, *trace.find(id)), stage_name(id));
    const float rest = left + name_width + ui.px(8);
    if (same_shape) {
      draw_strip_picture(ui, strip, id, {{rest, y + ui.px(2)}, {right, y + ui.px(13)}});
    } else if (right - rest > ui.px(20)) {
      text_in(ui, {{rest, y}, {right, y + ui.px(15)}}, Type::mono11, ui.colors.text2,
              fitting(ui, to_string(trace.tensor(id).shape()), right - rest), 1);
    }
  }
}

// 40 px form: names only; "q k v" for the three.
void draw_names(Ui& ui, StripState& strip, const PipelineCard& card, const Rect& rect) {
  const Trace& trace = strip.data.trace();
  draw_card_ground(ui, strip, card, rect, ui.state.hovered == probe_name(card.stages.front()));
  const bool letters = card.has(StageId::query) && card.stages.size() == 3;
  const auto parts = static_cast<float>(card.stages.size());
  for (std::size_t i = 0; i < card.stages.size(); ++i) {
    const Stage& stage = *trace.find(card.stages[i]);
    const float from = rect.min.x + std::round(rect.width() * static_cast<float>(i) / parts);
    const float to = rect.min.x + std::round(rect.width() * static_cast<float>(i + 1) / parts);
    const Rect part{{from, rect.min.y}, {to, rect.max.y}};
    stage_input(ui, strip, stage.id, part);
    if (letters) {
      const bool selected = stage.id == strip.selection.stage;
      text_in(ui, part, Type::mono11, selected ? ui.colors.text : name_color(ui, card, stage),
              stage_name(stage.id).substr(0, 1), 0.5f);
    }
  }
  if (letters) return;
  const bool inside = card.has(strip.selection.stage);
  const Stage& shown = *trace.find(inside ? strip.selection.stage : card.stages.front());
  text_in(ui, inset(rect, ui.px(4)), Type::mono11, shown.equals_previous ? ui.colors.text3 : ui.colors.text,
          stage_name(shown.id), 0.5f);
}

void draw_arrow(Ui& ui, float center_x, float center_y) {
  const float half = 3.5f * ui.scale;
  canvas().AddTriangleFilled({center_x - ui.px(2), center_y - half}, {center_x - ui.px(2), center_y + half},
                             {center_x + ui.px(3), center_y}, color32(ui.colors.text3));
}

float wanted_width(Ui& ui, const Trace& trace, const PipelineCard& card, bool names_only, bool least) {
  float names = 0;
  float shapes = 0;
  for (const StageId id : card.stages) {
    const Stage& stage = *trace.find(id);
    const std::string shape = shape_or_equal(trace, stage);
    names = std::max(names, text_width(ui, names_only ? Type::mono11 : Type::mono_bold12, stage_name(id)));
    shapes = std::max(shapes, text_width(ui, Type::mono11, least ? without_blanks(shape) : shape));
  }
  if (names_only) return card.has(StageId::query) ? ui.px(60) : names + ui.px(16);
  if (card.stages.size() == 1) {
    const float both = std::ceil(std::max(names, shapes)) + ui.px(15);
    return least ? both : std::max(ui.px(108), both);
  }
  return std::ceil(names + ui.px(8) + (least ? shapes : std::max(shapes, ui.px(76))) + ui.px(18));
}

// Keeps the selected card in sight when it changed; the wheel scrolls.
float scroll_offset(Ui& ui, const Rect& area, const CardLayout& layout, std::size_t selected) {
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

}  // namespace

void draw_pipeline_strip(Ui& ui, const Rect& area) {
  PanelData* data = panel_data(ui);
  if (data == nullptr || data->trace().stages.empty()) return;
  const Trace& trace = data->trace();
  StripState strip{*data, selection_of(ui.session.view, trace), {}, area.height() < ui.px(size::pipeline)};
  OnScreen& on_screen = ui.state.panels.get<ShellState>().on_screen;
  on_screen.pipeline = !strip.names_only;
  on_screen.pipeline_names = strip.names_only;
  strip.feeding = linked_stages(ui, *data);
  if (!ui.state.hover.cell) {
    for (const StageId stage : feeding_stages(trace, strip.selection.stage)) strip.feeding.push_back(stage);
  }

  const std::vector<PipelineCard> cards = pipeline_cards(trace);
  std::vector<float> wanted;
  std::vector<float> least;
  std::size_t selected = 0;
  const Rect inner{{area.min.x + ui.px(size::panel_padding), area.min.y},
                   {area.max.x - ui.px(size::panel_padding), area.max.y}};
  for (std::size_t i = 0; i < cards.size(); ++i) {
    least.push_back(wanted_width(ui, trace, cards[i], strip.names_only, true));
    wanted.push_back(wanted_width(ui, trace, cards[i], strip.names_only, false));
    if (cards[i].has(strip.selection.stage)) selected = i;
  }
  if (strip.names_only) {
    const auto count = static_cast<float>(cards.size());
    const float even = std::floor((inner.width() - (count - 1) * ui.px(14)) / count);
    for (std::size_t i = 0; i < cards.size(); ++i) wanted[i] = std::max(least[i], even);
  }
  const CardLayout layout = strip.names_only
                                ? card_layout(wanted, least, ui.px(14), ui.px(10), inner.width(), 0)
                                : card_layout(wanted, least, ui.px(20), ui.px(12), inner.width(), ui.px(60));
  const float offset = scroll_offset(ui, inner, layout, selected);
  const bool scrolls = layout.content > inner.width() + 0.5f;

  const Rect clip = scrolls ? inner : area;
  canvas().PushClipRect({clip.min.x - ui.px(4), clip.min.y}, {clip.max.x + ui.px(4), clip.max.y}, true);
  const float top = area.min.y + ui.px(5);
  const float height = strip.names_only ? ui.px(24) : ui.px(72);
  for (std::size_t i = 0; i < cards.size(); ++i) {
    const float x = inner.min.x + layout.x[i] - offset;
    const Rect rect{{x, top}, {x + layout.width[i], top + height}};
    if (rect.max.x < clip.min.x || rect.min.x > clip.max.x) continue;
    if (i + 1 < cards.size()) draw_arrow(ui, std::round(rect.max.x + layout.gap / 2), rect.center().y);
    if (strip.names_only) {
      draw_names(ui, strip, cards[i], rect);
    } else if (cards[i].stages.size() == 1) {
      draw_single(ui, strip, cards[i], rect);
    } else {
      draw_group(ui, strip, cards[i], rect);
    }
  }
  canvas().PopClipRect();
  if (scrolls) {
    const float share = inner.width() / layout.content;
    const float y = area.max.y - ui.px(5);
    const float from = inner.min.x + offset * share;
    fill({{from, y}, {from + inner.width() * share, y + ui.px(3)}}, ui.colors.edge, ui.px(1));
  }
}

}  // namespace headscope::ui
