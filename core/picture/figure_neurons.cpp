// One query of one head against every key, feature by feature.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/minus_sign.h"
#include "core/explain/neurons.h"
#include "core/picture/figure_views.h"

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
  int products = 0;
  int score = 0, weight_bar = 0, bar_width = 0, weight = 0;  // right edges of numbers; left edge of the bar
};

MapItem feature_map(const Sheet& sheet, const StagePicture& query, Tensor matrix, int x, int y, int width, int height,
                    double largest) {
  MapItem map;
  map.x = x;
  map.y = y;
  map.spec.rows = static_cast<double>(matrix.dim(0));
  map.spec.columns = static_cast<double>(matrix.dim(1));
  map.spec.matrix = std::move(matrix);
  map.spec.width = width;
  map.spec.height = height;
  map.spec.map = query.map();
  map.spec.range = {-largest, largest, false, false};
  map.spec.theme = sheet.view.theme;
  map.spec.pixel_scale = sheet.view.scale;
  map.spec.grid = true;
  return map;
}

// A bar up or down from the middle of the row for each feature.
void add_products(Sheet& sheet, const Neurons& neurons, const StagePicture& query, const Columns& at, int y, int row,
                  std::int64_t j) {
  const std::int64_t features = neurons.products.dim(1);
  if (at.feature_cell < 2) {
    Tensor products = neurons.products.sliced(0, j, j + 1);
    sheet.plan.items.emplace_back(feature_map(sheet, query, std::move(products), at.products, y + sheet.px(3), at.strip,
                                              row - sheet.px(6), neurons.largest_product));
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

void add_numbers(Sheet& sheet, const Neurons& neurons, const Columns& at, int y, int row, std::size_t j) {
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

}  // namespace

void plan_neurons(Sheet& sheet, const StagePicture& weights, bool measure) {
  const ViewSpec& view = sheet.view;
  const Trace& trace = sheet.trace;
  if (!has_neurons(trace)) {
    throw UsageError(
        "view", "found 'neurons'; this request has no query and key, expected one that computes weights from them");
  }
  const std::int64_t heads = trace.num_heads(), queries = weights.rows(), keys = weights.columns();
  const std::int64_t token = view.token.value_or(0);
  if (view.head >= heads) {
    throw UsageError("head", fmt::format("{} asked for, the heads are 0 to {}", view.head, heads - 1));
  }
  if (token >= queries) {
    throw UsageError("token", fmt::format("{} asked for, the queries are 0 to {}", token, queries - 1));
  }
  ViewSpec signed_view = view;
  signed_view.colormap.reset();
  signed_view.range = RangeKind::automatic;
  const StagePicture query(trace, StageId::query, signed_view);
  const std::int64_t features = query.columns();

  const int row = view.cell ? std::max(sheet.px(*view.cell), 4) : sheet.px(keys <= 40 ? 26 : keys <= 400 ? 18 : 14);
  Columns at;
  at.label = sheet.margin() + std::max(sheet.row_gutter(weights.column_names(), keys, row), sheet.px(72));
  at.features = at.label;
  const double fitting = std::min(kLargestCell * view.scale, sheet.font(kStrip) / static_cast<double>(features));
  at.feature_cell = static_cast<int>(std::floor(fitting));
  at.strip = at.feature_cell >= 1 ? at.feature_cell * static_cast<int>(features) : sheet.px(kStrip);
  const int column = std::max(at.strip, sheet.px(84));  // the headings need room
  at.products = at.features + column + sheet.px(20);
  at.score = at.products + column + sheet.px(76);
  at.weight_bar = at.score + sheet.px(16);
  at.bar_width = sheet.px(110);
  at.weight = at.weight_bar + at.bar_width + sheet.px(66);
  const int width = figure_width(sheet, at.weight + sheet.margin());
  sheet.plan.width = width;

  const std::string name = fit_text(weights.row_names()[static_cast<std::size_t>(token)], FontRole::numbers_bold,
                                    sheet.font(12), sheet.font(110));
  Sheet::Title title;
  title.head = view.head;
  title.name = "Neurons";
  title.fact = fmt::format("head {}, query {} against every key", view.head, token);
  if (trace.inputs->batch > 1) title.fact += fmt::format(" \u00b7 batch {} of {}", view.batch, trace.inputs->batch);
  int y = sheet.header(title, width);
  const Palette& colors = sheet.colors;
  const double first = y + sheet.font(7), second = y + sheet.font(22);
  sheet.text_middle(at.features, first, "key", FontRole::words_bold, 12, colors.key);
  sheet.text_middle(at.features, second, fmt::format("{} features", features), FontRole::words, 11, colors.text2);
  sheet.text_middle(at.products, first, "query \u00b7 key", FontRole::words_bold, 12, colors.text);
  sheet.text_middle(at.products, second, "by feature", FontRole::words, 11, colors.text2);
  sheet.text_right(at.score, first, "score", FontRole::words_bold, 12, colors.text);
  sheet.text_right(at.score, second, scale_words(trace), FontRole::words, 11, colors.text2);
  sheet.text_right(at.weight, first, "weight", FontRole::words_bold, 12, colors.text);
  sheet.text_right(at.weight, second, "softmax over keys", FontRole::words, 11, colors.text2);
  y += sheet.px(36);

  Neurons neurons;
  if (!measure) neurons = neurons_of(trace, view.batch, view.head, token, {0, keys});
  const int cells_top = sheet.px(row > sheet.px(16) ? 5 : 1), cells = std::max(row - 2 * cells_top, 2);
  sheet.text_right(at.label - sheet.px(8), y + row / 2.0, name, FontRole::numbers_bold, 12, colors.query);
  if (!measure) {
    sheet.plan.items.emplace_back(feature_map(sheet, query, neurons.query_features, at.features, y + cells_top,
                                              at.strip, cells, neurons.largest_feature));
  }
  sheet.text_middle(at.features + column + sheet.px(20), y + row / 2.0, "query", FontRole::words, 11, colors.query);
  y += row + sheet.px(6);
  const int top = y;
  sheet.row_labels(weights.column_names(), keys, at.label, top, row);
  for (std::int64_t j = 0; j < keys && !measure; ++j, y += row) {
    sheet.plan.items.emplace_back(feature_map(sheet, query, neurons.key_features.sliced(0, j, j + 1), at.features,
                                              y + cells_top, at.strip, cells, neurons.largest_feature));
    add_products(sheet, neurons, query, at, y, row, j);
    add_numbers(sheet, neurons, at, y, row, static_cast<std::size_t>(j));
  }
  y = top + static_cast<int>(std::min<std::int64_t>(keys * row, 1 << 20)) + sheet.px(10);
  const double largest = neurons.largest_feature;
  if (view.color_bar) {
    sheet.level_bar(at.features, y, std::clamp(at.strip, sheet.px(84), sheet.px(156)), query.map(),
                    {-largest, largest, false, false});
  }
  if (!measure) {
    sheet.text_middle(at.products, y + sheet.font(6),
                      "largest " + tick_text(neurons.largest_product, neurons.largest_product), FontRole::words, 11,
                      colors.text3);
    sheet.text_right(
        at.weight, y + sheet.font(6),
        std::isfinite(neurons.weight_sum) ? fmt::format("row sum {:.4f}", neurons.weight_sum) : "row sum NaN",
        FontRole::numbers, 11, colors.text3);
  }
  y += sheet.px(38);
  std::string words = fmt::format(
      "Cells: features of the key, and of the query above. {}: their products; the sum of a row is raw_scores.",
      at.feature_cell < 2 ? "Right" : "Bars");
  if (at.strip < features) {
    words += fmt::format(" Each pixel shows the largest of up to {} features.", (features + at.strip - 1) / at.strip);
  }
  y += sheet.paragraph(sheet.margin(), y, width - 2 * sheet.margin(), {{words, colors.text2}});
  sheet.plan.height = y + sheet.px(10);
}

}  // namespace headscope
