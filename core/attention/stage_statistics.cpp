#include "core/attention/stage_statistics.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <span>

#include "core/attention/on_demand.h"
#include "core/base/assert.h"
#include "core/tensor/row_strips.h"
#include "core/tensor/scattered_statistics.h"

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

// Share of the values that are read.
class ReadValues {
 public:
  ReadValues(std::int64_t all, const std::function<void(double)>& progress)
      : all_(static_cast<double>(std::max<std::int64_t>(1, all))), progress_(progress) {}
  void add(std::int64_t values) {
    done_ += values;
    if (progress_) progress_(static_cast<double>(done_) / all_);
  }

 private:
  double all_;
  std::int64_t done_ = 0;
  const std::function<void(double)>& progress_;
};

// Score-like stages that must be read, all from one pass over the rows. Without edits a row of theirs is what the pass
// makes; with edits they are read like others.
void add_scores_of_one_pass(const Trace& trace, const StatisticsQuery& query, ReadValues& read,
                            const CancelToken& cancel, std::vector<std::optional<Statistics>>& result) {
  if (trace.on_demand == nullptr || trace.row_edits != nullptr) return;
  std::vector<std::size_t> indices;
  StageRows rows;
  for (std::size_t index = 0; index < trace.stages.size(); ++index) {
    const Stage& stage = trace.stages[index];
    if (!is_score_like(stage.id) || !costly_numbers(trace, stage) || !must_be_read(trace, index, query)) continue;
    indices.push_back(index);
    rows.stages.push_back(stage.id);
  }
  if (indices.empty()) return;
  const OnDemand& source = *trace.on_demand;
  const Shape shape = source.score_shape();
  const std::int64_t keys = shape[3];
  std::vector<StatisticsSum> sums(indices.size());
  for (std::int64_t matrix = 0; matrix < shape[0] * shape[1]; ++matrix) {
    for (std::int64_t first = 0; first < shape[2]; first += source.queries_at_once()) {
      cancel.check();
      const Range queries{first, std::min(first + source.queries_at_once(), shape[2])};
      const auto place = [&](std::int64_t row) { return (matrix * shape[2] + row) * keys; };
      std::deque<ScatteredStatistics> scattered;
      for (StatisticsSum& sum : sums) scattered.emplace_back(sum, place(first));
      rows.read = [&](StageId stage, std::int64_t, std::int64_t, std::int64_t row, std::span<const float> cells) {
        const auto at = std::find(rows.stages.begin(), rows.stages.end(), stage) - rows.stages.begin();
        scattered[static_cast<std::size_t>(at)].add(place(row), cells);
      };
      source.visit_rows(matrix / shape[1], matrix % shape[1], queries, rows, cancel);
      for (const ScatteredStatistics& each : scattered) {
        HEADSCOPE_ASSERT(each.summed() == place(queries.end), "rows that were not handed out");
      }
      read.add(queries.size() * keys * static_cast<std::int64_t>(indices.size()));
    }
  }
  for (std::size_t k = 0; k < indices.size(); ++k) result[indices[k]] = sums[k].result();
}

}  // namespace

bool costly_numbers(const Trace& trace, const Stage& stage) {
  return trace.on_demand != nullptr && !stage.tensor.stored();
}

std::vector<std::optional<Statistics>> stage_statistics(const Trace& trace, const StatisticsQuery& query,
                                                        const std::function<void(double)>& progress,
                                                        const CancelToken& cancel) {
  ReadValues read(values_of_statistics(trace, query), progress);
  std::vector<std::optional<Statistics>> result(trace.stages.size());
  add_scores_of_one_pass(trace, query, read, cancel, result);
  for (std::size_t index = 0; index < trace.stages.size(); ++index) {
    if (const auto known = query.known.find(trace.stages[index].id); known != query.known.end()) {
      result[index] = known->second;
    } else if (const std::optional<std::size_t> twin = twin_before(trace, index)) {
      result[index] = result[*twin];
    }
    if (result[index] || !must_be_read(trace, index, query)) continue;
    StatisticsSum sum;
    for_each_row(trace.stages[index].tensor, [&](const Index&, std::int64_t, std::span<const float> values) {
      cancel.check();
      sum.add(values);
      read.add(static_cast<std::int64_t>(values.size()));
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
