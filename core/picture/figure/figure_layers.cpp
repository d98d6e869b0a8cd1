// All layers and heads of a model as a grid of maps, or as one map made of all of them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/attention/capture_trace.h"
#include "core/attention/model_trace.h"
#include "core/heads/head_metric_values.h"
#include "core/heads/shown_aggregate.h"
#include "core/picture/figure/figure_views.h"
#include "core/request/intervention_kinds.h"

namespace headscope {
namespace {

constexpr double kTarget = 880, kLargestTile = 120, kSmallestTile = 24, kNamedFrom = 40, kStrip = 64;

// The layers of the trace, itself where it is none of a model's.
std::vector<const Trace*> layers_of(const Trace& trace) {
  std::vector<const Trace*> layers;
  if (trace.model == nullptr) return {&trace};
  for (const auto& layer : trace.model->layers) {
    if (layer == nullptr && trace.model->capture != nullptr && !trace.model->capture->other_lengths.empty()) {
      throw UsageError("view", "layers needs layers of the same lengths, and the capture's layers have several");
    }
    if (layer == nullptr) throw UsageError("view", "layers needs all layers, and not all of them were computed");
    layers.push_back(layer.get());
  }
  return layers;
}

double mean_entropy(const Trace& layer, std::int64_t batch, const CancelToken& cancel) {
  const TokenPlaces places(layer);
  double sum = 0, known = 0;
  for (std::int64_t h = 0; h < layer.num_heads(); ++h) {
    const MetricValue entropy = head_metrics(layer, batch, h, places, cancel)[HeadMetric::entropy];
    if (entropy.rows == 0) continue;
    sum += entropy.value;
    known += 1;
  }
  return known > 0 ? sum / known : NAN;
}

Sheet::Title title_of(const Sheet& sheet, std::size_t layers, std::int64_t heads, const StagePicture& stage,
                      const std::string& fact) {
  Sheet::Title title;
  title.name = "Layers × heads";
  title.stage = stage_name(stage.stage());
  title.fact = fmt::format("{} heads, {} × {}", static_cast<std::int64_t>(layers) * heads, layers, heads) + fact;
  if (stage.shape()[0] > 1) title.fact += fmt::format(", batch {} of {}", sheet.view.batch, stage.shape()[0]);
  return title;
}

// One range for all heads of all layers.
ValueRange shared_range(const std::vector<StagePicture>& stages) {
  ValueRange range = stages.front().range(0, stages.front().heads());
  for (const StagePicture& stage : stages) {
    const ValueRange own = stage.range(0, stage.heads());
    range.low = std::min(range.low, own.low);
    range.high = std::max(range.high, own.high);
  }
  return range;
}

// Pixels of the grid of maps: a row for a layer, a column for a head.
struct Grid {
  std::int64_t heads = 0;
  int left = 0, tile = 0, gap = 0;  // edge of the first map, side of a map, between two

