// What a sweep is asked, its cells, and what is found.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/attention/patches.h"
#include "core/attention/trace.h"
#include "core/request/interventions.h"
#include "core/request/request.h"
#include "core/request/stage.h"
#include "core/sweep/ablation.h"
#include "core/sweep/sweep_metric.h"
#include "core/sweep/sweep_patch.h"

namespace headscope {

// The stages of SweepPatch::head_parts: key and value are those of a group of heads.
inline constexpr StageId kHeadParts[] = {StageId::query, StageId::key, StageId::value, StageId::weights,
                                         StageId::context};

// The stages of SweepPatch::stages that every model has; sweep_stages() adds what some have.
inline constexpr StageId kSweepStages[] = {StageId::query,   StageId::key,     StageId::value,
                                           StageId::weights, StageId::context, StageId::output};

struct SweepQuestion {
  Request patched;     // the run that takes numbers
  Request source;      // the run whose numbers they are
  std::string metric;  // as parse_sweep_metric() reads it
  SweepPatch patch = SweepPatch::heads;
  std::optional<std::int64_t> at;  // a position of `patched`; nullopt: the first mask token, else the last position
  // Instead of `source`, which then does not count; and the phrases over whose positions a mean is taken, without the
  // interventions of `patched` (empty: over its own positions).
  std::optional<Ablation> ablation = {};
  std::vector<std::string> mean_over = {};
  SweepEstimate estimate = SweepEstimate::none;
  // One of both with SweepPatch::paths: from this head into every later one, or from every earlier one into this head.
  std::optional<LayerHead> from = {}, into = {};
  // Which of both runs is the clean one, as metrics name it: of denoise the source, else the one that is patched.
  SweepDirection direction = SweepDirection::denoise;
  // Positions are partners by their numbers, of two texts with as many tokens, and not as align_tokens() finds them.
  bool by_place = false;
};

struct SweepCell {
  std::int64_t layer = 0;
  std::optional<std::int64_t> head, position;
  std::string stage;  // as PatchedStage::stage
  double value = 0;   // the metric of the patched run; NaN where cells are estimated alone
  std::optional<double> estimate = {};
  // Of a path: the head whose output is replaced on its way into `stage`, which is query, key or value of `head`.
  std::optional<LayerHead> from = {};
  // Of SweepPatch::neurons: the neuron of the layer's MLP by which its `stage`, mlp_out, changes.
  std::optional<std::int64_t> neuron = {};
};

// SweepMetric::recovered makes 0 and 1 of these, the metric of the corrupt and of the clean run.
struct RecoveredEnds {
  double corrupt = 0, clean = 1;
};

struct Sweep {
  SweepPatch patch = SweepPatch::heads;
  bool into = false;  // paths end at one head; else they begin at one
  SweepMetric metric;
  std::vector<double> reference = {};    // log_probabilities() of the run that the metric is held against; or empty
  std::int64_t position = 0;             // where it is taken
  double unpatched = 0;                  // of the request's own run
  std::optional<double> source;          // of the source's own run at the partner of the position; nullopt: it has
                                         // none, or another vocabulary, or there is no source
  std::vector<SweepCell> cells;          // by layer, then head, position or stage
  std::shared_ptr<const Trace> trace;    // of the request's own run
  std::shared_ptr<const Patches> found;  // how its positions are matched
  // Pearson's correlation of values and estimates over the cells; nullopt: not both are there, or one is the same in
  // all.
  std::optional<double> correlation = {};
  std::optional<RecoveredEnds> ends = {};  // nullopt unless the metric is a share of a way
  // What cells hold of a value of the metric: itself, or its share of the way between `ends`.
  double as_asked(double value) const {  // Of the corrupt run it is 0, and not -0.
    return ends ? (value - ends->corrupt) / (ends->clean - ends->corrupt) + 0.0 : value;
  }
};

// The stages of a path's cells. The heads of key and value are those of groups (num_kv_heads).
inline constexpr StageId kPathStages[] = {StageId::query, StageId::key, StageId::value};

// The patch of a cell, as a list for Request::patches.
inline std::vector<PatchedStage> patches_of_cell(const SweepCell& cell) {
  return {{cell.stage, cell.layer, cell.head, cell.position, true}};
}

}  // namespace headscope
