// One query of one head against every key, feature by feature.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/base/grouped_digits.h"
#include "core/base/minus_sign.h"
#include "core/explain/neurons.h"
#include "core/picture/figure/figure_views.h"

namespace headscope {

namespace {

constexpr double kStrip = 224;       // units that the features of a key take at most
constexpr double kLargestCell = 16;  // of one feature

std::string score_text(float value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return with_minus_signs(value > 0 ? "inf" : "-inf");
  std::string text = fmt::format("{:.3f}", std::fabs(value));
  return (std::signbit(value) && text != "0.000" ? kMinusSign : "") + text;
}

std::string scale_words(const Trace& trace) {
  const double root = 1 / (trace.scale * trace.scale);
  const bool whole = std::fabs(root - std::round(root)) < 1e-6 * root;
  if (trace.scale == 1) return "sum, not scaled";
  return whole ? fmt::format("sum / \u221a{:.0f}", root) : fmt::format("sum \u00d7 {:.4g}", trace.scale);
}

struct Columns {
  int label = 0;                       // right edge of the names
  int features = 0, feature_cell = 0;  // left edge; pixels a feature, 0: more features than pixels
  int strip = 0;                       // width of a strip of features
  int column = 0;                      // room for a strip, at least for its headings
  int products = 0;
  int score = 0, weight_bar = 0, bar_width = 0, weight = 0;  // right edges of numbers; left edge of the bar
};

// What every row of the figure is drawn from.
struct Table {
  Sheet& sheet;
  const StagePicture& weights;  // names the tokens
  const StagePicture& query;    // colours of the features
  const Neurons& neurons;       // empty where the figure is only measured
  Columns at;
  int row = 0;                   // height of a row
  int cells_top = 0, cells = 0;  // of the features within a row
};

// Pixels of a strip.
struct Place {
  int x = 0, y = 0, width = 0, height = 0;
};

void check_asked(const Sheet& sheet, const StagePicture& weights) {
  const ViewSpec& view = sheet.view;
  if (!has_neurons(sheet.trace)) {
    throw UsageError(
        "view", "found 'neurons'; this request has no query and key, expected one that computes weights from them");
  }
  if (view.head >= sheet.trace.num_heads()) {
    throw UsageError("head",
                     fmt::format("{} asked for, the heads are 0 to {}", view.head, sheet.trace.num_heads() - 1));
  }
  const std::int64_t token = view.token.value_or(0);
  if (token >= weights.rows()) {
    throw UsageError("token", fmt::format("{} asked for, the queries are 0 to {}", token, weights.rows() - 1));
  }
}

int row_height(const Sheet& sheet, std::int64_t keys) {
  if (sheet.view.cell) return std::max(sheet.px(*sheet.view.cell), 4);
  return sheet.px(keys <= 40 ? 26 : keys <= 400 ? 18 : 14);
}

Columns columns_of(Sheet& sheet, const StagePicture& weights, std::int64_t features, int row) {
  Columns at;
  at.label = sheet.margin() + std::max(sheet.row_gutter(weights.column_names(), weights.columns(), row), sheet.px(72));
  at.features = at.label;
  const double fitting = std::min(kLargestCell * sheet.view.scale, sheet.font(kStrip) / static_cast<double>(features));
  at.feature_cell = static_cast<int>(std::floor(fitting));
  at.strip = at.feature_cell >= 1 ? at.feature_cell * static_cast<int>(features) : sheet.px(kStrip);
  at.column = std::max(at.strip, sheet.px(84));
  at.products = at.features + at.column + sheet.px(20);
  at.score = at.products + at.column + sheet.px(76);
  at.weight_bar = at.score + sheet.px(16);
  at.bar_width = sheet.px(110);
  at.weight = at.weight_bar + at.bar_width + sheet.px(66);
  return at;
}

MapItem feature_map(const Sheet& sheet, const StagePicture& query, Tensor matrix, const Place& place, double largest) {
  MapItem map;
  map.x = place.x;
  map.y = place.y;
  map.spec.rows = static_cast<double>(matrix.dim(0));
  map.spec.columns = static_cast<double>(matrix.dim(1));
  map.spec.matrix = std::move(matrix);
  map.spec.width = place.width;
  map.spec.height = place.height;
  map.spec.map = query.map();
  map.spec.range = {-largest, largest, false, false};
  map.spec.theme = sheet.view.theme;
  map.spec.pixel_scale = sheet.view.scale;
  map.spec.grid = true;
  return map;
}

// A strip of features of the query or of a key in the row at y.
void add_features(const Table& table, Tensor features, int y) {
  const Place place{table.at.features, y + table.cells_top, table.at.strip, table.cells};
  table.sheet.plan.items.emplace_back(
      feature_map(table.sheet, table.query, std::move(features), place, table.neurons.largest_feature));
}

// A bar up or down from the middle of the row for each feature.
void add_products(const Table& table, int y, std::int64_t j) {
  Sheet& sheet = table.sheet;
  const Neurons& neurons = table.neurons;
  const Columns& at = table.at;
  const int row = table.row;
  const std::int64_t features = neurons.products.dim(1);
  if (at.feature_cell < 2) {
    const Place place{at.products, y + sheet.px(3), at.strip, row - sheet.px(6)};
    sheet.plan.items.emplace_back(
        feature_map(sheet, table.query, neurons.products.sliced(0, j, j + 1), place, neurons.largest_product));
    return;
  }
  const int middle = y + row / 2, reach = row / 2 - 1;
  const int gap = at.feature_cell >= 6 ? std::min(sheet.px(2), at.feature_cell - 2) : 0;
  sheet.rect(at.products, middle, at.strip, sheet.px(1), sheet.colors.text3);
  for (std::int64_t d = 0; d < features; ++d) {
    const double value = static_cast<double>(neurons.products.at({j, d}));
    if (!std::isfinite(value) || neurons.largest_product == 0) continue;
    const int height = static_cast<int>(std::lround(std::fabs(value) / neurons.largest_product * reach));
    if (height == 0) continue;
    const int x = at.products + static_cast<int>(d) * at.feature_cell + gap / 2;
    if (value > 0) {
      sheet.rect(x, middle - height, at.feature_cell - gap, height, sheet.colors.bar_positive);
    } else {
      sheet.rect(x, middle + sheet.px(1), at.feature_cell - gap, height, sheet.colors.bar_negative);
    }
  }
}

void add_numbers(const Table& table, int y, std::size_t j) {
  Sheet& sheet = table.sheet;
  const Neurons& neurons = table.neurons;
  const Columns& at = table.at;
  const int row = table.row;
  const double middle = y + row / 2.0;
  const Palette& colors = sheet.colors;
  const bool hidden = neurons.hidden[j];
  sheet.text_right(at.score, middle, hidden ? "hidden" : score_text(neurons.scores[j]),
                   hidden ? FontRole::words : FontRole::numbers, 12, hidden ? colors.text3 : colors.text);
  const int bar_top = y + std::max(1, (row - sheet.px(12)) / 2), bar_height = std::min(sheet.px(12), row - 2);
  sheet.rect(at.weight_bar, bar_top, at.bar_width, bar_height, colors.well);
  const float weight = neurons.weights[j];
  if (std::isfinite(weight) && weight > 0) {
    const double share = std::min(1.0, static_cast<double>(weight));
    const ColorMap map = sheet.view.colormap.value_or(default_color_map(false, sheet.view.theme));
    sheet.rect(at.weight_bar, bar_top, std::max(1, static_cast<int>(std::lround(share * at.bar_width))), bar_height,
               color_at(map, share));
  }
  sheet.text_right(at.weight, middle, std::isnan(weight) ? "NaN" : fmt::format("{:.4f}", weight), FontRole::numbers, 12,
                   colors.text);
}

void add_headings(const Table& table, int y) {
  Sheet& sheet = table.sheet;
  const Columns& at = table.at;
  const Palette& colors = sheet.colors;
  const double first = y + sheet.font(7), second = y + sheet.font(22);
  sheet.text_middle(at.features, first, "key", FontRole::words_bold, 12, colors.key);
  sheet.text_middle(at.features, second, fmt::format("{} features", grouped_digits(table.query.columns())),
                    FontRole::words, 11, colors.text2);
  sheet.text_middle(at.products, first, "query \u00b7 key", FontRole::words_bold, 12, colors.text);
  sheet.text_middle(at.products, second, "by feature", FontRole::words, 11, colors.text2);
  sheet.text_right(at.score, first, "score", FontRole::words_bold, 12, colors.text);
  sheet.text_right(at.score, second, scale_words(sheet.trace), FontRole::words, 11, colors.text2);
  sheet.text_right(at.weight, first, "weight", FontRole::words_bold, 12, colors.text);
  sheet.text_right(at.weight, second, "softmax over keys", FontRole::words, 11, colors.text2);
}

// The features of the query, above those of the keys.
void add_query(const Table& table, int y, std::int64_t token, bool measure) {
  Sheet& sheet = table.sheet;
  const Columns& at = table.at;
  const double middle = y + table.row / 2.0;
  const std::string name = fit_text(table.weights.row_names()[static_cast<std::size_t>(token)], FontRole::numbers_bold,
                                    sheet.font(12), sheet.font(110));
  sheet.text_right(at.label - sheet.px(8), middle, name, FontRole::numbers_bold, 12, sheet.colors.query);
  if (!measure) add_features(table, table.neurons.query_features, y);
  sheet.text_middle(at.features + at.column + sheet.px(20), middle, "query", FontRole::words, 11, sheet.colors.query);
}

void add_keys(const Table& table, int y, std::int64_t keys, bool measure) {
  table.sheet.row_labels(table.weights.column_names(), keys, table.at.label, y, table.row);
  for (std::int64_t j = 0; j < keys && !measure; ++j, y += table.row) {
    add_features(table, table.neurons.key_features.sliced(0, j, j + 1), y);
    add_products(table, y, j);
    add_numbers(table, y, static_cast<std::size_t>(j));
  }
}

// The colour bar, the largest product and the sum of the weights.
void add_scales(const Table& table, int y, bool measure) {
  Sheet& sheet = table.sheet;
  const Neurons& neurons = table.neurons;
  const Columns& at = table.at;
  const double largest = neurons.largest_feature;
  if (sheet.view.color_bar) {
    sheet.level_bar(at.features, y, std::clamp(at.strip, sheet.px(84), sheet.px(156)), table.query.map(),
                    {-largest, largest, false, false});
  }
  if (measure) return;
  sheet.text_middle(at.products, y + sheet.font(6),
                    "largest " + tick_text(neurons.largest_product, neurons.largest_product), FontRole::words, 11,
                    sheet.colors.text3);
  sheet.text_right(
      at.weight, y + sheet.font(6),
      std::isfinite(neurons.weight_sum) ? fmt::format("row sum {:.4f}", neurons.weight_sum) : "row sum NaN",
      FontRole::numbers, 11, sheet.colors.text3);
}

std::string legend_words(const Columns& at, std::int64_t features) {
  std::string words = fmt::format(
      "Cells: features of the key, and of the query above. {}: their products; the sum of a row is raw_scores.",
      at.feature_cell < 2 ? "Right" : "Bars");
  if (at.strip < features) {
    words += fmt::format(" Each pixel shows the largest of up to {} features.", (features + at.strip - 1) / at.strip);
  }
  return words;
}

Sheet::Title title_of(const Sheet& sheet, std::int64_t token) {
  const ViewSpec& view = sheet.view;
  const std::int64_t batch = sheet.trace.inputs->batch;
  Sheet::Title title;
  title.head = view.head;
  title.name = "Neurons";
  title.fact = fmt::format("head {}, query {} against every key", view.head, token);
  if (batch > 1) title.fact += fmt::format(" \u00b7 batch {} of {}", view.batch, batch);
  return title;
}

}  // namespace

void plan_neurons(Sheet& sheet, const StagePicture& weights, bool measure) {
  check_asked(sheet, weights);
  const ViewSpec& view = sheet.view;
  const std::int64_t keys = weights.columns(), token = view.token.value_or(0);
  ViewSpec signed_view = view;
  signed_view.colormap.reset();
  signed_view.range = RangeKind::automatic;
  const StagePicture query(sheet.trace, StageId::query, signed_view);

  const int row = row_height(sheet, keys);
  const Columns at = columns_of(sheet, weights, query.columns(), row);
  const int width = figure_width(sheet, at.weight + sheet.margin());
  sheet.plan.width = width;
  Neurons neurons;
  if (!measure) neurons = neurons_of(sheet.trace, view.batch, view.head, token, {0, keys});
  const int cells_top = sheet.px(row > sheet.px(16) ? 5 : 1);
  const Table table{sheet, weights, query, neurons, at, row, cells_top, std::max(row - 2 * cells_top, 2)};

  int y = sheet.header(title_of(sheet, token), width);
  add_headings(table, y);
  y += sheet.px(36);
  add_query(table, y, token, measure);
  y += row + sheet.px(6);
  add_keys(table, y, keys, measure);
  y += static_cast<int>(std::min<std::int64_t>(keys * row, 1 << 20)) + sheet.px(10);
  add_scales(table, y, measure);
  y += sheet.px(38);
  y += sheet.paragraph(sheet.margin(), y, width - 2 * sheet.margin(),
                       {{legend_words(at, query.columns()), sheet.colors.text2}});
  sheet.plan.height = y + sheet.px(10);
}

}  // namespace headscope
