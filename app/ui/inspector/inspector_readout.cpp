// The lines below the picture: what a pixel holds, how a large map is pooled, and the shown cell.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/ui/inspector/inspector_parts.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/map/map_with_axes.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/grouped_digits.h"

namespace headscope::ui {
namespace {

constexpr float kAbove = 6, kReadout = 26, kBelow = 10, kHolds = 18, kPooling = 30;

std::string value_text(const Inspected& inspected, const HeatmapView& view, Cell cell) {
  const std::optional<double> value =
      cell_value(inspected.matrix, inspected.score_like, view.large ? &*view.large : nullptr, view.grid, cell);
  return value ? number_label(*value, 4, true) : "zoom in for numbers";
}

// "it → animal    query 7 · key 1    0.8965"
void draw_readout(Ui& ui, const Inspected& inspected, const HeatmapView& view, const Rect& box) {
  ui.mark("inspector/readout", box);
  Rect rest = readout_line(ui, box, inspected.shown.has_value());
  if (!inspected.shown) return;
  const Cell cell = *inspected.shown;
  const std::shared_ptr<const Mask> mask = inspected.data.mask(inspected.stage);
  const bool hidden = mask && mask->hidden.hidden(inspected.batch, inspected.slice, cell.row, cell.column);
  const bool marked = mask && mask->marked.any() && is_weight_like(inspected.stage) &&
                      mask->marked.hidden(inspected.batch, inspected.slice, cell.row, cell.column);
  const std::string value = value_text(inspected, view, cell);
  const float value_width = std::ceil(text_width(ui, Type::mono_bold12, value)) + 1;
  text_in(ui, take_right(rest, value_width, ui.px(20)), Type::mono_bold12, hidden ? ui.colors.text2 : ui.colors.text,
          value, 1);
  std::string where =
      inspected.score_like
          ? fmt::format("query {} · key {}", grouped_digits(cell.row), grouped_digits(cell.column))
          : fmt::format("position {} · feature {}", grouped_digits(cell.row), grouped_digits(cell.column));
  if (hidden || marked) where = (marked ? "hidden, yet weighed · " : "hidden · ") + where;
  if (inspected.is_strongest) where = "strongest link · " + where;
  const float where_width = std::min(rest.width(), std::ceil(text_width(ui, Type::words12, where)) + 1);
  text_in(ui, take_right(rest, where_width, ui.px(10)), Type::words12, ui.colors.text2, where, 1);
  const auto token = [&](const std::string& name, Rgba color) {
    const std::string shown = shortened_to(ui, Type::mono12, name, rest.width());
    const float width = std::ceil(text_width(ui, Type::mono12, shown));
    if (rest.width() <= 0) return;
    text_in(ui, {rest.min, {rest.min.x + width + 1, rest.max.y}}, Type::mono12, color, shown);
    rest.min.x += width + ui.px(12);
  };
  token(token_or_index(inspected.rows, cell.row), ui.colors.query);
  if (inspected.score_like) {
    token("→", ui.colors.text3);
    token(token_or_index(inspected.columns, cell.column), ui.colors.key);
  }
}

// What a pixel of a large map shows, and the choice between its largest cell and their mean.
void draw_pooling(Ui& ui, const HeatmapView& view, const Rect& line) {
  Rect rest = line;
  int pooling = static_cast<int>(ui.session.view.pooling);
  const ControlState state{true, false,
                           "What a pixel over many cells shows: the one of the largest absolute value, or the mean of "
                           "those that are visible and finite."};
  const Rect control = take_right(rest, ui.px(108), ui.px(8));
  if (segments(ui, "inspector/pooling", control, {"max", "mean"}, pooling, state)) {
    ui.session.view.pooling = pooling == 0 ? Pooling::max : Pooling::mean;
  }
  text_in(ui, rest, Type::words11, view.large->failure.empty() ? ui.colors.text2 : ui.colors.bad,
          map_sentence(*view.large, view.grid));
  ui.mark("inspector/pixel_holds", rest);
  if (is_exact(*view.large, view.grid)) ui.mark("inspector/exact", rest);
}

}  // namespace

float picture_lines_height(const Ui& ui, bool large) {
  return ui.px(kAbove) + ui.px(kReadout) + ui.px(kBelow) + (large ? ui.px(kPooling) : 0);
}

float draw_picture_lines(Ui& ui, const Inspected& inspected, const HeatmapView& view, const std::string& holds,
                         const Rect& area) {
  const float left = view.grid.area.min.x, right = area.max.x - ui.px(14);
  float y = area.min.y + ui.px(kAbove);
  if (!holds.empty()) {
    const Rect line{{left, y - ui.px(2)}, {right, y + ui.px(kHolds) - ui.px(4)}};
    text_in(ui, line, Type::words11, ui.colors.text3, holds);
    ui.mark("inspector/pixel_holds", line);
    y += ui.px(kHolds);
  }
  if (view.large) {
    draw_pooling(ui, view, {{left, y}, {right, y + ui.px(size::control_height)}});
    y += ui.px(kPooling);
  }
  const Rect readout{{area.min.x + ui.px(14), y}, {right, y + ui.px(kReadout)}};
  draw_readout(ui, inspected, view, readout);
  return readout.max.y + ui.px(kBelow);
}

}  // namespace headscope::ui
