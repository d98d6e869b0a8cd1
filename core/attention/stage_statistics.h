// Min, max, mean ... of every stage of a trace, also of those that are computed when read.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/tensor/statistics.h"

namespace headscope {

// Whether a stage's numbers are not computed yet and too many to compute without being asked: a list of stages leaves
// their statistics out, an export or an explicit request computes them.
bool costly_numbers(const Trace& trace, const Stage& stage);

struct StatisticsQuery {
  std::map<StageId, Statistics> known;  // of stages whose statistics are computed already
  bool costly = true;                   // false: stages with costly_numbers() that are not in `known` get nullopt
};

// One for each of trace.stages. Scores and weights that are computed when read come from one pass over their rows, on
// all threads; other stages that are computed when read are read once, by strips of rows; one that equals another is
// not read again. No bit depends on the way. `progress` gets the share of the values read, in [0, 1]. Throws Cancelled.
std::vector<std::optional<Statistics>> stage_statistics(const Trace& trace, const StatisticsQuery& query = {},
                                                        const std::function<void(double)>& progress = {},
                                                        const CancelToken& cancel = {});

// How many values stage_statistics() would read.
std::int64_t values_of_statistics(const Trace& trace, const StatisticsQuery& query = {});

}  // namespace headscope
