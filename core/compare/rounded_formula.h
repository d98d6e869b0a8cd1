// The stages of a layer that are formulas of other stages (StageInfo::formula), rounded as they are stored. Internal to
// core/compare.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/attention/score_rule_of.h"
#include "core/attention/stage_sources.h"
#include "core/compare/rounded_steps.h"
#include "core/compare/wide_stage.h"
#include "core/request/stage_info.h"

namespace headscope {

// Adds every such stage of the trace whose sources are all in `stages` by now.
template <typename Real>
void make_by_formula(const Trace& trace, const RoundedSteps<Real>& steps, WideStages& stages) {
  for (const Stage& stage : trace.stages) {
    const StageInfo& info = stage_info(stage.id);
    if (!info.formula || stages.contains(stage.id)) continue;
    std::vector<const WideStage*> sources;
    for (const StageId from : feeding_stages(trace, stage.id)) {
      const auto found = stages.find(from);
      if (found != stages.end()) sources.push_back(&found->second);
    }
    if (sources.size() != info.made.from.size()) continue;
    WideStage made{sources.front()->shape, std::vector<double>(sources.front()->values.size())};
    std::vector<Real> cells(sources.size());
    const bool adds = stage.id == StageId::capped_scores && caps_added(trace.as_computed(), *trace.mask);
    for (std::size_t at = 0; at < made.values.size(); ++at) {
      for (std::size_t k = 0; k < cells.size(); ++k) cells[k] = static_cast<Real>(sources[k]->values[at]);
      if (adds) {
        const auto cell = static_cast<std::int64_t>(at), keys = made.shape[3], row = cell / keys;
        const std::int64_t matrix = row / made.shape[2];
        cells[0] += steps.added(trace.mask->added, matrix / made.shape[1], matrix % made.shape[1], row % made.shape[2],
                                cell % keys);
      }
      made.values[at] =
          steps.stored(formula_value(info.formula->value, std::span<const Real>(cells), trace.as_computed()));
    }
    steps.rounder().store(made);
    stages[stage.id] = std::move(made);
  }
}

}  // namespace headscope
