#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/session/session.h"
#include "app/ui/inspector/cell_finder.h"
#include "app/ui/inspector/inspector_parts.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/panels.h"
#include "app/ui/shell_state.h"
#include "app/ui/widgets/collapse.h"
#include "app/ui/widgets/widgets.h"
#include "core/explain/explain.h"

namespace headscope::ui {
namespace {

// From this width on the picture has the numbers beside it instead of below.
constexpr float kBesideFrom = 860, kColumn = 436;

constexpr const char* kExplainTitle = "Where this number comes from";
constexpr const char* kExpandTip = "The inspector takes the place of the heads.";
constexpr const char* kShrinkTip = "Brings the heads back (Esc).";
constexpr const char* kCopyTip = "Copy this matrix: rows of numbers with tabs between, for a spreadsheet or numpy.";

struct InspectorState {
  float explained_height = 0;  // of 'Where this number comes from', as it was drawn last
};

std::string title_of(const Inspected& inspected) {
  const bool per_head = inspected.data.trace().tensor(inspected.stage).rank() == 4;
  if (!per_head) return std::string(stage_name(inspected.stage));
  return fmt::format(
      "Head {}", inspected.slices == inspected.data.trace().num_heads() ? inspected.slice : inspected.selection.head);
}

std::string fact_of(const Inspected& inspected) {
  const Trace& trace = inspected.data.trace();
  const Tensor& tensor = trace.tensor(inspected.stage);
  const std::string demand =
      inspected.data.is_large(inspected.stage) && !tensor.stored() ? " · computed on demand" : "";
  if (tensor.rank() != 4) return to_string(tensor.shape()) + demand;
  const std::string name(stage_name(inspected.stage));
  if (inspected.score_like) {
    const HeadSummary* summary = inspected.data.summary(inspected.batch, inspected.slice);
    if (summary == nullptr) return name + demand;
    const double entropy = summary->entropy_bits;
    return name + " · entropy " + (std::isnan(entropy) ? "nan" : number_label(entropy, 2) + " bit");
  }
  if (inspected.slices != trace.num_heads()) return fmt::format("{} · kv head {}", name, inspected.slice);
  return name + " " + to_string(tensor.shape()) + demand;
}

void draw_header(Ui& ui, const Inspected& inspected, const Rect& area) {
  const bool per_head = inspected.data.trace().tensor(inspected.stage).rank() == 4;
  Rect all = area;
  Rect buttons = take_right(all, ui.px(size::panel_padding) + 2 * ui.px(28) + ui.px(kCollapseWidth), 0);
  buttons.max.x -= ui.px(size::panel_padding) - ui.px(4);
  collapse_button(ui, buttons, "inspector/close", Icon::chevron_right,
                  "Closes the inspector; F4 or its rail opens it again.", CommandId::toggle_inspector);
  panel_header(ui, all, title_of(inspected), fact_of(inspected),
               per_head ? static_cast<int>(inspected.selection.head) : -1, !per_head);
  const float y = std::round(area.min.y + (ui.px(size::panel_header) - ui.px(24)) / 2);
  bool& expanded = ui.state.panels.get<ShellState>().inspector_expanded;
  const Rect expand{{buttons.min.x, y}, {buttons.min.x + ui.px(26), y + ui.px(24)}};
  const Rect copy{{expand.max.x + ui.px(4), y}, {expand.max.x + ui.px(30), y + ui.px(24)}};
  if (icon_button(ui, "inspector/expand", expand, expanded ? Icon::close : Icon::expand,
                  {true, false, expanded ? kShrinkTip : kExpandTip})) {
    expanded = !expanded;
  }
  if (icon_button(ui, "inspector/copy", copy, Icon::copy, {true, false, kCopyTip})) copy_matrix(ui, inspected);
}

bool needs_steppers(const Inspected& inspected) {
  const Trace& trace = inspected.data.trace();
  return trace.inputs->batch > 1 || (!inspected.score_like && trace.tensor(inspected.stage).rank() == 4);
}

// Batch and head of the slice.
void draw_steppers(Ui& ui, const Inspected& inspected, const Rect& line) {
  ViewState& view = ui.session.view;
  const Trace& trace = inspected.data.trace();
  Rect rest = line;
  const auto labelled = [&](const char* label, const char* name, std::int64_t shown, std::int64_t count,
                            const char* tip) -> std::optional<std::int64_t> {
    const float width = std::ceil(text_width(ui, Type::mono12, label));
    text_in(ui, take_left(rest, width, ui.px(8)), Type::mono12, ui.colors.text2, label);
    const Rect field = take_left(rest, ui.px(92), ui.px(16));
    std::int64_t value = shown;
    if (!index_stepper(ui, name, field, value, count, {true, false, tip})) return std::nullopt;
    return value;
  };
  if (trace.inputs->batch > 1) {
    const auto batch = labelled("batch", "inspector/batch", inspected.batch, trace.inputs->batch,
                                "Which sequence of the batch: the first index of every stage.");
    if (batch) view.batch = *batch;
  }
  if (trace.tensor(inspected.stage).rank() == 4) {
    const auto head = labelled("head", "inspector/head", inspected.selection.head, trace.num_heads(),
                               "Which head. With grouped heads, key and value show the kv head that it uses.");
    if (head) view.head = *head;
  }
}

// The parts below the picture, in one scrolling column.
void draw_body(Ui& ui, Inspected& inspected, const Rect& area) {
  float& where = ui.state.panels.get<InspectorState>().explained_height;
  const float statistics = statistics_height(ui, inspected);
  const float numbers = numbers_height(ui, inspected);
  const float bottom = ui.px(10);
  const float left = area.min.x + ui.px(size::panel_padding);
  const float right = area.max.x - ui.px(size::panel_padding);
  const float cost = cost_height(ui, inspected, right - left);
  const ScrollArea scroll = begin_scroll(ui, "inspector", area, where + statistics + cost + numbers + bottom);
  float y = area.min.y - scroll.offset;
  const auto section = [&](float height, bool line_above) {
    const Rect rect{{left, y}, {right, y + height}};
    if (line_above && y > area.min.y) horizontal_line(ui, area.min.x, area.max.x, y, ui.colors.line);
    y += height;
    return rect;
  };
  const auto in_sight = [&](const Rect& rect) { return rect.max.y > area.min.y && rect.min.y < area.max.y; };
  const Rect explained{{left, y}, {right, area.max.y}};
  const float needed =
      std::ceil(draw_explanation(ui, inspected.data, explained_of(inspected), explained, area, kExplainTitle));
  if (needed != where) ui.state.wants_frame = true;
  where = needed;
  section(needed, false);
  const Rect rect = section(statistics, true);
  if (in_sight(rect)) draw_statistics(ui, inspected, rect);
  const Rect of_cost = section(cost, cost > 0);
  if (cost > 0 && in_sight(of_cost)) draw_cost(ui, inspected, of_cost);
  draw_numbers_table(ui, inspected, section(numbers, true), area);
  end_scroll(ui);
}

}  // namespace

Inspected inspected_of(Ui& ui, PanelData& data) {
  const Trace& trace = data.trace();
  const Selection selection = selection_of(ui.session.view, trace);
  const StageId stage = selection.stage;
  Inspected inspected{data,
                      selection,
                      stage,
                      selection.batch,
                      slice_of_head(trace, stage, selection.head),
                      slice_count(trace, stage),
                      {},
                      is_score_like(stage),
                      is_weight_like(stage),
                      data.rows(stage),
                      data.columns(stage),
                      ColorMap::viridis,
                      {},
                      std::nullopt,
                      false};
  inspected.matrix = data.matrix(stage, inspected.batch, inspected.slice);
  inspected.map = color_map_of(ui, inspected.weight_like);
  inspected.range = data.range(ui.session.view, stage, inspected.batch, inspected.slice);
  inspected.shown = selection.cell;
  if (!inspected.shown && inspected.score_like) {
    const HeadSummary* summary = data.summary(inspected.batch, inspected.slice);
    if (summary != nullptr && summary->query >= 0 && summary->key >= 0) {
      inspected.shown = Cell{summary->query, summary->key};
      inspected.is_strongest = true;
    }
  }
  return inspected;
}

std::optional<Explained> explained_of(const Inspected& inspected) {
  const std::optional<Cell>& cell =
      inspected.data.is_large(inspected.stage) ? inspected.selection.cell : inspected.shown;
  if (!cell) return std::nullopt;
  return Explained{place_of(inspected.data.trace(), inspected.stage, inspected.batch, inspected.slice, *cell),
                   inspected.is_strongest};
}

Rect section_title(Ui& ui, const Rect& line, const std::string& title, const std::string& fact) {
  Rect rest = line;
  const float width = std::ceil(text_width(ui, Type::title12, title));
  text_in(ui, {rest.min, {std::min(rest.max.x, rest.min.x + width + 1), rest.max.y}}, Type::title12, ui.colors.text,
          title);
  rest.min.x += width + ui.px(8);
  if (!fact.empty() && rest.width() > ui.px(24)) {
    const float fact_width = std::min(rest.width(), std::ceil(text_width(ui, Type::mono11, fact)) + 1);
    text_in(ui, {rest.min, {rest.min.x + fact_width, rest.max.y}}, Type::mono11, ui.colors.text2, fact);
    rest.min.x += fact_width + ui.px(8);
  }
  return rest;
}

std::string cell_address(const Inspected& inspected, Cell cell) {
  const CellPlace place = place_of(inspected.data.trace(), inspected.stage, inspected.batch, inspected.slice, cell);
  return cell_name(stage_name(place.stage), place.index);
}

void copy_matrix(Ui& ui, const Inspected& inspected) {
  const bool costly = !inspected.matrix.stored() && inspected.data.is_large(inspected.stage);
  if (inspected.matrix.size() <= kMostCopiedNumbers && !costly) {
    ui.push(CommandId::copy_matrix);
    return;
  }
  Notice notice;
  notice.key = "layer/copy_matrix";
  notice.kind = Notice::Kind::warn;
  notice.fact = to_string(inspected.matrix.shape()) + " is too large for the clipboard.";
  notice.advice = "Export it to a file instead: Ctrl+E.";
  put_notice(ui.state, std::move(notice));
}

void draw_inspector(Ui& ui, const Rect& area) {
  ui.mark("inspector", area);
  PanelData* data = panel_data(ui);
  if (data == nullptr || data->trace().stages.empty()) return;
  Inspected inspected = inspected_of(ui, *data);
  if (inspected.matrix.dim(0) == 0 || inspected.matrix.dim(1) == 0) return;
  draw_header(ui, inspected, {area.min, {area.max.x, area.min.y + ui.px(size::panel_header)}});
  Rect rest{{area.min.x, area.min.y + ui.px(size::panel_header)}, area.max};
  if (needs_steppers(inspected)) {
    draw_steppers(ui, inspected,
                  {{rest.min.x + ui.px(size::panel_padding), rest.min.y + ui.px(2)},
                   {rest.max.x - ui.px(size::panel_padding), rest.min.y + ui.px(26)}});
    rest.min.y += ui.px(size::row_height);
  }
  if (ui.state.panels.get<CellFinder>().open) {
    draw_cell_finder(ui, inspected,
                     {{rest.min.x + ui.px(size::panel_padding), rest.min.y + ui.px(2)},
                      {rest.max.x - ui.px(size::panel_padding), rest.min.y + ui.px(26)}});
    inspected.selection.cell = ui.session.view.cell;
    rest.min.y += ui.px(size::row_height);
  }
  if (area.width() >= ui.px(kBesideFrom)) {
    // Wide: the picture takes the height, everything else a column at its right.
    const float split = area.max.x - ui.px(kColumn);
    draw_inspector_picture(ui, inspected, {rest.min, {split, rest.max.y}}, ui.px(64));
    vertical_line(ui, split, rest.min.y, rest.max.y, ui.colors.line);
    draw_body(ui, inspected, {{split + ui.px(1), rest.min.y}, area.max});
    ask_for_rest(ui);
    return;
  }
  // What lies below the picture: the explanation and, where there is room, what follows it.
  const float least = ui.px(108);  // twelve tokens keep their numbers in a window of 1280 x 800
  const float body = area.height() >= ui.px(690) ? ui.px(306) : least;
  const float y = draw_inspector_picture(ui, inspected, rest, body);
  if (area.max.y - y < ui.px(24)) return;
  horizontal_line(ui, area.min.x, area.max.x, y, ui.colors.line);
  draw_body(ui, inspected, {{area.min.x, y + ui.px(1)}, area.max});
  ask_for_rest(ui);
}

}  // namespace headscope::ui
