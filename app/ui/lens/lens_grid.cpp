// The cells of the lens: a row a layer, a column a token; mouse and keys.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "app/session/session.h"
#include "app/ui/lens/lens_panel.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/map/heatmap_view.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/phrase/phrase_tokens.h"
#include "app/ui/widgets/control_states.h"
#include "app/ui/widgets/widgets.h"
#include "core/picture/color_map.h"
#include "core/picture/heatmap_spec.h"
#include "core/picture/palette.h"

namespace headscope::ui {
namespace {

constexpr float kNarrowest = 48, kWidest = 104, kLowest = 18, kHighest = 40, kTwoLinesFrom = 32;
constexpr float kBar = 10, kNames = 22, kLegend = 44, kGutter = 84;

// Where the cells lie. The corner of cell (0, 0) is `origin`, what is scrolled away included.
struct Cells {
  Rect seen;
  ImVec2 origin;
  float width = 0, height = 0;
  std::int64_t rows = 0, columns = 0;

  Rect place(std::int64_t row, std::int64_t column) const {
    const float x = origin.x + static_cast<float>(column) * width, y = origin.y + static_cast<float>(row) * height;
    return {{x, y}, {x + width, y + height}};
  }
  // [first, last] of the rows or columns in sight.
  std::int64_t first_row() const { return index(seen.min.y - origin.y, height, rows); }
  std::int64_t last_row() const { return index(seen.max.y - 1 - origin.y, height, rows); }
  std::int64_t first_column() const { return index(seen.min.x - origin.x, width, columns); }
  std::int64_t last_column() const { return index(seen.max.x - 1 - origin.x, width, columns); }

  static std::int64_t index(float at, float size, std::int64_t count) {
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(at / size)), 0, count - 1);
  }
};

Cells sized_cells(const Ui& ui, const LensShown& shown, const Rect& seen) {
  Cells cells;
  cells.seen = seen;
  cells.rows = std::ssize(shown.lens.layers);
  cells.columns = std::ssize(shown.lens.layers.front().positions);
  cells.width =
      std::clamp(std::floor(seen.width() / static_cast<float>(cells.columns)), ui.px(kNarrowest), ui.px(kWidest));
  cells.height =
      std::clamp(std::floor(seen.height() / static_cast<float>(cells.rows)), ui.px(kLowest), ui.px(kHighest));
  return cells;
}

// The token that the model would say there, on the colour of its probability.
void draw_cell(Ui& ui, const Prediction& at, const Rect& place, ColorMap map) {
  const TokenProbability& token = at.top.front();
  const auto probability = static_cast<float>(token.probability);
  const Rect inner{place.min, {place.max.x - ui.px(1), place.max.y - ui.px(1)}};
  const bool finite = std::isfinite(probability);
  const ValueScale scale = value_scale({0, 1, ui.session.view.log_scale, false});
  const Rgba ground = finite ? color_table(map)[static_cast<std::size_t>(scale.entry(probability))] : kNanColor;
  fill(inner, ground);
  const Rgba ink = ink_on(ground);
  const std::string word = shortened(ui, Type::mono11, visible_piece(token.piece), inner.width() - ui.px(4));
  if (inner.height() < ui.px(kTwoLinesFrom)) return text_in(ui, inner, Type::mono11, ink, word, 0.5f);
  const float middle = std::round(inner.center().y);
  text_in(ui, {{inner.min.x, inner.min.y + ui.px(1)}, {inner.max.x, middle + ui.px(1)}}, Type::mono11, ink, word, 0.5f);
  const std::string number = finite ? fmt::format("{:.2f}", probability).substr(probability < 0.995f ? 1 : 0) : "NaN";
  text_in(ui, {{inner.min.x, middle}, {inner.max.x, inner.max.y - ui.px(1)}}, Type::mono10, ink, number, 0.5f);
}

