#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/ui/heads/head_menu.h"
#include "app/ui/heads/heads_header.h"
#include "app/ui/heads/heads_layout.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/map/cell_highlight.h"
#include "app/ui/map/heatmap_view.h"
#include "app/ui/map/map_colors.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/panel_data.h"
#include "app/ui/panels.h"
#include "app/ui/request/head_changes.h"
#include "app/ui/request/number_edit.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kGutter = 62, kLabel = 22, kLegend = 46;

struct Grid {
  PanelData& data;
  Selection selection;
  HeadsLayout layout;
  Rect area;  // of the pictures, without gutter and legend
  std::int64_t rows = 0, columns = 0;
  bool large = false;  // drawn from tiles

  CellGrid cells_at(ImVec2 at) const {
    return large ? fitted_map({at, layout.width, layout.height}, rows, columns, true)
                 : fitted_square(at, layout.width, layout.height, rows, columns);
  }
};

std::string head_name(std::int64_t head) {
  return fmt::format("heads/{}", head);
}

HeatmapView view_of(Ui& ui, Grid& grid, std::int64_t head, ImVec2 at) {
  const StageId quantity = grid.selection.quantity;
  const std::int64_t batch = grid.selection.batch;
  HeatmapView view;
  view.grid = grid.cells_at(at);
  view.matrix = grid.data.matrix(quantity, batch, head);
  view.mask = grid.data.mask(quantity);
  view.batch = batch;
  view.head = head;
  view.weight_like = is_weight_like(quantity);
  view.map = color_map_of(ui, view.weight_like);
  view.range = grid.data.range(ui.session.view, quantity, batch, head);
  if (grid.large) {
    view.large = LargeMap{grid.data.map_key(quantity, batch, head),
                          grid.data.map_source(quantity, batch, head),
                          ui.session.view.pooling,
                          nullptr,
                          nullptr,
                          "",
                          false};
    // The inspector's comes first, then the selected head's.
    look_at_map(ui, *view.large, view.grid, view.grid, head == grid.selection.head ? 2 : 3);
  } else if (view.range.per_row)
    view.row_scale = &grid.data.row_scale(quantity, batch, head, view.map, view.range.log_scale);
  view.small_numbers = true;
  return view;
}

LayerHead place_of_head(const Ui& ui, std::int64_t head) {
  return {shown_layer(ui), head};
}

// What is said of a head that does not do what it learned.
std::optional<std::string> changed_words(const Ui& ui, const LayerHead& place) {
  if (is_off(ui, place)) return "off: context = 0";
  const auto held = held_as(ui, place);
  if (!held) return std::nullopt;
  return *held == FrozenHead::As::uniform ? "held uniform" : "held identity";
}

void choose_head(Ui& ui, Grid& grid, std::int64_t head) {
  ui.session.view.head = head;
  // The inspector shows what was clicked.
  select_stage(ui.session.view, grid.selection.quantity);
}

// The line above a thumbnail: square, number, pattern and its score; entropy at the right.
void draw_label(Ui& ui, Grid& grid, std::int64_t head, const Rect& line) {
  const bool selected = head == grid.selection.head;
  const HeadSummary* summary = grid.data.summary(grid.selection.batch, head);
  const std::string tip = std::string(summary != nullptr ? pattern_formula(summary->pattern) : "") +
                          " At the right: entropy, the mean over rows of −Σ w · log₂ w, in bits. " + kHeadMenuHint;
  const Interaction mouse = interact_mouse(ui, head_name(head) + "/label", line, {true, false, tip.c_str()}, false);
  if (mouse.clicked) choose_head(ui, grid, head);
  if (mouse.right_clicked) open_head_menu(ui, place_of_head(ui, head));
  const float side = ui.px(10);
  const float top = std::round(line.center().y - side / 2);
  fill({{line.min.x, top}, {line.min.x + side, top + side}}, head_color(head));
  const std::string number = fmt::format("{}", head);
  const float number_width = text_width(ui, Type::mono_bold12, number);
  Rect rest{{line.min.x + ui.px(16), line.min.y}, line.max};
  text_in(ui, rest, Type::mono_bold12, ui.colors.text, number);
  rest.min.x += number_width + ui.px(7);
  const bool asked_for = grid.data.is_large(StageId::weights);  // read only when the user asks
  const std::string entropy = summary != nullptr ? number_label(summary->entropy_bits, 2) : asked_for ? "" : "…";
  const float entropy_width = text_width(ui, Type::mono11, entropy);
  if (rest.width() > entropy_width) {
    text_in(ui, rest, Type::mono11, ui.colors.text2, entropy, 1);
    rest.max.x -= entropy_width + ui.px(6);
  }
  if (rest.width() > ui.px(16)) {
    text_in(ui, rest, selected ? Type::title12 : Type::words12, selected ? ui.colors.text : ui.colors.text2,
            changed_words(ui, place_of_head(ui, head)).value_or(grid.data.summary_text(grid.selection.batch, head)));
  }
}

