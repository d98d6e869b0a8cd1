// A sweep as a map: what becomes of a metric when one part after the other takes numbers of another run.
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/picture/figure/figure_views.h"
#include "core/sweep/sweep_map.h"

namespace headscope {
namespace {

struct Changes {
  SweepMap map;
  Tensor matrix;  // value - unpatched; NaN where the map has no cell
  double largest = 0;
  const SweepCell* farthest = nullptr;  // null: nothing changes
};

Changes changes_of(const Sweep& sweep) {
  Changes changes;
  changes.map = sweep_map(sweep);
  const SweepMap& map = changes.map;
  std::vector<float> values(map.cells.size(), std::numeric_limits<float>::quiet_NaN());
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (map.cells[k] < 0) continue;
    values[k] = static_cast<float>(change_of(sweep, sweep.cells[static_cast<std::size_t>(map.cells[k])], false));
  }
  changes.farthest = farthest_cell(sweep, sweep.cells.size(), false);
  if (changes.farthest != nullptr) changes.largest = std::fabs(change_of(sweep, *changes.farthest, false));
  changes.matrix = Tensor::of({map.rows, map.columns}, {Axis::query, Axis::key}, std::move(values));
  return changes;
}

AxisNames names_of(const Sweep& sweep, const SweepMap& map) {
  AxisNames names{.score_like = false, .row_word = map.row_word, .column_word = map.column_word};
  if (map.row_word == "layer") {
    for (std::int64_t layer = 0; layer < map.rows; ++layer) names.rows.push_back(std::to_string(layer));
  } else {
    names.rows = map.row_names;
  }
  if (map.column_word == "position") names.columns = sweep.trace->query_labels();
  return names;
}

std::string words_of(const Sweep& sweep) {
  const SweepMapInfo& info = sweep_map_info(sweep.patch);
  if (*info.words != '\0') return info.words;
  const SweepCell& any = sweep.cells.front();
  if (sweep.into) {
    return fmt::format(
        "Rows: layers, and what the later head reads; columns: the head whose context is replaced on its way into "
        "layer {}, head {}, alone.",
        any.layer, *any.head);
  }
  return fmt::format(
      "Rows: later layers, and what their heads read; columns: the head into which alone the replaced context of layer "
      "{}, head {}, goes.",
      any.from->layer, any.from->head);
}

// "logit of 'box' (6), at position 4 cat"
std::string metric_words(const Sweep& sweep) {
  std::string words = sweep_metric_text(*sweep.trace->model->checkpoint, sweep.metric);
  if (!sweep.metric.has_position()) return words;
  const std::string here = sweep.trace->query_labels()[static_cast<std::size_t>(sweep.position)];
  return words + fmt::format(", at position {} {}", sweep.position, here);
}

Sheet::Title sweep_title(const FigureSource& source, const ModelQuestion& question) {
  Sheet::Title title;
  title.name = question.ablation == Ablation::zero           ? "zeros in place of a part"
               : question.ablation                           ? "its mean in place of a part"
               : question.direction == SweepDirection::noise ? "A with numbers of B"
                                                             : "B with numbers of A";
  title.fact = fmt::format("patched: {}", kSweepPatchNames[static_cast<std::size_t>(question.patch)]);
  title.lines = source.against != nullptr ? facts_of_two(*source.against, source.trace)
                                          : std::vector{request_facts(source.trace)};
  return title;
}

std::vector<Span> legend_of(const Sheet& sheet, const Sweep& sweep, const Changes& changes, const MapSize& size) {
  const bool noise = sheet.view.question.direction == SweepDirection::noise;
  const Rgba color = sheet.colors.text2;
  std::vector<Span> spans = legend_of_axes(sheet, fmt::format("change by the patch: {}", metric_words(sweep)),
                                           ", colours centred on zero", false);
  spans.push_back({words_of(sweep), color});
  if (sheet.view.question.ablation) {
    spans.push_back({fmt::format("Zero is the run as it was, {}.", signed_number_text(sweep.unpatched)), color});
  } else {
    const std::string other = sweep.source ? signed_number_text(*sweep.source) : "none: no partner of the position";
    spans.push_back({fmt::format("Zero is {} as it ran, {}; {} has {}.", noise ? "A" : "B",
                                 signed_number_text(sweep.unpatched), noise ? "B" : "A", other),
                     color});
  }
  if (changes.farthest == nullptr) {
    spans.push_back({"No patch changes it.", color});
  } else {
    const double by = changes.farthest->value - sweep.unpatched;
    spans.push_back(
        {fmt::format("Largest change: {}: {} ({}{}).", sweep_cell_name(*changes.farthest, sweep.trace->query_labels()),
                     signed_number_text(changes.farthest->value), by > 0 ? "+" : "", signed_number_text(by)),
         color});
  }
  const std::string pooled = pooled_note(size, changes.matrix.dim(0), changes.matrix.dim(1), "change");
  if (!pooled.empty()) spans.push_back({fmt::format("\u00b7 {}", pooled), color});
  return spans;
}

}  // namespace

void plan_sweep(Sheet& sheet, const FigureSource& source) {
  if (source.sweep == nullptr && sheet.view.question.ablation) {
    throw UsageError("ablation", "found no sweep whose runs are all known");
  }
  if (source.sweep == nullptr || (source.against == nullptr && !sheet.view.question.ablation)) {
    throw UsageError("against", "found nothing; a sweep needs the session or picture of the other run");
  }
  const Sweep& sweep = *source.sweep;
  const ModelQuestion& question = sheet.view.question;
  const Changes changes = changes_of(sweep);
  OneMap map;
  map.title = sweep_title(source, question);
  map.rows = changes.matrix.dim(0);
  map.columns = changes.matrix.dim(1);
  map.names = names_of(sweep, changes.map);
  map.spec = spec_of_signed(sheet, changes.matrix, changes.largest);
  map.legend = [&](const MapSize& size) { return legend_of(sheet, sweep, changes, size); };
  plan_one_map(sheet, map);
  sheet.plan.description += fmt::format("\n{}", metric_words(sweep));
}

}  // namespace headscope
