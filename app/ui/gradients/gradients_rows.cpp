// Gradient x weight as a row a head: added over the words that look, a column for each word looked at, or the other way
// round.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/ui/gradients/gradients_panel.h"
#include "app/ui/main_view.h"
#include "app/ui/map/word_grid.h"
#include "app/ui/stage_facts.h"
#include "app/ui/widgets/fitting_words.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/model_trace.h"
#include "core/picture/cell_numbers.h"
#include "core/picture/color_map.h"

namespace headscope::ui {
namespace {

constexpr float kLegend = 76, kLine = 20, kBar = 200;
constexpr int kLetters = 6;
// In dark the middle of icefire is black, as what surrounds the cells is: a grey that can be seen takes its place.
constexpr Rgba kGrey{0x2c, 0x32, 0x3d, 255};
constexpr double kGreyTo = 0.35;

// The colour at t in [-1, 1], a number as a share of where its colours end: by the root of its size, since most of them
// are small beside the largest.
Rgba root_color(const Ui& ui, double t) {
  const double root = std::copysign(std::sqrt(std::min(1.0, std::fabs(t))), t);
  const ColorMap map = color_map_of(ui, false);
  const Rgba color = color_at(map, 0.5 + root / 2);
  if (ui.settings.theme != Theme::dark || map != ColorMap::icefire || std::fabs(root) >= kGreyTo) return color;
  return mix(kGrey, color, static_cast<float>(std::fabs(root) / kGreyTo));
}

double largest_of(const std::vector<double>& sums, double so_far) {
  for (const double sum : sums) {
    if (std::isfinite(sum)) so_far = std::max(so_far, std::fabs(sum));
  }
  return so_far;
}

// The sums of all heads, and how they are coloured and written.
struct Rows {
  Rows(const GradientsShown& of, GradientsShow how) : shown(of), by_key(how == GradientsShow::looked_at) {
    CellValues values;
    ends.resize(shown.found.layers.size());
    for (const HeadWeightGradients& head : shown.found.heads) {
      double& end = ends[static_cast<std::size_t>(head.layer)];
      end = largest_of(sums(head), end);
      for (const double sum : sums(head)) values.add(sum);
    }
    numbers = cell_numbers(values, {kLetters, kLetters});
  }
  const std::vector<double>& sums(const HeadWeightGradients& head) const {
    return by_key ? head.by_key : head.by_query;
  }
  const HeadWeightGradients& head(std::int64_t row) const { return shown.found.heads[static_cast<std::size_t>(row)]; }
  std::int64_t words() const { return std::ssize(sums(head(0))); }
  double end(const HeadWeightGradients& of) const {
    const double end = shown.own_range ? largest_of(sums(of), 0) : ends[static_cast<std::size_t>(of.layer)];
    return end > 0 ? end : 1;
  }