// The part that the inspector shows of this head when it is zoomed in.
void draw_seen_part(Ui& ui, const Grid& grid, const HeatmapView& view) {
  const Viewport& seen = ui.session.view.viewport;
  if (seen.fitted() || grid.selection.stage != grid.selection.quantity) return;
  const auto at = [&](double row, double column) {
    const auto inside = [](double value, float extent) {
      return static_cast<float>(std::clamp(std::round(value), 0.0, static_cast<double>(extent)));
    };
    return ImVec2{view.grid.area.min.x + inside(column * view.grid.cell_width, view.grid.area.width()),
                  view.grid.area.min.y + inside(row * view.grid.cell_height, view.grid.area.height())};
  };
  const Rect part{at(seen.row0, seen.column0), at(seen.row0 + seen.rows, seen.column0 + seen.columns)};
  if (part.width() < 2 || part.height() < 2) return;
  outline(ui, inset(part, -ui.px(1)), Rgba{0, 0, 0, 255}, 1);
  outline(ui, part, Rgba{255, 255, 255, 255}, 1);
}

void draw_frames(Ui& ui, Grid& grid, std::int64_t head, const HeatmapView& view) {
  const bool selected = head == grid.selection.head;
  const Hover& hover = ui.state.hover;
  const bool linked = hover.query >= 0 && hover.key >= 0 && hover.query < grid.rows && hover.key < grid.columns;
  if (linked && view.grid.cell_width >= 6) {
    draw_link_ring(ui, view.grid.cell_rect(hover.query, hover.key));
  } else {
    draw_linked(ui, grid.data, grid.selection.quantity, grid.selection.batch, head, view.grid);
  }
  if (selected) {
    draw_seen_part(ui, grid, view);
    if (grid.selection.cell && is_score_like(grid.selection.stage)) {
      draw_pick_frame(ui, view.grid.cell_rect(grid.selection.cell->row, grid.selection.cell->column), view.grid.area);
    }
    outline(ui, inset(view.grid.area, -ui.px(4)), ui.colors.accent, 2, ui.px(4));
  }
  if (is_off(ui, place_of_head(ui, head))) {
    const Rect frame = view.grid.area;
    outline(ui, frame, ui.colors.bad, 2);
    canvas().AddLine(frame.min, frame.max, color32(ui.colors.bad), ui.px(2));
    canvas().AddLine({frame.min.x, frame.max.y}, {frame.max.x, frame.min.y}, color32(ui.colors.bad), ui.px(2));
  }
}

// Arrows walk through the heads, Enter goes on to the large picture, X switches the head off and on.
void read_keys(Ui& ui, Grid& grid) {
  const std::int64_t heads = grid.data.trace().num_heads();
  std::int64_t next = grid.selection.head;
  if (const std::optional<Cell> step = take_arrow(ui)) {
    const std::int64_t moved = next + step->column + step->row * grid.layout.columns;
    if (moved >= 0 && moved < heads) next = moved;
  } else if (ui.take_key(KeyName::home)) {
    next = 0;
  } else if (ui.take_key(KeyName::end)) {
    next = heads - 1;
  } else if (ui.take_key(KeyName::enter)) {
    choose_head(ui, grid, next);
    ui.state.focus = "inspector/picture";
  } else if (ui.take_key(KeyName::x)) {
    switch_head(ui, place_of_head(ui, next));
  }
  if (next != grid.selection.head) {
    choose_head(ui, grid, next);
    ui.state.focus = head_name(next);
  }
}

