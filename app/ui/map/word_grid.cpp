#include "app/ui/map/word_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "app/ui/map/axis_labels.h"
#include "app/ui/map/heatmap_view.h"
#include "app/ui/widgets/control_states.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kNarrowest = 48, kWidest = 168, kLowest = 18, kHighest = 64, kTwoLinesFrom = 32;
constexpr float kSmallestPicture = 28, kLargestPicture = 240;
constexpr float kBar = 10, kNames = 22;

// The picked cell of each grid that was scrolled into sight.
struct FollowedCells {
  std::map<std::string, Cell> by_name;
};

// Where the cells lie. The corner of cell (0, 0) is `origin`, what is scrolled away included.
struct Places {
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
  std::optional<Cell> under(ImVec2 mouse) const {
    const float x = mouse.x - origin.x, y = mouse.y - origin.y;
    if (x < 0 || y < 0 || x >= width * static_cast<float>(columns) || y >= height * static_cast<float>(rows)) {
      return std::nullopt;
    }
    return Cell{index(y, height, rows), index(x, width, columns)};
  }
};

Places sized(const Ui& ui, const WordGrid& grid, const Rect& seen) {
  Places places;
  places.seen = seen;
  places.rows = grid.rows;
  places.columns = grid.columns;
  if (grid.picture) {
    const float side =
        std::min(seen.width() / static_cast<float>(grid.columns), seen.height() / static_cast<float>(grid.rows));
    places.width = places.height = std::clamp(std::floor(side), ui.px(kSmallestPicture), ui.px(kLargestPicture));
    return places;
  }
  places.width =
      std::clamp(std::floor(seen.width() / static_cast<float>(grid.columns)), ui.px(kNarrowest), ui.px(kWidest));
  places.height =
      std::clamp(std::floor(seen.height() / static_cast<float>(grid.rows)), ui.px(kLowest), ui.px(kHighest));
  return places;
}

void draw_cell(Ui& ui, const WordCell& cell, const Rect& place) {
  const Rect inner{place.min, {place.max.x - ui.px(1), place.max.y - ui.px(1)}};
  fill(inner, cell.ground);
  const Rgba ink = ink_on(cell.ground);
  const std::string first = shortened_to(ui, Type::mono11, cell.first, inner.width() - ui.px(4));
  if (cell.second.empty() || inner.height() < ui.px(kTwoLinesFrom)) {
    return text_in(ui, inner, Type::mono11, ink, first, 0.5f);
  }
  const float middle = std::round(inner.center().y), half = std::min(inner.height() / 2 - ui.px(1), ui.px(17));
  text_in(ui, {{inner.min.x, middle - half}, {inner.max.x, middle + ui.px(1)}}, Type::mono11, ink, first, 0.5f);
  text_in(ui, {{inner.min.x, middle}, {inner.max.x, middle + half}}, Type::mono10, ink, cell.second, 0.5f);
}

// Names of rows at the left, of columns above; those of the picked cell stand out.
void draw_names(Ui& ui, const WordGrid& grid, const Places& places, const Rect& area) {
  for (std::int64_t row = places.first_row(); row <= places.last_row(); ++row) {
    const Rect place = places.place(row, 0);
    const Rect name{{area.min.x, std::max(place.min.y, places.seen.min.y)},
                    {places.seen.min.x - ui.px(8), std::min(place.max.y, places.seen.max.y)}};
    if (name.height() < ui.px(10)) continue;
    const bool picked = grid.picked && row == grid.picked->row;
    text_in(ui, name, picked ? Type::mono_bold11 : Type::mono11, picked ? ui.colors.text : ui.colors.text2,
            grid.row_name(row), 1);
  }
  canvas().PushClipRect({places.seen.min.x, area.min.y}, {places.seen.max.x, places.seen.min.y}, true);
  for (std::int64_t column = places.first_column(); column <= places.last_column(); ++column) {
    const Rect place = places.place(0, column);
    const Rect name{{place.min.x, places.seen.min.y - ui.px(kNames)}, {place.max.x - ui.px(1), places.seen.min.y}};
    const Type type = grid.picked && column == grid.picked->column ? Type::mono_bold11 : Type::mono11;
    const std::string words = shortened_to(ui, type, grid.column_name(column), name.width() - ui.px(4));
    text_in(ui, name, type, grid.column_color, words, 0.5f);
  }
  canvas().PopClipRect();
}

