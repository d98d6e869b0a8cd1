// The pictures of the bug lab: blocks where the stage has them, and values; right, wrong, wrong - right.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "app/session/session.h"
#include "app/ui/bug_lab/bug_lab.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/widgets/fitting_words.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/grouped_digits.h"
#include "core/explain/block_origin.h"

namespace headscope::ui {
namespace {

constexpr float kLegend = 26, kTallest = 26;

LabSides sides_of(const LabShown& shown) {
  LabSides sides;
  sides.data = {shown.right, shown.wrong, shown.difference};
  sides.titles = {"Values, right", "Values, wrong", "Wrong − right"};
  sides.words = {"right", "wrong", "difference"};
  sides.stage = shown.stage;
  sides.batch = shown.batch;
  sides.head = shown.head;
  if (const StageDifference* difference = shown.result.effect->find(shown.stage)) {
    sides.largest = difference->largest;
    sides.cell = difference->cell;
  }
  return sides;
}

// Says what a row of blocks holds, in the room beside "Wrong" or "Right".
std::string fact_of(Ui& ui, float width, const BlockGrid& blocks, const BlockComparison& compared, bool wrong) {
  const bool same = compared.in_place == compared.blocks;
  const auto first = [&](std::initializer_list<std::string> ways) {
    return fitting_words(ui, Type::words12, width, ways);
  };
  if (!blocks.of_concat) {
    return wrong && !same ? first({"rows of something else", "other rows"})
                          : first({"every block is what it says", "all as named"});
  }
  if (!wrong || same)
    return first({"row i holds token i of every head", "row i: token i of every head", "a token a row"});
  const std::int64_t tokens = compared.most_tokens;
  return first({fmt::format("{} tokens side by side in a row", tokens), fmt::format("{} tokens in a row", tokens)});
}

void draw_blocks(Ui& ui, const LabShown& shown, const std::vector<LabColumn>& columns, const Rect& area) {
  const BlockGrid blocks = *block_grid(*shown.result.right, shown.stage);
  const BlockComparison& compared = shown.result.effect->blocks_of(shown.stage);
  CellGrid rows_of;
  for (const LabColumn& column : columns) {
    const Rect title{{column.left, area.min.y}, {column.right, area.min.y + ui.px(kLabTitle)}};
    const Rect place{{column.left, title.max.y}, {column.right, area.max.y}};
    const CellGrid grid =
        fitted_oblong(place.min, place.width(), place.height(), blocks.rows, blocks.columns, ui.px(kTallest));
    if (column.side == 2) {
      draw_lab_title(
          ui, title, "Where they agree",
          fitting_words(
              ui, Type::words12, title.width() - text_width(ui, Type::title12, "Where they agree") - ui.px(14),
              {fmt::format("{} of {} blocks", grouped_digits(compared.in_place), grouped_digits(compared.blocks)),
               fmt::format("{} / {}", grouped_digits(compared.in_place), grouped_digits(compared.blocks))}));
      draw_lab_agreement(ui, shown, place);
    } else {
      const bool wrong = column.side == 1;
      draw_lab_title(ui, title, wrong ? "Wrong" : "Right",
                     fact_of(ui, title.width() - ui.px(50), blocks, compared, wrong));
      const LabPane pane{place, wrong ? shown.result.wrong.get() : shown.result.right.get(),
                         wrong ? "bug_lab/wrong" : "bug_lab/right", wrong ? shown.wrong : shown.right};
      draw_lab_blocks(ui, shown, pane);
    }
    if (grid.empty()) continue;
    ui.mark(fmt::format("bug_lab/blocks/{}", column.side), grid.area);
    if (blocks.of_concat && mouse_over(ui, grid.area)) {
      if (const auto cell = grid.cell_at(ImGui::GetIO().MousePos)) ui.state.next_hover.query = cell->row;
    }
    if (blocks.of_concat) draw_lab_row_frame(ui, grid, ui.state.hover.query);
    if (rows_of.empty()) rows_of = grid;
  }
  if (rows_of.empty()) return;
  const Rect gutter{{area.min.x - ui.px(kLabGutter - 6), rows_of.area.min.y},
                    {area.min.x - ui.px(8), rows_of.area.max.y}};
  const std::vector<std::string> parts = {"query", "key", "value"};
  draw_row_labels(ui, gutter, rows_of, blocks.of_concat ? shown.right->rows(shown.stage) : parts,
                  blocks.of_concat ? ui.state.hover.query : -1, ui.colors.query);
}

}  // namespace

void draw_lab_pictures(Ui& ui, const LabShown& shown, const Rect& area) {
  const Rect inner{{area.min.x + ui.px(kLabGutter), area.min.y + ui.px(4)},
                   {area.max.x - ui.px(size::panel_padding), area.max.y - ui.px(kLabReadout)}};
  if (inner.width() < ui.px(120) || inner.height() < ui.px(80)) return;
  const std::vector<LabColumn> columns = lab_columns(ui, inner, ui.session.view.bug_lab.shows);
  const LabSides sides = sides_of(shown);
  Rect values = inner;
  const std::optional<BlockGrid> blocks = block_grid(*shown.result.right, shown.stage);
  if (blocks && block_grid(*shown.result.wrong, shown.stage)) {
    const float half = std::floor((inner.height() - ui.px(2 * kLabTitle + kLegend + 8)) / 2);
    const float wanted = blocks->of_concat ? half : std::min(half, static_cast<float>(blocks->rows) * ui.px(kTallest));
    const Rect place{inner.min, {inner.max.x, inner.min.y + ui.px(kLabTitle) + wanted}};
    draw_blocks(ui, shown, columns, place);
    // Whole rows may leave their place shorter.
    const CellGrid grid =
        fitted_oblong(place.min, inner.width(), wanted, blocks->rows, blocks->columns, ui.px(kTallest));
    const float y = inner.min.y + ui.px(kLabTitle) + grid.area.height();
    draw_lab_legend(ui, shown, {{inner.min.x, y + ui.px(2)}, {inner.max.x, y + ui.px(kLegend)}});
    values.min.y = y + ui.px(kLegend + 6);
  }
  draw_lab_values(ui, sides, columns, values);
  draw_lab_readout(ui, sides, {{inner.min.x, area.max.y - ui.px(kLabReadout)}, {inner.max.x, area.max.y}});
}

}  // namespace headscope::ui
