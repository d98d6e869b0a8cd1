// A sweep as a map: what becomes of a metric when one part after the other takes numbers of another run.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/picture/figure/figure_views.h"
#include "core/sweep/sweep.h"

namespace headscope {
namespace {

// Where a cell lies in the map: layers are rows, but columns of stages.
struct CellOfMap {
  std::int64_t row = 0, column = 0;
};

CellOfMap place_of(const Sweep& sweep, const SweepCell& cell, SweepPatch patch) {
  switch (patch) {
    case SweepPatch::heads:
      return {cell.layer, *cell.head};
    case SweepPatch::positions:
      return {cell.layer, *cell.position};
    case SweepPatch::stages:
      break;
  }
  const std::vector<std::string> stages = sweep_stages(*sweep.trace, {});
  return {std::find(stages.begin(), stages.end(), cell.stage) - stages.begin(), cell.layer};
}

struct Changes {
  Tensor matrix;  // value - unpatched
  double largest = 0;
  const SweepCell* farthest = nullptr;  // the first of the cells that change most; null: nothing changes
};

Changes changes_of(const Sweep& sweep, SweepPatch patch) {
  std::int64_t rows = 0, columns = 0;
  for (const SweepCell& cell : sweep.cells) {
    const CellOfMap at = place_of(sweep, cell, patch);
    rows = std::max(rows, at.row + 1);
    columns = std::max(columns, at.column + 1);
  }
  Changes changes;
  std::vector<float> values(static_cast<std::size_t>(rows * columns));
  for (const SweepCell& cell : sweep.cells) {
    const CellOfMap at = place_of(sweep, cell, patch);
    const double change = cell.value - sweep.unpatched;
    values[static_cast<std::size_t>(at.row * columns + at.column)] = static_cast<float>(change);
    if (!(std::fabs(change) > changes.largest) || !std::isfinite(change)) continue;
    changes.largest = std::fabs(change);
    changes.farthest = &cell;
  }
  changes.matrix = Tensor::of({rows, columns}, {Axis::query, Axis::key}, std::move(values));
  return changes;
}

AxisNames names_of(const Sweep& sweep, SweepPatch patch) {
  const auto layers = static_cast<std::int64_t>(sweep.trace->model->layers.size());
  if (patch == SweepPatch::stages) {
    AxisNames names{.score_like = false, .row_word = "stage", .column_word = "layer"};
    names.rows = sweep_stages(*sweep.trace, {});
    return names;
  }
  AxisNames names{.score_like = false, .row_word = "layer", .column_word = "head"};
  for (std::int64_t layer = 0; layer < layers; ++layer) names.rows.push_back(std::to_string(layer));
  if (patch == SweepPatch::positions) {
    names.columns = sweep.trace->query_labels();
    names.column_word = "position";
  }
  return names;
}

std::string words_of(SweepPatch patch) {
  switch (patch) {
    case SweepPatch::heads:
      return "Rows: layers; columns: heads, whose context is replaced at all positions.";
    case SweepPatch::positions:
      return "Rows: layers; columns: the position at which the stream before the layer is replaced.";
    case SweepPatch::stages:
      break;
  }
  return "Rows: the stage that is replaced whole; columns: layers.";
}

std::string cell_words(const Sweep& sweep, const SweepCell& cell, SweepPatch patch) {
  if (patch == SweepPatch::heads) return fmt::format("layer {}, head {}", cell.layer, *cell.head);
  if (patch == SweepPatch::stages) return fmt::format("layer {}, {}", cell.layer, cell.stage);
  const std::string token = sweep.trace->query_labels()[static_cast<std::size_t>(*cell.position)];
  return fmt::format("layer {}, position {} {}", cell.layer, *cell.position, token);
}

// "logit of 'box' (6), at position 4 cat"
std::string metric_words(const Sweep& sweep) {
  std::string words = sweep_metric_text(*sweep.trace->model->checkpoint, sweep.metric);
  if (sweep.metric.kind == SweepMetric::Kind::loss) return words;
  const std::string here = sweep.trace->query_labels()[static_cast<std::size_t>(sweep.position)];
  return words + fmt::format(", at position {} {}", sweep.position, here);
}

Sheet::Title title_of(const FigureSource& source, const ModelQuestion& question) {
  Sheet::Title title;
  title.name = question.direction == SweepDirection::noise ? "A with numbers of B" : "B with numbers of A";
  title.fact = fmt::format("patched: {}", kSweepPatchNames[static_cast<std::size_t>(question.patch)]);
  title.lines = facts_of_two(*source.against, source.trace);
  return title;
}

std::vector<Span> legend_of(const Sheet& sheet, const Sweep& sweep, const Changes& changes, const MapSize& size) {
  const ModelQuestion& question = sheet.view.question;
  const bool noise = question.direction == SweepDirection::noise;
  const Rgba color = sheet.colors.text2;
  std::vector<Span> spans = legend_of_axes(sheet, fmt::format("change by the patch: {}", metric_words(sweep)),
                                           ", colours centred on zero", false);
  spans.push_back({words_of(question.patch), color});
  spans.push_back({fmt::format("Zero is {} as it ran, {}; {} has {}.", noise ? "A" : "B",
                               signed_number_text(sweep.unpatched), noise ? "B" : "A",
                               sweep.source ? signed_number_text(*sweep.source) : "none: no partner of the position"),
                   color});
  if (changes.farthest == nullptr) {
    spans.push_back({"No patch changes it.", color});
  } else {
    const double by = changes.farthest->value - sweep.unpatched;
    spans.push_back(
        {fmt::format("Largest change: {}: {} ({}{}).", cell_words(sweep, *changes.farthest, question.patch),
                     signed_number_text(changes.farthest->value), by > 0 ? "+" : "", signed_number_text(by)),
         color});
  }
  const std::string pooled = pooled_note(size, changes.matrix.dim(0), changes.matrix.dim(1), "change");
  if (!pooled.empty()) spans.push_back({fmt::format("\u00b7 {}", pooled), color});
  return spans;
}

}  // namespace

void plan_sweep(Sheet& sheet, const FigureSource& source) {
  if (source.against == nullptr || source.sweep == nullptr) {
    throw UsageError("against", "found nothing; a sweep needs the session or picture of the other run");
  }
  const Sweep& sweep = *source.sweep;
  const ModelQuestion& question = sheet.view.question;
  const Changes changes = changes_of(sweep, question.patch);
  OneMap map;
  map.title = title_of(source, question);
  map.rows = changes.matrix.dim(0);
  map.columns = changes.matrix.dim(1);
  map.names = names_of(sweep, question.patch);
  map.spec = spec_of_signed(sheet, changes.matrix, changes.largest);
  map.legend = [&](const MapSize& size) { return legend_of(sheet, sweep, changes, size); };
  plan_one_map(sheet, map);
  sheet.plan.description += fmt::format("\n{}", metric_words(sweep));
}

}  // namespace headscope