void draw_thumbnail(Ui& ui, Grid& grid, std::int64_t head, ImVec2 at) {
  const HeatmapView view = view_of(ui, grid, head, at);
  // A narrow thumbnail's label may use the gap beside it.
  const float beside = grid.layout.width < ui.px(150) ? std::max(0.0f, grid.layout.gap - ui.px(12)) : 0;
  const float label = std::min({grid.layout.width + beside, std::max(grid.layout.width, ui.px(190)),
                                std::max(grid.layout.width, grid.area.max.x - at.x)});
  draw_label(ui, grid, head, {{at.x, at.y - ui.px(kLabel)}, {at.x + label, at.y}});
  const bool selected = head == grid.selection.head;
  const Interaction mouse = interact_mouse(ui, head_name(head), view.grid.area, {}, selected);
  if (selected) answer_head_menu(ui, place_of_head(ui, head), view.grid.area);
  draw_heatmap_view(ui, view);
  if (mouse.hovered) {
    if (const std::optional<Cell> cell = shown_cell(ui, view, ImGui::GetIO().MousePos)) {
      ui.state.next_hover.query = cell->row;
      ui.state.next_hover.key = cell->column;
      ui.state.next_hover.head = head;
      ui.state.next_hover.cell =
          place_of(grid.data.trace(), grid.selection.quantity, grid.selection.batch, head, *cell);
      if (mouse.clicked) {
        choose_head(ui, grid, head);
        ui.session.view.cell = cell;
        ui.state.focus = head_name(head);
      }
    }
    const std::optional<Cell> edited = mouse.double_clicked ? ui.session.view.cell : std::nullopt;
    if (edited && view.grid.cell_width >= 4 && edited->row < grid.rows && edited->column < grid.columns) {
      edit_cell(ui, grid.data.trace(), grid.selection.quantity, grid.selection.batch, head, *edited,
                view.grid.cell_rect(edited->row, edited->column));
    }
    if (mouse.right_clicked) open_head_menu(ui, place_of_head(ui, head));
  }
  draw_edited_corners(ui, grid.data.trace(), grid.selection.quantity, grid.selection.batch, head, view.grid);
  draw_frames(ui, grid, head, view);
  if (mouse.focused && selected) {
    if (ui.state.focus_by_keyboard) focus_ring(ui, inset(view.grid.area, -ui.px(4)), ui.px(6));
    read_keys(ui, grid);
  }
}

// What a pixel of the selected head's map holds, and how many maps are still being computed.
std::string large_sentence(Ui& ui, Grid& grid) {
  const HeatmapView view = view_of(ui, grid, grid.selection.head, {0, 0});
  return map_sentence(*view.large, view.grid);
}

void draw_legend(Ui& ui, Grid& grid, const Rect& area) {
  const ViewState& view = ui.session.view;
  const StageId quantity = grid.selection.quantity;
  const bool weight_like = is_weight_like(quantity);
  ValueRange range = grid.data.range(view, quantity, grid.selection.batch, grid.selection.head);
  const float bar_width =
      std::clamp(grid.layout.width, ui.px(192), std::max(ui.px(192), std::min(ui.px(320), area.width() / 2)));
  const Rect bar{{area.min.x, area.min.y + ui.px(8)}, {area.min.x + bar_width, area.min.y + ui.px(18)}};
  ui.mark("heads/color_bar", bar);
  if (range.per_row) {
    // The numbers differ from row to row: the bar says so instead of naming any.
    color_bar(ui, bar, color_map_of(ui, weight_like), {0, 1, false, false}, true);
    const Rect cover{{bar.min.x, bar.max.y}, {bar.max.x, area.max.y}};
    fill(cover, ui.colors.panel);
    const bool both_signs = is_diverging(color_map_of(ui, weight_like));
    const Rect line{cover.min, {cover.max.x, cover.min.y + ui.px(18)}};
    text_in(ui, line, Type::words11, ui.colors.text2, both_signs ? "− row's largest" : "row's least");
    text_in(ui, line, Type::words11, ui.colors.text2, both_signs ? "+ row's largest" : "largest", 1);
  } else {
    color_bar(ui, bar, color_map_of(ui, weight_like), range, true);
  }

  Rect words{{bar.max.x + std::max(ui.px(9), grid.layout.gap > ui.px(40) ? ui.px(16) : grid.layout.gap),
              area.min.y + ui.px(4)},
             area.max};
  std::string noun = weight_like ? "weight" : std::string(stage_name(quantity));
  if (quantity == StageId::dropped_weights) noun = "weight after dropout";
  std::string sentence = noun + ", " + range_sentence(view);
  if (view.range_per_head && !view.range_fixed && !range.per_row)
    sentence += fmt::format("; the bar is head {}'s", grid.selection.head);
  const Rect first{words.min, {words.max.x, words.min.y + ui.px(18)}};
  draw_legend_words(ui, first, sentence + ".");
  const Rect second{{words.min.x, first.max.y}, {words.max.x, first.max.y + ui.px(16)}};
  const std::string hidden = fully_masked_sentence(grid.data.trace());
  const std::string holds = grid.large ? large_sentence(ui, grid)
                                       : pixel_holds(grid.rows, grid.columns, grid.layout.width, grid.layout.height,
                                                     weight_like ? "weights" : "scores, by size");
  if (!hidden.empty()) {
    draw_icon(ui, Icon::warning, {second.min.x + ui.px(6), std::round(second.center().y)}, ui.px(12), ui.colors.warn);
    text_in(ui, {{second.min.x + ui.px(16), second.min.y}, second.max}, Type::words11, ui.colors.text2, hidden);
    ui.mark("heads/hidden_rows", second);
  } else if (!holds.empty()) {
    text_in(ui, second, Type::words11, ui.colors.text3, holds);
    ui.mark("heads/pixel_holds", second);
  } else {
    text_in(ui, second, Type::words11, ui.colors.text3,
            "Label: pattern and its mean weight, else the strongest link. Right: mean row entropy in bits.");
  }
}

