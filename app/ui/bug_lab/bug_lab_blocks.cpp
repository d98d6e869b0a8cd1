// Which head and token, or which part of the projection, every block of one head's width really is.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/ui/bug_lab/bug_lab.h"
#include "app/ui/map/cell_grid.h"
#include "app/ui/map/provenance_view.h"
#include "app/ui/widgets/widgets.h"
#include "core/explain/block_origin.h"

namespace headscope::ui {
namespace {

constexpr std::int64_t kMostRectangles = 8192;  // looked at in a frame
constexpr const char* kParts[] = {"q", "k", "v"};

Rect block_rect(const CellGrid& grid, std::int64_t row, std::int64_t column) {
  return grid.cell_rect(row, column);
}

// Query, key and value: the head's colour, brighter from q to v.
void draw_split_blocks(Ui& ui, const LabShown& shown, const LabPane& pane, const CellGrid& grid) {
  for (std::int64_t row = 0; row < grid.rows; ++row) {
    for (std::int64_t column = 0; column < grid.columns; ++column) {
      const BlockOrigin from = block_origin(*pane.trace, shown.stage, row, column);
      const auto part = static_cast<std::int64_t>(*from.part);
      const Rgba color = provenance_color(from.head, part, 3);
      Rect rect = block_rect(grid, row, column);
      if (rect.width() > 6) rect.max.x -= 1;
      if (rect.height() > 6) rect.max.y -= 1;
      fill(rect, color);
      const std::string words = fmt::format("{} h{}", kParts[part], from.head);
      if (rect.height() >= ui.px(12) && text_width(ui, Type::mono11, words) + ui.px(2) <= rect.width()) {
        text_in(ui, rect, Type::mono11, ink_on(color), words, 0.5f);
      }
    }
  }
}

CellGrid grid_for(Ui& ui, const LabShown& shown, const Rect& area) {
  const BlockGrid blocks = *block_grid(*shown.result.right, shown.stage);
  return fitted_oblong(area.min, area.width(), area.height(), blocks.rows, blocks.columns, ui.px(26));
}

}  // namespace

void draw_lab_blocks(Ui& ui, const LabShown& shown, const LabPane& pane) {
  const BlockGrid blocks = *block_grid(*pane.trace, shown.stage);
  if (!blocks.of_concat) return draw_split_blocks(ui, shown, pane, grid_for(ui, shown, pane.area));
  const Shape& shape = pane.trace->tensor(StageId::concat).shape();
  const CellGrid grid =
      fitted_oblong(pane.area.min, pane.area.width(), pane.area.height(), shape[1], shape[2], ui.px(26));
  draw_provenance(ui, *pane.data, pane.name, grid, 0);
}

void draw_lab_agreement(Ui& ui, const LabShown& shown, const Rect& area) {
  const CellGrid grid = grid_for(ui, shown, area);
  if (grid.empty()) return;
  fill(grid.area, ui.colors.raised);
  const float line = std::max(1.0f, ui.px(1));
  if (grid.cell_height >= 6) {
    for (std::int64_t row = 1; row < grid.rows; ++row) {
      horizontal_line(ui, grid.area.min.x, grid.area.max.x, grid.row_rect(row).min.y - line, ui.colors.line);
    }
  }
  if (grid.cell_width >= 6) {
    for (std::int64_t column = 1; column < grid.columns; ++column) {
      vertical_line(ui, grid.column_rect(column).min.x - line, grid.area.min.y, grid.area.max.y, ui.colors.line);
    }
  }
  if (grid.rows * grid.columns > kMostRectangles) return;
  for (std::int64_t row = 0; row < grid.rows; ++row) {
    for (std::int64_t column = 0; column < grid.columns; ++column) {
      if (!(block_origin(*shown.result.right, shown.stage, row, column) ==
            block_origin(*shown.result.wrong, shown.stage, row, column))) {
        continue;
      }
      Rect rect = block_rect(grid, row, column);
      rect.max.x -= grid.cell_width >= 6 ? line : 0;
      rect.max.y -= grid.cell_height >= 6 ? line : 0;
      fill(rect, ui.colors.ok_ground);
      outline(ui, rect, ui.colors.ok, 1);
      if (rect.height() >= ui.px(12) && text_width(ui, Type::words11, "same") + ui.px(4) <= rect.width()) {
        text_in(ui, rect, Type::words11, ui.colors.ok, "same", 0.5f);
      }
    }
  }
}

void draw_lab_legend(Ui& ui, const LabShown& shown, const Rect& line) {
  const Trace& trace = *shown.result.right;
  const BlockGrid blocks = *block_grid(trace, shown.stage);
  Rect rest = line;
  const auto words = [&](const std::string& text, float gap) {
    const float width = std::ceil(text_width(ui, Type::words11, text)) + 1;
    text_in(ui, take_left(rest, width, ui.px(gap)), Type::words11, ui.colors.text2, text);
  };
  words("head", 8);
  const float side = ui.px(20), top = std::round(rest.center().y - ui.px(7));
  const std::int64_t most = std::min<std::int64_t>(blocks.columns, 12);
  for (std::int64_t h = 0; h < most && rest.width() > ui.px(200); ++h) {
    const Rect square{{rest.min.x, top}, {rest.min.x + side, top + ui.px(14)}};
    fill(square, head_color(h));
    text_in(ui, square, Type::mono11, ink_on(head_color(h)), fmt::format("{}", h), 0.5f);
    rest.min.x += side + ui.px(2);
  }
  if (blocks.columns > most) words("…", 4);
  rest.min.x += ui.px(14);
  if (!blocks.of_concat) {
    if (rest.width() > ui.px(260)) words("q, k, v: what the rows of the file that are read here were made for", 4);
    return;
  }
  words("token 0", 6);
  const float width = ui.px(96);
  constexpr int kSteps = 12;
  for (int k = 0; k < kSteps; ++k) {
    const auto level = static_cast<std::uint8_t>(60 + 150 * k / (kSteps - 1));
    const float x0 = rest.min.x + width * static_cast<float>(k) / kSteps;
    fill({{std::round(x0), top}, {std::round(x0 + width / kSteps), top + ui.px(14)}}, {level, level, level, 255});
  }
  rest.min.x += width + ui.px(6);
  words(fmt::format("{}", trace.query_len() - 1), 16);
  if (rest.width() < ui.px(150)) return;
  const float corner = ui.px(7), y = std::round(rest.center().y - corner / 2);
  canvas().AddTriangleFilled({rest.min.x, y}, {rest.min.x + corner, y}, {rest.min.x + corner, y + corner},
                             color32(ui.colors.text));
  rest.min.x += ui.px(13);
  words("a token from the future", 4);
}

}  // namespace headscope::ui
