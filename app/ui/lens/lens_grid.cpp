// The cells of the lens: a row a layer or a head, a column a token.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "app/session/session.h"
#include "app/ui/lens/lens_panel.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/map/word_grid.h"
#include "app/ui/phrase/phrase_tokens.h"
#include "app/ui/widgets/widgets.h"
#include "core/picture/cell_numbers.h"
#include "core/picture/color_map.h"
#include "core/picture/heatmap_spec.h"
#include "core/picture/palette.h"

namespace headscope::ui {
namespace {

constexpr float kBar = 36;  // the height of the colour bar and its ends

// The token that the model would say there, on the colour of its probability.
WordCell cell_of(const Prediction& at, ColorMap map, bool log) {
  const TokenProbability& token = at.top.front();
  const auto probability = static_cast<float>(token.probability);
  if (!std::isfinite(probability)) return {kNanColor, visible_piece(token.piece), "NaN"};
  const ValueScale scale = value_scale({0, 1, log, false});
  return {color_table(map)[static_cast<std::size_t>(scale.entry(probability))], visible_piece(token.piece),
          cell_number(weight_numbers(), token.probability)};
}

std::string legend_of(const LensShown& shown) {
  return fmt::format("{}; {}; rows: {}",
                     shown.lens.next_token ? "the token after each column" : "the token of each column", kBlankWords,
                     lens_legend(shown.trace, shown.lens.of));
}

// The colour bar with what it is of, and below it what the cells are; `area` begins below the cells.
void draw_legend(Ui& ui, const std::string& sentence, const Rect& area) {
  const float bar = std::min(ui.px(200), area.width() / 3);
  color_bar(ui, {{area.min.x, area.min.y + ui.px(8)}, {area.min.x + bar, area.min.y + ui.px(18)}},
            color_map_of(ui, true), {0, 1, ui.session.view.log_scale, false}, true);
  const Rect words{{area.min.x + bar + ui.px(16), area.min.y + ui.px(4)}, {area.max.x, area.min.y + ui.px(20)}};
  text_in(ui, words, Type::words11, ui.colors.text2, "probability of the most probable token");
  paragraph(ui, {{area.min.x, area.min.y + ui.px(kBar)}, area.max}, Type::words11, ui.colors.text3, sentence);
}

}  // namespace

void draw_lens_grid(Ui& ui, const LensShown& shown, const Rect& area) {
  const float pad = ui.px(size::panel_padding);
  const ColorMap map = color_map_of(ui, true);
  const std::vector<std::string>& tokens = shown.trace.inputs->tokens;
  WordGrid grid;
  grid.name = kLensGrid;
  grid.cell_name = "lens/cell/";
  grid.rows = std::ssize(shown.lens.rows);
  grid.columns = std::ssize(shown.lens.model);
  grid.picked = Cell{shown.row, shown.column};
  grid.cell = [&](std::int64_t row, std::int64_t column) {
    const LensRow& at = shown.lens.rows[static_cast<std::size_t>(row)];
    return cell_of(at.positions[static_cast<std::size_t>(column)], map, ui.session.view.log_scale);
  };
  const auto row_at = [&](std::int64_t row) -> const LensRow& {
    return shown.lens.rows[static_cast<std::size_t>(row)];
  };
  grid.row_name = [&](std::int64_t row) { return lens_kind(shown.lens.of).row_name(row_at(row)); };
  grid.column_name = [&](std::int64_t column) { return visible_piece(token_or_index(tokens, column)); };
  grid.column_color = ui.colors.query;
  const std::string legend = legend_of(shown);
  const Rect inner{{area.min.x + pad, area.min.y}, {area.max.x - pad, area.max.y - ui.px(4)}};
  const float wide = inner.width() - ui.px(grid.gutter);
  const float height = ui.px(kBar) + paragraph_height(ui, Type::words11, legend, wide);
  const WordGridInput input = draw_word_grid(ui, grid, {inner.min, {inner.max.x, inner.max.y - height}});
  if (input.hovered) ui.state.next_hover.query = input.hovered->column;
  if (input.moved) pick_lens_cell(ui, row_at(input.moved->row), input.moved->column);
  if (input.opened) {
    const LensRow& row = row_at(input.opened->row);
    open_layer_at(ui, shown, row.layer, row.head.value_or(-1));
  }
  draw_legend(ui, legend, {{inner.max.x - wide, input.bottom}, {inner.max.x, input.bottom + height}});
}

}  // namespace headscope::ui