// Scrolls to the selected head when it changed, by whatever control.
void follow_selection(Ui& ui, const Grid& grid) {
  double& followed = ui.state.number["heads/followed"];
  const auto now = static_cast<double>(grid.selection.head) + 1;
  if (followed == now) return;
  followed = now;
  if (!grid.layout.scrolls) return;
  double& offset = ui.state.number["heads/scroll"];
  const float top = static_cast<float>(grid.selection.head / grid.layout.columns) * grid.layout.row_pitch;
  const float bottom = top + grid.layout.row_pitch;
  offset = std::min(static_cast<double>(top), std::max(offset, static_cast<double>(bottom - grid.area.height())));
  ui.state.wants_frame = true;
}

}  // namespace

void draw_heads_panel(Ui& ui, const Rect& area) {
  ui.mark("heads", area);
  PanelData* data = panel_data(ui);
  if (data == nullptr || data->trace().find(StageId::weights) == nullptr) return;
  const Trace& trace = data->trace();
  Grid grid{*data, selection_of(ui.session.view, trace), {}, {}, 0, 0};
  draw_heads_header(ui, {area.min, {area.max.x, area.min.y + ui.px(size::panel_header)}}, *data, grid.selection);

  const Tensor& first = data->matrix(grid.selection.quantity, grid.selection.batch, 0);
  grid.rows = first.dim(0);
  grid.columns = first.dim(1);
  grid.large = data->is_large(grid.selection.quantity);
  const float left = area.min.x + ui.px(size::panel_padding) + ui.px(kGutter);
  grid.area = {{left, area.min.y + ui.px(size::panel_header)},
               {area.max.x - ui.px(size::panel_padding), area.max.y - ui.px(kLegend)}};
  if (grid.area.width() < ui.px(40) || grid.area.height() < ui.px(40)) return;
  grid.layout =
      heads_layout(grid.area.width(), grid.area.height(), trace.num_heads(), grid.rows, grid.columns, ui.scale);

  follow_selection(ui, grid);
  const Rect scrolled{{area.min.x, grid.area.min.y}, {area.max.x, grid.area.max.y + ui.px(4)}};
  const float content = grid.layout.scrolls ? grid.layout.content_height + ui.px(8) : 0;
  const ScrollArea scroll = begin_scroll(ui, "heads", scrolled, content);
  const std::int64_t marked = ui.state.hover.query >= 0 ? ui.state.hover.query
                              : grid.selection.cell     ? grid.selection.cell->row
                                                        : -1;
  for (std::int64_t head = 0; head < trace.num_heads(); ++head) {
    const ImVec2 place = grid.layout.position(head, ui.px(kLabel));
    const ImVec2 at{grid.area.min.x + place.x, grid.area.min.y + place.y - scroll.offset};
    if (at.y + grid.layout.height < scrolled.min.y || at.y - ui.px(kLabel) > scrolled.max.y) {
      // Out of sight, but the selected one keeps its place in the Tab order.
      if (head == grid.selection.head &&
          interact_mouse(ui, head_name(head), {at, {at.x + grid.layout.width, at.y + grid.layout.height}}).focused) {
        read_keys(ui, grid);
      }
      continue;
    }
    draw_thumbnail(ui, grid, head, at);
    if (head % grid.layout.columns == 0) {
      const CellGrid cells = grid.cells_at(at);
      draw_row_labels(ui, {{area.min.x + ui.px(4), at.y}, {left - ui.px(8), at.y + grid.layout.height}}, cells,
                      data->rows(grid.selection.quantity), marked, ui.colors.query);
    }
  }
  end_scroll(ui);
  draw_legend(ui, grid,
              {{left, std::min(grid.area.max.y, grid.area.min.y + grid.layout.content_height)},
               {area.max.x - ui.px(size::panel_padding), area.max.y}});
  ask_for_rest(ui);
}

}  // namespace headscope::ui