  int x_of(std::int64_t head) const { return left + static_cast<int>(head) * (tile + gap); }
};

// The side of a map: as wide as the figure allows, or of cells as large as asked for.
int tile_side(const Sheet& sheet, const StagePicture& first, int fixed) {
  if (sheet.view.cell) {
    const std::int64_t side = sheet.px(*sheet.view.cell) * std::max(first.rows(), first.columns());
    return static_cast<int>(std::min<std::int64_t>(side, 1 << 14));
  }
  const int room = (sheet.view.width ? *sheet.view.width : sheet.px(kTarget)) - fixed;
  return std::clamp(room / static_cast<int>(first.heads()), sheet.px(kSmallestTile), sheet.px(kLargestTile));
}

void add_head_names(Sheet& sheet, const Grid& grid, int y) {
  const double middle = y + sheet.font(7);
  const bool words = grid.tile >= sheet.px(kNamedFrom);
  sheet.text_middle(sheet.margin(), middle, "entropy", FontRole::words, 11, sheet.colors.text3);
  for (std::int64_t h = 0; h < grid.heads; ++h) {
    const double center = grid.left + static_cast<double>(h) * (grid.tile + grid.gap) + grid.tile / 2.0;
    sheet.text_centred(center, middle, words ? fmt::format("head {}", h) : std::to_string(h), FontRole::numbers, 11,
                       sheet.colors.text2);
  }
}

// The number of the layer, and its mean entropy where there is room.
void add_layer_name(Sheet& sheet, const Grid& grid, const Trace& layer, std::size_t number, int y, bool measure) {
  const double middle = y + grid.tile / 2.0;
  const bool two = grid.tile >= sheet.px(kNamedFrom);
  sheet.text_middle(sheet.margin(), two ? middle - sheet.font(8) : middle,
                    two ? fmt::format("layer {}", number) : std::to_string(number), FontRole::words, 12,
                    sheet.colors.text2);
  if (measure || !two) return;
  const double entropy = mean_entropy(layer, sheet.view.batch, sheet.cancel);
  sheet.text_middle(sheet.margin(), middle + sheet.font(8),
                    std::isnan(entropy) ? "NaN" : fmt::format("{:.2f}", entropy), FontRole::numbers, 11,
                    sheet.colors.text2);
}

// The maps of a layer's heads, an ablated one in a frame.
void add_layer_maps(Sheet& sheet, const Grid& grid, const StagePicture& stage, std::size_t layer, int y,
                    const ValueRange& range) {
  const int tile = grid.tile;
  for (std::int64_t h = 0; h < grid.heads; ++h) {
    const int x = grid.x_of(h);
    const bool ablated = is_ablated(sheet.trace.request, {static_cast<std::int64_t>(layer), h});
    const int ring = ablated ? sheet.px(2) : 0;
    if (ablated) sheet.rect(x - ring, y - ring, tile + 2 * ring, tile + 2 * ring, sheet.colors.bad);
    MapItem map{x, y, stage.spec(h), CellText::none};
    map.spec.width = map.spec.height = tile;
    map.spec.range = range;
    map.spec.grid = false;
    map.spec.hatch_x = x;
    map.spec.hatch_y = y;
    sheet.plan.items.emplace_back(map);
  }
}

void plan_grid(Sheet& sheet, const std::vector<const Trace*>& layers, const std::vector<StagePicture>& stages,
               bool measure) {
  const StagePicture& first = stages.front();
  const std::int64_t heads = first.heads();
  const auto across = static_cast<int>(heads);
  const bool labels = sheet.view.labels;
  const int gap = sheet.px(5), strip = labels ? sheet.px(kStrip) : 0;
  const int fixed = 2 * sheet.margin() + strip + (across - 1) * gap;
  const int tile = tile_side(sheet, first, fixed);
  const Grid grid{heads, sheet.margin() + strip, tile, gap};
  const int width = figure_width(sheet, fixed + across * tile);
  sheet.plan.width = width;
  const std::size_t count = ablated_heads(sheet.trace.request).size();
  const std::string off = count == 0 ? "" : fmt::format(", {} off", count);
  int y = sheet.header(title_of(sheet, layers.size(), heads, first, off), width);
  if (labels) {
    add_head_names(sheet, grid, y);
    y += sheet.px(20);
  }
  const ValueRange range = measure ? ValueRange{} : shared_range(stages);
  for (std::size_t l = 0; l < layers.size(); ++l) {
    if (labels) add_layer_name(sheet, grid, *layers[l], l, y, measure);
    add_layer_maps(sheet, grid, stages[l], l, y, range);
    y += tile + gap;
  }
  y += sheet.px(6);
  const int bar = std::min(sheet.px(200), width - 2 * sheet.margin() - strip);
  sheet.level_bar(grid.left, y, bar, first.map(), range);
  const int below = sheet.view.color_bar ? sheet.px(34) : 0;
  MapSize size;
  size.width = size.height = tile;
  size.cell_width = tile / static_cast<double>(first.columns());
  size.cell_height = tile / static_cast<double>(first.rows());
  const int words = sheet.paragraph(sheet.margin(), y + below, width - 2 * sheet.margin(),
                                    legend(sheet, first, ", one range for all heads", size, 0));
  sheet.plan.height = y + below + words + sheet.px(10);
}

void plan_aggregate(Sheet& sheet, const std::vector<const Trace*>& layers, const StagePicture& stage, bool measure) {
  const Aggregate aggregate = *sheet.view.aggregate;
  FitRequest request{stage.rows(), stage.columns()};
  request.fixed_room = 2 * sheet.margin() + sheet.upright_bar_room();
  const Fit fit = fitted(sheet, stage.names(), request);
  const MapSize& size = fit.size;
  const int width = figure_width(sheet, request.fixed_room + fit.gutter + size.width);
  sheet.plan.width = width;
  const int x = sheet.margin() + fit.gutter;
  const std::string fact = ", " + std::string(aggregate_name(aggregate));
  const int y = sheet.header(title_of(sheet, layers.size(), stage.heads(), stage, fact), width) + fit.column_height;
  MapItem map{x, y, stage.spec(0), CellText::weights};
  map.spec.mask = nullptr;
  map.spec.batch = map.spec.head = 0;
  if (!measure) {
    ShownAggregate shown = shown_aggregate(aggregate, layers_of(*sheet.computed), sheet.view.batch,
                                           showing_of(sheet.trace.request), sheet.cancel);
    map.spec.matrix = std::move(shown.matrix);
    map.spec.mask = std::move(shown.mask);
  }
  map.spec.width = size.width;
  map.spec.height = size.height;
  map.spec.range = stage.range(0, 1);
  if (!measure && !stage.zero_to_one() && sheet.view.range == RangeKind::automatic) {
    const ValueRange own = automatic_range(map.spec.matrix, true, false, map.spec.mask.get());
    map.spec.range.low = own.low;
    map.spec.range.high = own.high;
  }
  map.spec.hatch_x = x;
  map.spec.hatch_y = y;
  const ValueRange range = map.spec.range;
  sheet.plan.items.emplace_back(map);
  sheet.row_labels(stage.row_names(), stage.rows(), x, y,
                   static_cast<double>(size.height) / static_cast<double>(stage.rows()));
  sheet.column_labels(stage.column_names(), stage.columns(), x, y,
                      static_cast<double>(size.width) / static_cast<double>(stage.columns()));
  sheet.corner(x, y, stage.names());
  const int bar_height = std::clamp(size.height, sheet.px(48), sheet.px(400));
  sheet.upright_bar(x + size.width + sheet.upright_bar_gap(), y, bar_height, stage.map(), range);
  int bottom = y + std::max(size.height, sheet.view.color_bar ? bar_height : 0) + sheet.px(10);
  std::vector<Span> words = {{std::string(aggregate_formula(aggregate)) + ".", sheet.colors.text2}};
  add_words_of_numbers(sheet, size, map.cell_text, words);
  add_words_of_shown(sheet, words);
  bottom += sheet.paragraph(sheet.margin(), bottom, width - 2 * sheet.margin(), words);
  sheet.plan.height = bottom + sheet.px(10);
}

}  // namespace

void plan_layers(Sheet& sheet, bool measure) {
  const std::vector<const Trace*> layers = layers_of(sheet.trace);
  const StageId shown = sheet.view.aggregate ? StageId::weights : sheet.view.stage;
  std::vector<StagePicture> stages;
  for (const Trace* layer : layers) stages.emplace_back(*layer, shown, sheet.view);
  if (!is_score_like(shown)) {
    throw UsageError("stage", fmt::format("{} has no maps of queries and keys; --view layers draws weights or scores",
                                          stage_name(shown)));
  }
  if (sheet.view.aggregate) {
    plan_aggregate(sheet, layers, stages.front(), measure);
  } else {
    plan_grid(sheet, layers, stages, measure);
  }
}

}  // namespace headscope