  const GradientsShown& shown;
  bool by_key = true;
  std::vector<double> ends;  // of every layer: the largest |sum|
  CellNumbers numbers;
};

WordCell cell_of(const Ui& ui, const Rows& rows, std::int64_t row, std::int64_t column) {
  const HeadWeightGradients& head = rows.head(row);
  if (column == rows.words()) return {ui.colors.panel, number_label(head.sum, 2), ""};
  const double sum = rows.sums(head)[static_cast<std::size_t>(column)];
  if (!std::isfinite(sum)) return {ui.colors.well, std::isnan(sum) ? "nan" : "inf", ""};
  return {root_color(ui, sum / rows.end(head)), cell_number(rows.numbers, sum), ""};
}

// Returns the largest of the head's cells in one column (or row) of its map: the sum begins with it.
Cell largest_cell(const Rows& rows, const HeadWeightGradients& head, std::int64_t at) {
  const Tensor& product = rows.shown.found.layers[static_cast<std::size_t>(head.layer)].product;
  const std::int64_t queries = product.dim(2), keys = product.dim(3);
  const Range all{0, rows.by_key ? queries : keys}, one{at, at + 1};
  std::vector<float> values(static_cast<std::size_t>(all.end));
  product.read(Region{{0, 1}, {head.head, head.head + 1}, rows.by_key ? all : one, rows.by_key ? one : all}, values);
  const auto smaller = [](float a, float b) { return std::fabs(a) < std::fabs(b); };
  const std::int64_t best = std::max_element(values.begin(), values.end(), smaller) - values.begin();
  return rows.by_key ? Cell{best, at} : Cell{at, best};
}

std::string word_at(const Rows& rows, std::int64_t column) {
  const Trace& layer = *rows.shown.found.trace->model->layers.front();
  return gradient_word(rows.by_key ? layer.key_labels() : layer.query_labels(), column);
}

// A sentence about the cell under the mouse, or the picked head; and how it is said where there is less room.
struct Readout {
  std::string words, shorter;
};

Readout readout_of(const Rows& rows, const HeadWeightGradients& head, std::optional<std::int64_t> column) {
  const std::string name = fmt::format("layer {}, head {}", head.layer, head.head);
  if (!column || *column >= rows.words()) {
    const std::string sum = fmt::format("{}: sum {}", name, number_label(head.sum, 4));
    return {fmt::format("{}, of absolute values {}", sum, number_label(head.absolute, 4)), sum};
  }
  const std::string word = word_at(rows, *column),
                    sum = number_label(rows.sums(head)[static_cast<std::size_t>(*column)], 4);
  return {fmt::format("{}: all looks {} {} together: {}", name, rows.by_key ? "at" : "of", word, sum),
          fmt::format("{}: {}", name, sum)};
}

// The colours from -m to m, whose ticks stand where their numbers are.
void draw_root_bar(Ui& ui, const Rect& bar) {
  constexpr int kSteps = 64;
  for (int k = 0; k < kSteps; ++k) {
    const float from = bar.min.x + bar.width() * static_cast<float>(k) / kSteps,
                to = bar.min.x + bar.width() * static_cast<float>(k + 1) / kSteps;
    const double root = (k + 0.5) / kSteps * 2 - 1;
    fill({{std::round(from), bar.min.y}, {std::round(to), bar.max.y}},
         root_color(ui, std::copysign(root * root, root)));
  }
  constexpr const char* kTicks[] = {"−m", "−m/4", "0", "m/4", "m"};
  for (int k = 0; k < 5; ++k) {
    const float x = bar.min.x + bar.width() * static_cast<float>(k) / 4, half = ui.px(20);
    text_in(ui, {{x - half, bar.max.y + ui.px(2)}, {x + half, bar.max.y + ui.px(18)}}, Type::mono11, ui.colors.text2,
            kTicks[k], 0.5f);
  }
}

void draw_legend(Ui& ui, const Rows& rows, const Readout& readout, const Rect& area) {
  const WeightGradients& found = rows.shown.found;
  const float left = area.min.x + ui.px(20), width = std::min(ui.px(kBar), area.width() / 3);
  draw_root_bar(ui, {{left, area.min.y + ui.px(8)}, {left + width, area.min.y + ui.px(18)}});
  const Rect beside{{left + width + ui.px(36), area.min.y}, area.max};
  float y = area.min.y + ui.px(2);
  const auto line = [&](Rgba color, std::initializer_list<std::string> ways) {
    text_in(ui, row(beside, y, ui.px(kLine)), Type::words12, color,
            fitting_words(ui, Type::words12, beside.width(), ways));
  };
  const std::string value = number_label(found.value, 4), largest = rows.shown.own_range ? "the head's row" : "a layer";
  line(ui.colors.text2, {fmt::format("gradient × weight of the {}: {}", gradient_metric_words(rows.shown), value),
                         fmt::format("The {}: {}", gradient_metric_words(rows.shown), value), "Derived: " + value});
  line(ui.colors.text, {readout.words, readout.shorter});
  line(ui.colors.text2,
       {fmt::format("m: the largest of {}; {}.", largest, kBlankWords), fmt::format("m: the largest of {}.", largest)});
  ui.mark("gradients/readout: " + readout.words, area);
}

}  // namespace

void draw_gradients_rows(Ui& ui, const GradientsShown& shown, const Rect& area) {
  const Rows rows(shown, ui.session.view.gradients.show);
  const std::int64_t heads = shown.found.trace->num_heads(), words = rows.words();
  const float pad = ui.px(size::panel_padding);
  const std::optional<Cell> cell = ui.session.view.cell;
  const std::int64_t column = cell ? (rows.by_key ? cell->column : cell->row) : words;
  WordGrid grid;
  grid.name = kGradientsGrid;
  grid.cell_name = "gradients/head/";
  grid.rows = std::ssize(shown.found.heads);
  grid.columns = words + 1;
  grid.picked = Cell{shown.layer * heads + shown.head, std::clamp<std::int64_t>(column, 0, words)};
  grid.cell = [&](std::int64_t row, std::int64_t at) { return cell_of(ui, rows, row, at); };
  grid.row_name = [&](std::int64_t row) {
    return std::string(said(
        ui, row % heads == 0 ? fmt::format("layer {}  head 0", row / heads) : fmt::format("head {}", row % heads)));
  };
  grid.column_name = [&](std::int64_t at) { return at == words ? std::string(said(ui, "sum")) : word_at(rows, at); };
  grid.column_color = rows.by_key ? ui.colors.key : ui.colors.query;
  grid.gutter = 118;
  const WordGridInput input =
      draw_word_grid(ui, grid, {{area.min.x + pad, area.min.y}, {area.max.x - pad, area.max.y - ui.px(kLegend + 4)}});
  if (input.moved) {
    const HeadWeightGradients& head = rows.head(input.moved->row);
    ui.session.view.gradients.head = LayerHead{head.layer, head.head};
    if (input.moved->column < words) ui.session.view.cell = largest_cell(rows, head, input.moved->column);
  }
  if (input.opened) open_one_layer(ui, input.opened->row / heads, input.opened->row % heads);
  const HeadWeightGradients& here = input.hovered ? rows.head(input.hovered->row) : shown.picked();
  const Readout readout = readout_of(rows, here, input.hovered ? std::optional(input.hovered->column) : std::nullopt);
  draw_legend(ui, rows, readout, {{area.min.x + pad, input.bottom + ui.px(4)}, {area.max.x - pad, area.max.y}});
}

}  // namespace headscope::ui
