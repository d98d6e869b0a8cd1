// The grid of heads: where it lies, the legend below it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/ui/heads/head_thumbnail.h"
#include "app/ui/heads/heads_header.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/map/heatmap_view.h"
#include "app/ui/map/map_colors.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/map/range_choice.h"
#include "app/ui/panel_data.h"
#include "app/ui/panels.h"
#include "app/ui/shown_weights_data.h"
#include "app/ui/widgets/control_states.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kGutter = 62, kLegend = 46;

// What the grid remembers.
struct HeadsState {
  std::optional<std::int64_t> followed;  // the head that was scrolled into sight
};

// The sentence, and what cells without a number hold, where there are numbers and room to say it.
std::string with_blanks(Ui& ui, const HeadsGrid& grid, const std::string& sentence, float room) {
  const std::string blank = words_of_blanks(ui, grid.cells_at(grid.area.min));
  const std::string longer = fmt::format("{}; {}.", sentence, blank);
  if (blank.empty() || text_width(ui, Type::words12, longer) > room) return sentence + ".";
  say_blanks(ui);
  return longer;
}

void draw_legend(Ui& ui, HeadsGrid& grid, const Rect& area) {
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
  const MapSlice shown{quantity, grid.selection.batch, grid.selection.head};
  if (offers_contrast(ui, grid.data, shown)) {
    const Rect offer{{words.min.x, area.min.y + ui.px(6)}, {words.max.x, area.min.y + ui.px(28)}};
    words.max.x -= draw_contrast_offer(ui, "heads/contrast", offer, quantity) + ui.px(8);
  }
  std::string noun = weight_like ? "weight" : std::string(stage_name(quantity));
  if (quantity == StageId::dropped_weights) noun = "weight after dropout";
  std::string sentence = noun + ", " + range_sentence(view);
  if (view.range_per_head && !view.range_fixed && !range.per_row)
    sentence += fmt::format("; the bar is head {}'s", grid.selection.head);
  const Rect first{words.min, {words.max.x, words.min.y + ui.px(18)}};
  draw_legend_words(ui, first, with_blanks(ui, grid, sentence, first.width()));
  const Rect second{{words.min.x, first.max.y}, {words.max.x, first.max.y + ui.px(16)}};
  const std::string hidden = mask_sentence(grid.data.trace());
  const std::string holds = grid.large ? maps_sentence(grid.seen, grid.cells_at(grid.area.min))
                                       : pixel_holds(grid.rows, grid.columns, grid.layout.width, grid.layout.height,
                                                     weight_like ? "weights" : "scores, by size");
  const std::string otherwise = words_of_shown(ui, quantity, grid.computed ? nullptr : &grid.data);
  if (!otherwise.empty()) {
    text_in(ui, second, Type::words11, ui.colors.text2, otherwise);
    ui.mark("heads/shown", second);
  } else if (!hidden.empty()) {
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
void follow_selection(Ui& ui, const HeadsGrid& grid) {
  std::optional<std::int64_t>& followed = ui.state.panels.get<HeadsState>().followed;
  if (followed == grid.selection.head) return;
  followed = grid.selection.head;
  if (!grid.layout.scrolls) return;
  double& offset = ui.state.panels.get<ScrollOffsets>().down["heads"];
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
  const Selection selection = selection_of(ui.session.view, trace);
  draw_heads_header(ui, {area.min, {area.max.x, area.min.y + ui.px(size::panel_header)}}, *data, selection);
  PanelData* const shown = shown_weights_data(ui, selection.quantity);
  if (shown != nullptr) data = shown;
  HeadsGrid grid{
      .data = *data, .selection = selection, .layout = {}, .area = {}, .computed = shown == nullptr, .seen = {}};

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

  follow_contrast_setting(ui, *data, {grid.selection.quantity, grid.selection.batch, grid.selection.head});
  follow_selection(ui, grid);
  const Rect scrolled{{area.min.x, grid.area.min.y}, {area.max.x, grid.area.max.y + ui.px(4)}};
  const float content = grid.layout.scrolls ? grid.layout.content_height + ui.px(8) : 0;
  const ScrollArea scroll = begin_scroll(ui, "heads", scrolled, content);
  const std::int64_t marked = !grid.computed              ? -1
                              : ui.state.hover.query >= 0 ? ui.state.hover.query
                              : grid.selection.cell       ? grid.selection.cell->row
                                                          : -1;
  for (std::int64_t head = 0; head < trace.num_heads(); ++head) {
    const ImVec2 place = grid.layout.position(head, ui.px(kHeadLabel));
    const ImVec2 at{grid.area.min.x + place.x, grid.area.min.y + place.y - scroll.offset};
    if (at.y + grid.layout.height < scrolled.min.y || at.y - ui.px(kHeadLabel) > scrolled.max.y) {
      // Out of sight, but the selected one keeps its place in the Tab order.
      if (head == grid.selection.head &&
          interact_mouse(ui, head_name(head), {at, {at.x + grid.layout.width, at.y + grid.layout.height}}).focused) {
        read_head_keys(ui, grid);
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
