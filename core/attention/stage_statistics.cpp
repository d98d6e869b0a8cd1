#include "core/attention/stage_statistics.h"

#include <algorithm>
#include <optional>

#include "core/tensor/row_strips.h"

namespace headscope {
namespace {

// An earlier stage with the same numbers.
std::optional<std::size_t> twin_before(const Trace& trace, std::size_t index) {
  for (std::size_t k = 0; k < index; ++k) {
    if (same_storage(trace.stages[k].tensor, trace.stages[index].tensor)) return k;
  }
  return std::nullopt;
}

bool must_be_read(const Trace& trace, std::size_t index, const StatisticsQuery& query) {
  const Stage& stage = trace.stages[index];
  return query.known.count(stage.id) == 0 && (query.costly || !costly_numbers(trace, stage)) &&
         !twin_before(trace, index);
}

}  // namespace

bool costly_numbers(const Trace& trace, const Stage& stage) {
  return trace.on_demand != nullptr && !stage.tensor.stored();
}

std::vector<std::optional<Statistics>> stage_statistics(const Trace& trace, const StatisticsQuery& query,
                                                        const std::function<void(double)>& progress,
                                                        const CancelToken& cancel) {
  const double all = static_cast<double>(std::max<std::int64_t>(1, values_of_statistics(trace, query)));
  std::int64_t done = 0;
  std::vector<std::optional<Statistics>> result(trace.stages.size());
  for (std::size_t index = 0; index < trace.stages.size(); ++index) {
    if (const auto known = query.known.find(trace.stages[index].id); known != query.known.end()) {
      result[index] = known->second;
    } else if (const std::optional<std::size_t> twin = twin_before(trace, index)) {
      result[index] = result[*twin];
    }
    if (!must_be_read(trace, index, query)) continue;
    StatisticsSum sum;
    for_each_row(trace.stages[index].tensor, [&](const Index&, std::int64_t, std::span<const float> values) {
      cancel.check();
      sum.add(values);
      done += static_cast<std::int64_t>(values.size());
      if (progress) progress(static_cast<double>(done) / all);
    });
    result[index] = sum.result();
  }
  return result;
}

std::int64_t values_of_statistics(const Trace& trace, const StatisticsQuery& query) {
  std::int64_t values = 0;
  for (std::size_t index = 0; index < trace.stages.size(); ++index) {
    if (must_be_read(trace, index, query)) values += trace.stages[index].tensor.size();
  }
  return values;
}

}  // namespace headscope
