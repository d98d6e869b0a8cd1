// Which heads read what earlier heads write, as a map of heads by heads.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/attention/model_trace.h"
#include "core/base/error.h"
#include "core/circuits/composition.h"
#include "core/picture/figure/figure_views.h"

namespace headscope {
namespace {

// Layers and heads of a model whose heads can read each other.
struct Heads {
  std::int64_t layers = 0, heads = 0;
  // Of a map: those of all layers but one.
  std::int64_t side() const { return (layers - 1) * heads; }
};

Heads heads_of(const Trace& trace) {
  if (trace.model == nullptr || trace.model->checkpoint == nullptr) {
    throw UsageError("view",
                     "found composition, but this result is " +
                         std::string(trace.model == nullptr ? "of one layer" : "a capture, which has no weights"),
                     "a model of several layers");
  }
  check_one_stack("view", *trace.model);
  const Architecture& architecture = trace.model->checkpoint->architecture();
  if (architecture.num_layers < 2) {
    throw UsageError("view", "found composition, but the model has one layer", "a model of several layers");
  }
  return {architecture.num_layers, architecture.num_heads};
}

const char* letter_of(CompositionKind kind) {
  return kind == CompositionKind::query ? "Q" : kind == CompositionKind::key ? "K" : "V";
}

// Readers of layers 1 ... by writers of layers 0 ...: the pairs that are of one layer, or the other way round, are
// hidden.
HeatmapSpec spec_of(const Sheet& sheet, const Heads& of, const Composition& found, CompositionKind kind) {
  const std::int64_t side = of.side();
  auto mask = std::make_shared<Mask>();
  mask->hidden = HiddenCells(1, 1, side, side);
  std::vector<float> values(static_cast<std::size_t>(side * side));
  std::vector<float> row(static_cast<std::size_t>(side));
  double largest = 0;
  for (std::int64_t i = 0; i < side; ++i) {
    const std::int64_t visible = (i / of.heads + 1) * of.heads;  // writers before the reader's layer
    std::uint8_t* const hidden = mask->hidden.mutable_row(0, 0, i);
    std::fill(hidden + visible, hidden + side, std::uint8_t{1});
    found.of(kind).read({{i + of.heads, i + of.heads + 1}, {0, side}}, row);
    for (std::int64_t j = 0; j < visible; ++j) {
      const double above = static_cast<double>(row[static_cast<std::size_t>(j)]) - found.random;
      values[static_cast<std::size_t>(i * side + j)] = static_cast<float>(above);
      if (std::isfinite(above)) largest = std::max(largest, std::fabs(above));
    }
  }
  mask->hidden.refresh_any();
  HeatmapSpec spec =
      spec_of_signed(sheet, Tensor::of({side, side}, {Axis::query, Axis::key}, std::move(values)), largest);
  if (mask->hidden.any()) spec.mask = std::move(mask);
  return spec;
}

AxisNames names_of(const Heads& of) {
  AxisNames names{.score_like = false, .row_word = "reads", .column_word = "writes"};
  for (std::int64_t k = 0; k < of.side(); ++k) {
    names.rows.push_back(fmt::format("{}.{}", k / of.heads + 1, k % of.heads));
    names.columns.push_back(fmt::format("{}.{}", k / of.heads, k % of.heads));
  }
  return names;
}

std::vector<Span> legend_of(const Sheet& sheet, const MapSize& size, const Heads& of, const Composition& found,
                            CompositionKind kind) {
  const Rgba color = sheet.colors.text2;
  std::vector<Span> spans =
      legend_of_axes(sheet, "composition score less that of random matrices", ", the range centred on zero", false);
  spans.push_back({fmt::format("Rows: heads that read with their {}, as layer.head; columns: heads of earlier layers "
                               "that write.",
                               kCompositionNames[static_cast<std::size_t>(kind)]),
                   color});
  const ComposedPair pair = strongest_pairs(found, kind, 1).front();
  spans.push_back({fmt::format("Random matrices have {:.3f}. Largest: {}.{} reads {}.{}, {:.3f}, {:.1f} times as much.",
                               found.random, pair.layer, pair.head, pair.from_layer, pair.from_head, pair.score,
                               pair.score / found.random),
                   color});
  const std::string pooled = pooled_note(size, of.side(), of.side(), "score");
  if (!pooled.empty()) spans.push_back({"\u00b7 " + pooled, color});
  const std::int64_t pairs = of.layers * (of.layers - 1) / 2 * of.heads * of.heads, cells = of.side() * of.side();
  if (pairs < cells) spans.push_back(legend_of_hidden(sheet, size, "not of an earlier layer", cells - pairs, cells));
  return spans;
}

}  // namespace

void plan_composition(Sheet& sheet) {
  const Heads of = heads_of(sheet.trace);
  const CompositionKind kind = sheet.view.question.reads.value_or(CompositionKind::key);
  const ModelTrace& model = *sheet.trace.model;
  const auto maps = [&](std::int64_t layer) { return head_maps(*model.checkpoint, layer, NormFolding::fold); };
  const Composition found = composition(of.layers, maps, *model.backend, sheet.cancel);
  OneMap map;
  map.title.name = fmt::format("{}-composition", letter_of(kind));
  map.title.fact = fmt::format("of the heads of {} layers, from weights alone", of.layers);
  map.rows = map.columns = of.side();
  map.names = names_of(of);
  map.spec = spec_of(sheet, of, found, kind);
  map.legend = [&](const MapSize& size) { return legend_of(sheet, size, of, found, kind); };
  plan_one_map(sheet, map);
}

}  // namespace headscope
