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

struct InspectorState {
  float explained_height = 0;  // of 'Where this number comes from', as it was drawn last
};

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
  if (ui.session.view.heads_show == HeadsShow::one) {
    // The picture lies in the heads' place.
    choose_linked(ui, inspected);
    draw_body(ui, inspected, area);
    return ask_for_rest(ui);
  }
  draw_inspector_header(ui, inspected, {area.min, {area.max.x, area.min.y + ui.px(size::panel_header)}});
  Rect rest{{area.min.x, area.min.y + ui.px(size::panel_header)}, area.max};
  if (has_slice_steppers(inspected)) {
    draw_slice_steppers(ui, inspected,
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