// 2 px white between two black lines: seen on any colour.
void mark_picked(Ui& ui, const Rect& place) {
  constexpr Rgba black{0, 0, 0, 255}, white{255, 255, 255, 255};
  const Rect inner{place.min, {place.max.x - ui.px(1), place.max.y - ui.px(1)}};
  outline(ui, inset(inner, -ui.px(1)), black, 1);
  outline(ui, inner, white, 2);
  outline(ui, inset(inner, ui.px(2)), black, 1);
}

// Names of layers at the left, tokens above; those of the picked cell stand out.
void draw_names(Ui& ui, const LensShown& shown, const Cells& cells, const Rect& area) {
  for (std::int64_t row = cells.first_row(); row <= cells.last_row(); ++row) {
    const Rect place = cells.place(row, 0);
    const Rect name{{area.min.x, std::max(place.min.y, cells.seen.min.y)}, {cells.seen.min.x - ui.px(8), place.max.y}};
    if (name.max.y > cells.seen.max.y + ui.px(2) || name.height() < ui.px(10)) continue;
    const bool picked = row == shown.row;
    text_in(ui, name, picked ? Type::mono_bold11 : Type::mono11, picked ? ui.colors.text : ui.colors.text2,
            lens_row_name(row - 1), 1);
  }
  const std::vector<std::string>& tokens = shown.data.trace().inputs->tokens;
  canvas().PushClipRect({cells.seen.min.x, area.min.y}, {cells.seen.max.x, cells.seen.min.y}, true);
  for (std::int64_t column = cells.first_column(); column <= cells.last_column(); ++column) {
    const Rect place = cells.place(0, column);
    const Rect name{{place.min.x, cells.seen.min.y - ui.px(kNames)}, {place.max.x - ui.px(1), cells.seen.min.y}};
    const bool picked = column == shown.column;
    const Type type = picked ? Type::mono_bold11 : Type::mono11;
    const std::string piece = visible_piece(token_or_index(tokens, column));
    text_in(ui, name, type, ui.colors.query, shortened(ui, type, piece, name.width() - ui.px(4)), 0.5f);
  }
  canvas().PopClipRect();
}

void read_keys(Ui& ui, const LensShown& shown, const Cells& cells) {
  std::int64_t row = shown.row, column = shown.column;
  if (const std::optional<Cell> step = take_arrow(ui)) {
    row += step->row;
    column += step->column;
  } else if (ui.take_key(KeyName::home)) {
    column = 0;
  } else if (ui.take_key(KeyName::end)) {
    column = cells.columns - 1;
  } else if (ui.take_key(KeyName::enter)) {
    return open_layer_at(ui, shown, row - 1, -1);
  } else {
    return;
  }
  pick_lens_cell(ui, std::clamp<std::int64_t>(row, 0, cells.rows - 1),
                 std::clamp<std::int64_t>(column, 0, cells.columns - 1));
  ui.state.wants_frame = true;
}

void read_mouse(Ui& ui, const LensShown& shown, const Cells& cells, const Interaction& it) {
  if (!it.hovered) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const float x = mouse.x - cells.origin.x, y = mouse.y - cells.origin.y;
  if (x < 0 || y < 0 || x >= cells.width * static_cast<float>(cells.columns) ||
      y >= cells.height * static_cast<float>(cells.rows)) {
    return;
  }
  const std::int64_t row = Cells::index(y, cells.height, cells.rows);
  const std::int64_t column = Cells::index(x, cells.width, cells.columns);
  ui.state.next_hover.query = column;
  outline(ui, cells.place(row, column), ui.colors.text, 1);
  if (it.clicked) pick_lens_cell(ui, row, column);
  if (it.double_clicked) open_layer_at(ui, shown, row - 1, -1);
}

// Scrolls to the picked cell when another one was picked.
void follow(Ui& ui, const LensShown& shown, const Cells& cells) {
  LensPanelState& state = ui.state.panels.get<LensPanelState>();
  if (state.followed_row == shown.row && state.followed_column == shown.column) return;
  state.followed_row = shown.row;
  state.followed_column = shown.column;
  ScrollOffsets& offsets = ui.state.panels.get<ScrollOffsets>();
  const auto into_sight = [](double& offset, float begin, float size, float room) {
    offset = std::clamp(offset, static_cast<double>(begin + size - room), static_cast<double>(begin));
    offset = std::max(0.0, offset);
  };
  into_sight(offsets.down[kLensGrid], static_cast<float>(shown.row) * cells.height, cells.height, cells.seen.height());
  into_sight(offsets.across["lens/across"], static_cast<float>(shown.column) * cells.width, cells.width,
             cells.seen.width());
}