void read_keys(Ui& ui, const WordGrid& grid, WordGridInput& input) {
  const Cell at = grid.picked.value_or(Cell{0, 0});
  Cell next = at;
  if (const std::optional<Cell> step = take_arrow(ui)) {
    if (grid.picked) next = {at.row + step->row, at.column + step->column};
  } else if (ui.take_key(KeyName::home)) {
    next.column = 0;
  } else if (ui.take_key(KeyName::end)) {
    next.column = grid.columns - 1;
  } else if (ui.take_key(KeyName::enter)) {
    input.opened = grid.picked;
    return;
  } else {
    return;
  }
  input.moved = Cell{std::clamp<std::int64_t>(next.row, 0, grid.rows - 1),
                     std::clamp<std::int64_t>(next.column, 0, grid.columns - 1)};
  ui.state.wants_frame = true;
}

void read_mouse(Ui& ui, const Places& places, const Interaction& it, WordGridInput& input) {
  if (!it.hovered) return;
  input.hovered = places.under(ImGui::GetIO().MousePos);
  if (!input.hovered) return;
  outline(ui, places.place(input.hovered->row, input.hovered->column), ui.colors.text, 1);
  if (it.clicked) input.moved = input.hovered;
  if (it.double_clicked) input.opened = input.hovered;
}

// Scrolls to the picked cell when another one was picked.
void follow(Ui& ui, const WordGrid& grid, const Places& places) {
  if (!grid.picked) return;
  std::map<std::string, Cell>& followed = ui.state.panels.get<FollowedCells>().by_name;
  const auto known = followed.find(grid.name);
  if (known != followed.end() && known->second == *grid.picked) return;
  followed[grid.name] = *grid.picked;
  ScrollOffsets& offsets = ui.state.panels.get<ScrollOffsets>();
  const auto into_sight = [](double& offset, float begin, float size, float room) {
    const auto first = static_cast<double>(begin), last = static_cast<double>(begin + size - room);
    offset = std::max(0.0, std::clamp(offset, std::min(last, first), first));
  };
  into_sight(offsets.down[grid.name], static_cast<float>(grid.picked->row) * places.height, places.height,
             places.seen.height());
  into_sight(offsets.across[grid.name], static_cast<float>(grid.picked->column) * places.width, places.width,
             places.seen.width());
}

}  // namespace

WordGridInput draw_word_grid(Ui& ui, const WordGrid& grid, const Rect& area) {
  WordGridInput input;
  input.bottom = area.max.y;
  Rect seen{{area.min.x + ui.px(grid.gutter), area.min.y + ui.px(kNames)}, {area.max.x, area.max.y - ui.px(kBar)}};
  if (grid.rows == 0 || grid.columns == 0 || seen.width() < ui.px(kNarrowest) ||
      seen.height() < ui.px(grid.picture ? kSmallestPicture : kLowest)) {
    return input;
  }
  Places places = sized(ui, grid, seen);
  follow(ui, grid, places);
  const float content_width = places.width * static_cast<float>(grid.columns);
  const float content_height = places.height * static_cast<float>(grid.rows);
  // What is not needed stays empty; what follows stands right below the cells.
  seen.max.x = places.seen.max.x = std::min(seen.max.x, seen.min.x + content_width);
  seen.max.y = places.seen.max.y = std::min(seen.max.y, seen.min.y + content_height);
  const Rect bar{{seen.min.x, seen.max.y}, {seen.max.x, seen.max.y + ui.px(kBar)}};
  const float across = scroll_across(
      ui, grid.name,
      {.bar = bar, .over = seen, .width = seen.width(), .content_width = content_width, .step = places.width});
  const Interaction it = interact_mouse(ui, grid.name, seen);
  if (it.focused) read_keys(ui, grid, input);
  const ScrollArea scroll = begin_scroll(ui, grid.name, seen, content_height);
  places.origin = {seen.min.x - across, seen.min.y - scroll.offset};
  for (std::int64_t row = places.first_row(); row <= places.last_row(); ++row) {
    for (std::int64_t column = places.first_column(); column <= places.last_column(); ++column) {
      const Rect place = places.place(row, column);
      if (grid.picture) {
        grid.picture(row, column, place);
      } else {
        draw_cell(ui, grid.cell(row, column), place);
      }
      ui.mark(fmt::format("{}{},{}", grid.cell_name, row, column), place);
    }
  }
  if (grid.picked) draw_pick_frame(ui, places.place(grid.picked->row, grid.picked->column), seen);
  read_mouse(ui, places, it, input);
  end_scroll(ui);
  draw_names(ui, grid, places, area);
  if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, inset(seen, -ui.px(2)), ui.px(3));
  input.bottom = bar.max.y;
  input.cells = seen;
  return input;
}

}  // namespace headscope::ui
