#include "app/ui/heads/neurons_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/settings.h"
#include "app/ui/imgui_compat.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/minus_sign.h"

namespace headscope::ui {
namespace {

constexpr std::int64_t kMostBars = 64;  // features that get a bar each; more are cells of a colour map

}  // namespace

bool NeuronsTable::products_as_cells() const {
  return features > kMostBars || strip < static_cast<float>(features) * 2;
}

void place_columns(Ui& ui, NeuronsTable& table, const Rect& area, float names) {
  const float numbers = ui.px(72) + ui.px(14) + ui.px(60), least_bar = ui.px(40);
  table.name_right = area.min.x + names;
  table.cells = table.name_right + ui.px(8);
  const float gaps = ui.px(8) + ui.px(22) + ui.px(8);
  const float room = area.width() - names - numbers - least_bar - gaps;
  const auto features = static_cast<float>(table.features);
  float strip = std::min(room / 2, features * ui.px(18));
  const float cell = std::floor(strip / features);
  strip = cell >= 1 ? cell * features : std::floor(std::max(strip, ui.px(24)));
  table.strip = strip;
  table.products = table.cells + std::max(strip, ui.px(70)) + ui.px(22);
  table.score = table.products + std::max(strip, ui.px(70)) + ui.px(72);
  table.bar = table.score + ui.px(14);
  table.weight = area.max.x;
  table.bar_width = std::max(0.0f, table.weight - ui.px(62) - table.bar);
}

void draw_neurons_headings(Ui& ui, const NeuronsTable& table, const Rect& area) {
  const float first = area.min.y, second = first + ui.px(17), line = ui.px(18);
  const auto place = [&](float left, float right, float y) { return Rect{{left, y}, {right, y + line}}; };
  const float limit = table.products - ui.px(10);
  text_in(ui, place(table.cells, limit, first), Type::title12, ui.colors.key, "key");
  text_in(ui, place(table.cells, limit, second), Type::words11, ui.colors.text2,
          fmt::format("{} features", table.features));
  text_in(ui, place(table.products, table.score - ui.px(40), first), Type::title12, ui.colors.text, "query · key");
  text_in(ui, place(table.products, table.score - ui.px(60), second), Type::words11, ui.colors.text2, "by feature");
  text_in(ui, place(table.score - ui.px(80), table.score, first), Type::title12, ui.colors.text, "score", 1);
  const Trace& trace = table.data.trace();
  const double root = 1 / (trace.scale * trace.scale);
  const std::string scaled = trace.scale == 1 ? std::string("sum")
                             : std::abs(root - std::round(root)) < 1e-6 * root
                                 ? fmt::format("sum / √{:.0f}", root)
                                 : with_minus_signs(fmt::format("sum × {:.4g}", trace.scale));
  text_in(ui, place(table.score - ui.px(70), table.score, second), Type::words11, ui.colors.text2, scaled, 1);
  text_in(ui, place(table.bar, table.weight, first), Type::title12, ui.colors.text, "weight", 1);
  text_in(ui, place(table.bar, table.weight, second), Type::words11, ui.colors.text2,
          table.bar_width > ui.px(50) ? "softmax over keys" : "softmax", 1);
}

void draw_neurons_footer(Ui& ui, const NeuronsTable& table, const Rect& area) {
  const double largest = table.neurons.largest_feature;
  const float width = std::max(table.strip, ui.px(70));
  const Rect bar{{table.cells, area.min.y + ui.px(6)}, {table.cells + width, area.min.y + ui.px(16)}};
  if (largest > 0) color_bar(ui, bar, color_map_of(ui, false), {-largest, largest, false, false}, true);
  text_in(ui, {{table.products, area.min.y}, {table.score, area.min.y + ui.px(22)}}, Type::words11, ui.colors.text3,
          with_minus_signs(fmt::format("largest {:.3g}", table.neurons.largest_product)));
  text_in(ui, {{table.score, area.min.y}, {table.weight, area.min.y + ui.px(22)}}, Type::mono11, ui.colors.text3,
          "row sum " + number_label(table.neurons.weight_sum, 4), 1);
}

void draw_neurons_cells(Ui& ui, const NeuronsTable& table, const NeuronsCells& cells) {
  HeatmapSpec spec;
  spec.matrix = cells.matrix;
  spec.row0 = static_cast<double>(cells.first);
  spec.rows = static_cast<double>(cells.count);
  spec.columns = static_cast<double>(cells.matrix.dim(1));
  spec.width = static_cast<int>(table.strip);
  spec.height = static_cast<int>(static_cast<float>(cells.count) * table.pitch);
  spec.map = color_map_of(ui, false);
  spec.range = {-cells.largest, cells.largest, false, false};
  spec.theme = ui.settings.theme;
  spec.pixel_scale = static_cast<double>(ui.scale);
  if (spec.width <= 0 || spec.height <= 0) return;
  const TextureId id = ui.textures.heatmap(spec);
  const ImVec2 from{cells.left, cells.top};
  if (id == 0) return;
  canvas().AddImage(compat::texture(id), from,
                    {cells.left + static_cast<float>(spec.width), cells.top + static_cast<float>(spec.height)});
}

void draw_query_row(Ui& ui, const NeuronsTable& table, const Rect& row) {
  const std::vector<std::string>& names = table.data.rows(StageId::weights);
  text_in(ui, {row.min, {table.name_right, row.max.y}}, Type::mono_bold12, ui.colors.query,
          token_or_index(names, table.neurons.query), 1);
  const float above = std::floor((table.pitch - table.cell_height) / 2);
  draw_neurons_cells(ui, table,
                     {.matrix = table.neurons.query_features,
                      .largest = table.neurons.largest_feature,
                      .left = table.cells,
                      .top = row.min.y});
  fill({{table.cells, row.min.y}, {table.cells + table.strip, row.min.y + above}}, ui.colors.panel);
  const Rect cells{{table.cells, row.min.y + above},
                   {table.cells + table.strip, row.min.y + above + table.cell_height}};
  fill({{table.cells, cells.max.y}, {cells.max.x, row.max.y}}, ui.colors.panel);
  outline(ui, inset(cells, -ui.px(1)), ui.colors.query, 1);
  text_in(ui, {{cells.max.x + ui.px(8), row.min.y}, {table.score, row.max.y}}, Type::words11, ui.colors.query, "query");
}

void draw_product_bars(Ui& ui, const NeuronsTable& table, std::int64_t j, const Rect& row) {
  const float middle = std::round(row.center().y), reach = std::floor(table.pitch * 0.42f);
  const float cell = table.strip / static_cast<float>(table.features);
  const float gap = cell >= 6 ? ui.px(2) : cell >= 3 ? 1.0f : 0.0f;
  horizontal_line(ui, table.products, table.products + table.strip, middle, ui.colors.text3);
  for (std::int64_t d = 0; d < table.features; ++d) {
    const float share = table.neurons.product_shares[static_cast<std::size_t>(j * table.features + d)];
    const float height = std::round(std::abs(share) * reach);
    if (height < 1) continue;
    const float x = table.products + std::round(static_cast<float>(d) * cell);
    const float width =
        std::max(1.0f, std::round(static_cast<float>(d + 1) * cell) - std::round(static_cast<float>(d) * cell) - gap);
    const Rect up{{x, middle - height}, {x + width, middle}},
        down{{x, middle + ui.px(1)}, {x + width, middle + ui.px(1) + height}};
    fill(share > 0 ? up : down, share > 0 ? ui.colors.bar_positive : ui.colors.bar_negative);
  }
}

void draw_key_numbers(Ui& ui, const NeuronsTable& table, std::int64_t j, const Rect& row, bool chosen) {
  const auto at = static_cast<std::size_t>(j);
  const Type type = chosen ? Type::mono_bold12 : Type::mono12;
  const Rect score{{table.score - ui.px(72), row.min.y}, {table.score, row.max.y}};
  if (table.neurons.hidden[at]) {
    text_in(ui, score, Type::words12, ui.colors.text3, "hidden", 1);
  } else {
    text_in(ui, score, type, ui.colors.text, number_label(static_cast<double>(table.neurons.scores[at]), 3), 1);
  }
  const double weight = static_cast<double>(table.neurons.weights[at]);
  if (table.bar_width >= ui.px(16)) {
    const float height = std::min(ui.px(12), table.pitch - 2), top = std::round(row.center().y - height / 2);
    fill({{table.bar, top}, {table.bar + table.bar_width, top + height}}, ui.colors.well);
    const double share = std::isfinite(weight) ? std::clamp(weight, 0.0, 1.0) : 0.0;
    const float width = std::round(static_cast<float>(share) * table.bar_width);
    if (share > 0) {
      fill({{table.bar, top}, {table.bar + std::max(1.0f, width), top + height}},
           color_at(color_map_of(ui, true), share));
    }
  }
  text_in(ui, {{table.weight - ui.px(62), row.min.y}, {table.weight, row.max.y}}, type, ui.colors.text,
          number_label(weight, 4), 1);
}

}  // namespace headscope::ui
