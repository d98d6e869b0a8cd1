#include "core/sweep/swept_parts.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/attention/model_trace.h"
#include "core/base/error.h"
#include "core/model/architecture.h"
#include "core/model/checkpoint.h"
#include "core/request/interventions.h"
#include "core/request/stage.h"
#include "core/sweep/ablation.h"
#include "core/sweep/neuron_numbers.h"
#include "core/sweep/sweep_patch.h"

namespace headscope {
namespace {

using Cells = std::vector<SweepCell>;

std::string context_name() {
  return std::string(stage_name(StageId::context));
}

void check_head(const char* option, const LayerHead& place, const Trace& trace, bool sends) {
  const auto layers = static_cast<std::int64_t>(trace.model->layers.size());
  const std::int64_t first = sends ? 0 : 1, end = sends ? layers - 1 : layers;
  const std::string found = fmt::format("found {}:{}", place.layer, place.head);
  if (place.layer < first || place.layer >= end) {
    throw UsageError(option, fmt::format("{}, but a path goes from a layer to a later one of {}", found, layers),
                     first < end ? fmt::format("a layer from {} to {}", first, end - 1) : "a model of several layers");
  }
  const std::int64_t heads = trace.num_heads();
  if (place.head < 0 || place.head >= heads) {
    throw UsageError(option, fmt::format("{}, but a layer has {} heads", found, heads),
                     fmt::format("a head from 0 to {}", heads - 1));
  }
}

// Adds the cells of paths from one head into heads of a later layer, or into the one that is named.
void add_paths(const Trace& trace, const LayerHead& from, std::int64_t layer, const std::optional<std::int64_t>& head,
               Cells& cells) {
  const std::int64_t shared = trace.num_heads() / trace.inputs->num_kv_heads;
  for (const StageId stage : kPathStages) {
    const bool query = stage == StageId::query;
    const std::int64_t count = query ? trace.num_heads() : trace.inputs->num_kv_heads;
    for (std::int64_t h = 0; h < count; ++h) {
      if (head && h != (query ? *head : *head / shared)) continue;
      cells.push_back({layer, h, {}, std::string(stage_name(stage)), 0, {}, from});
    }
  }
}

Cells paths_of(const Trace& trace, const SweepQuestion& question) {
  Cells cells;
  if (question.from) {
    check_head("from", *question.from, trace, true);
    const auto layers = static_cast<std::int64_t>(trace.model->layers.size());
    for (std::int64_t layer = question.from->layer + 1; layer < layers; ++layer) {
      add_paths(trace, *question.from, layer, {}, cells);
    }
    return cells;
  }
  check_head("into", *question.into, trace, false);
  for (std::int64_t layer = 0; layer < question.into->layer; ++layer) {
    for (std::int64_t h = 0; h < trace.num_heads(); ++h) {
      add_paths(trace, {layer, h}, question.into->layer, question.into->head, cells);
    }
  }
  return cells;
}

// The parts of one layer become cells, by what the question asks of it.
struct LayerOf {
  const Trace& trace;
  const SweepQuestion& question;
  std::int64_t layer = 0;
};

void add_heads(const LayerOf& of, Cells& cells) {
  for (std::int64_t h = 0; h < of.trace.num_heads(); ++h) cells.push_back({of.layer, h, {}, context_name(), 0});
}

void add_positions(const LayerOf& of, Cells& cells) {
  for (std::int64_t i = 0; i < of.trace.query_len(); ++i) cells.push_back({of.layer, {}, i, kStreamPatch, 0});
}

void add_stages(const LayerOf& of, Cells& cells) {
  for (const std::string& stage : sweep_stages(of.trace, of.question.ablation)) {
    cells.push_back({of.layer, {}, {}, stage, 0});
  }
}

void add_heads_positions(const LayerOf& of, Cells& cells) {
  for (std::int64_t h = 0; h < of.trace.num_heads(); ++h) {
    for (std::int64_t i = 0; i < of.trace.query_len(); ++i) cells.push_back({of.layer, h, i, context_name(), 0});
  }
}

void add_head_parts(const LayerOf& of, Cells& cells) {
  for (const StageId part : kHeadParts) {
    const std::string stage(stage_name(part));
    if (of.question.ablation == Ablation::mean && !has_mean(stage)) continue;
    const bool groups = part == StageId::key || part == StageId::value;
    const std::int64_t heads = groups ? of.trace.inputs->num_kv_heads : of.trace.num_heads();
    for (std::int64_t h = 0; h < heads; ++h) cells.push_back({of.layer, h, {}, stage, 0});
  }
}

void add_mlps(const LayerOf& of, Cells& cells) {
  check_mlps(of.trace, false);
  cells.push_back({of.layer, {}, {}, kMlpPatch, 0});
}

void add_neurons(const LayerOf& of, Cells& cells) {
  check_mlps(of.trace, true);
  const std::int64_t width = of.trace.model->checkpoint->architecture().mlp_width;
  for (std::int64_t n = 0; n < width; ++n) cells.push_back({of.layer, {}, {}, kMlpPatch, 0, {}, {}, n});
}

struct PartsOfLayer {
  SweepPatch patch;
  void (*add)(const LayerOf& of, Cells& cells);
};
constexpr PartsOfLayer kParts[] = {
    {SweepPatch::heads, add_heads},           {SweepPatch::positions, add_positions},
    {SweepPatch::stages, add_stages},         {SweepPatch::heads_positions, add_heads_positions},
    {SweepPatch::head_parts, add_head_parts}, {SweepPatch::mlps, add_mlps},
    {SweepPatch::neurons, add_neurons}};

}  // namespace

std::vector<SweepCell> swept_parts(const Trace& trace, const SweepQuestion& question) {
  if (question.patch == SweepPatch::paths) return paths_of(trace, question);
  Cells cells;
  for (const PartsOfLayer& parts : kParts) {
    if (parts.patch != question.patch) continue;
    const auto layers = static_cast<std::int64_t>(trace.model->layers.size());
    for (std::int64_t layer = 0; layer < layers; ++layer) parts.add({trace, question, layer}, cells);
  }
  return cells;
}

void check_ends(const SweepQuestion& question) {
  const bool ends = question.from || question.into;
  if (question.patch == SweepPatch::paths && !ends) {
    throw UsageError("from", "missing; --patch paths needs a head that paths begin at, or with --into end at",
                     "--from LAYER:HEAD or --into LAYER:HEAD");
  }
  if (question.patch != SweepPatch::paths && ends) {
    throw UsageError(
        question.from ? "from" : "into",
        fmt::format("found it with --patch {}", kSweepPatchNames[static_cast<std::size_t>(question.patch)]),
        "--patch paths");
  }
  if (question.from && question.into) {
    throw UsageError("into", "found --from beside it; a path is followed from one head or into one", "one of both");
  }
}

std::vector<std::string> sweep_stages(const Trace& trace, const std::optional<Ablation>& ablation) {
  std::vector<std::string> stages;
  for (const StageId stage : kSweepStages) stages.emplace_back(stage_name(stage));
  const Architecture& architecture = trace.model->checkpoint->architecture();
  if (architecture.norms_result()) stages.emplace_back(stage_name(StageId::attention_norm_out));
  if (architecture.mlp != Architecture::Mlp::none) stages.emplace_back(kMlpPatch);
  if (ablation == Ablation::mean) std::erase_if(stages, [](const std::string& stage) { return !has_mean(stage); });
  return stages;
}

}  // namespace headscope