void draw_legend(Ui& ui, const LensShown& shown, const Rect& area) {
  const float bar = std::min(ui.px(200), area.width() / 3);
  color_bar(ui, {{area.min.x, area.min.y + ui.px(8)}, {area.min.x + bar, area.min.y + ui.px(18)}},
            color_map_of(ui, true), {0, 1, ui.session.view.log_scale, false}, true);
  const Rect words{{area.min.x + bar + ui.px(16), area.min.y + ui.px(4)}, {area.max.x, area.min.y + ui.px(20)}};
  text_in(ui, words, Type::words11, ui.colors.text2, "probability of the most probable token");
  const Rect second{{words.min.x, words.max.y}, {words.max.x, words.max.y + ui.px(16)}};
  text_in(ui, second, Type::words11, ui.colors.text3,
          shown.lens.next_token
              ? "the stream before and after every layer, through the final norm and the decoder: the "
                "token after each column"
              : "the stream before and after every layer, through the model's head: the token of each "
                "column");
}

}  // namespace

void draw_lens_grid(Ui& ui, const LensShown& shown, const Rect& area) {
  const float pad = ui.px(size::panel_padding);
  const Rect inner{{area.min.x + pad, area.min.y}, {area.max.x - pad, area.max.y - ui.px(4)}};
  Rect seen{{inner.min.x + ui.px(kGutter), inner.min.y + ui.px(kNames)},
            {inner.max.x, inner.max.y - ui.px(kLegend + kBar)}};
  if (seen.width() < ui.px(kNarrowest) || seen.height() < ui.px(kLowest)) return;
  Cells cells = sized_cells(ui, shown, seen);
  follow(ui, shown, cells);
  const float content_width = cells.width * static_cast<float>(cells.columns);
  const float content_height = cells.height * static_cast<float>(cells.rows);
  // What is not needed stays empty; the legend stands right below the cells.
  cells.seen.max.y = seen.max.y = std::min(seen.max.y, seen.min.y + content_height);
  const float across = scroll_across(ui, "lens/across",
                                     {.bar = {{seen.min.x, seen.max.y}, {seen.max.x, seen.max.y + ui.px(kBar)}},
                                      .over = seen,
                                      .width = seen.width(),
                                      .content_width = content_width,
                                      .step = cells.width});
  const Interaction it = interact_mouse(ui, kLensGrid, seen);
  if (it.focused) read_keys(ui, shown, cells);
  const Rect scrolled{seen.min, {seen.max.x, seen.max.y}};
  const ScrollArea scroll = begin_scroll(ui, kLensGrid, scrolled, content_height);
  cells.origin = {seen.min.x - across, seen.min.y - scroll.offset};
  const ColorMap map = color_map_of(ui, true);
  for (std::int64_t row = cells.first_row(); row <= cells.last_row(); ++row) {
    const std::vector<Prediction>& positions = shown.lens.layers[static_cast<std::size_t>(row)].positions;
    for (std::int64_t column = cells.first_column(); column <= cells.last_column(); ++column) {
      const Rect place = cells.place(row, column);
      draw_cell(ui, positions[static_cast<std::size_t>(column)], place, map);
      ui.mark(fmt::format("lens/cell/{},{}", row - 1, column), place);
    }
  }
  mark_picked(ui, cells.place(shown.row, shown.column));
  read_mouse(ui, shown, cells, it);
  end_scroll(ui);
  draw_names(ui, shown, cells, inner);
  if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, inset(seen, -ui.px(2)), ui.px(3));
  const float below = seen.max.y + ui.px(kBar);
  draw_legend(ui, shown, {{seen.min.x, below}, {inner.max.x, below + ui.px(kLegend)}});
}

}  // namespace headscope::ui
