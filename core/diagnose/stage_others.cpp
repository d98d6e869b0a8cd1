// This part of the comparer judges the queries of a long text that are not looked at.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/diagnose/stage_comparer.h"

namespace headscope {
namespace {

constexpr std::int64_t kMostProofCells = std::int64_t{1} << 24;  // of the scores that an explanation has to hold in
constexpr std::int64_t kChunkCells = std::int64_t{1} << 21;      // of the scores that are computed at a time
constexpr std::int64_t kCloseCells = std::int64_t{1} << 16;      // of the scores that are judged closely at a time
constexpr std::size_t kMostCloseParts = 32;

std::vector<std::vector<std::int64_t>> in_parts(const std::vector<std::int64_t>& queries, std::int64_t most) {
  std::vector<std::vector<std::int64_t>> parts;
  for (const std::int64_t query : queries) {
    if (parts.empty() || static_cast<std::int64_t>(parts.back().size()) >= most) parts.emplace_back();
    parts.back().push_back(query);
  }
  return parts;
}

}  // namespace

std::vector<std::vector<std::int64_t>> StageComparer::other_queries() const {
  const std::vector<std::int64_t>& looked_at = predictor_.queries();
  const std::set<std::int64_t> known(looked_at.begin(), looked_at.end());
  const Inputs& in = *ours_.inputs;
  const std::int64_t per_row = in.batch * in.num_heads * std::max<std::int64_t>(1, ours_.key_len());
  std::vector<std::int64_t> others;
  for (std::int64_t i = 0; i < ours_.query_len(); ++i) {
    if (!known.contains(i)) others.push_back(i);
  }
  return in_parts(others, std::max<std::int64_t>(8, kChunkCells / per_row));
}

WideStage StageComparer::right_rows(const std::vector<std::int64_t>& queries) {
  if (has_given_) {
    predictor_.look_at(queries);
    if (auto right = predicted({}, nullptr)) return std::move(*right);
  }
  return stage_rows(external_.stage, own_, queries);
}

// What rounding costs in the rows that are looked at says what it costs in others: a row in the middle, so that one
// quiet row does not speak for all. Those that seem to differ by that are judged closely.
Tolerance StageComparer::tolerance_of_others() const {
  Tolerance tolerance = *of_rows_;
  if (format_.grid == nullptr || plain_.values.empty()) return tolerance;
  const auto width = static_cast<std::size_t>(std::max<std::int64_t>(1, plain_.shape[plain_.shape.count - 1]));
  std::vector<double> shares;
  for (std::size_t first = 0; first + width <= plain_.values.size(); first += width) {
    const double size = row_size(plain_, first, filled_);
    double most = 0;
    for (std::size_t k = first; k < first + width; ++k) most = std::max(most, tolerance_->of_rounding(k));
    if (size > 0) shares.push_back(most / size);
  }
  if (shares.empty()) return tolerance;
  std::nth_element(shares.begin(), shares.begin() + static_cast<std::ptrdiff_t>(shares.size() / 2), shares.end());
  tolerance.allow_share(shares[shares.size() / 2]);
  return tolerance;
}

void StageComparer::compare_others(WhereFinder& where, StageComparison& result) {
  const std::vector<std::int64_t> looked_at = predictor_.queries();
  const Tolerance tolerance = tolerance_of_others();
  const auto count = [&](const std::vector<std::int64_t>& queries, WhereFinder& finder) {
    cancel_.check();
    const WideStage theirs = stage_rows(external_.stage, external_.tensor, queries);
    const Remainder left = add(finder, right_rows(queries), nullptr, theirs, queries, tolerance);
    result.max_difference = std::max(result.max_difference, left.largest);
  };
  std::vector<std::int64_t> suspicious;
  for (const std::vector<std::int64_t>& queries : other_queries()) {
    if (plain_left_.wrong > 0 || fixed_ || !predictor_.by_lab()) {
      count(queries, where);
      continue;
    }
    WhereFinder finder(external_.stage, external_.tensor.shape(), 0);
    count(queries, finder);
    const std::vector<std::int64_t> found = finder.rows();
    suspicious.insert(suspicious.end(), found.begin(), found.end());
  }
  const Inputs& in = *ours_.inputs;
  const std::int64_t per_row = in.batch * in.num_heads * std::max<std::int64_t>(1, ours_.key_len());
  const auto parts = in_parts(suspicious, std::max<std::int64_t>(4, kCloseCells / per_row));
  bool near = true;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    near = near && k < kMostCloseParts && all_are_near(parts[k]);
    if (!near) count(parts[k], where);
  }
  predictor_.look_at(looked_at);
}

bool StageComparer::all_are_near(const std::vector<std::int64_t>& queries) {
  cancel_.check();
  predictor_.look_at(queries);
  const auto exact = predicted({}, nullptr);
  const auto rounded = format_.grid != nullptr ? predicted({}, format_.grid) : std::nullopt;
  const WideStage theirs = stage_rows(external_.stage, external_.tensor, queries), right = right_rows(queries);
  if (!exact || !(exact->shape == theirs.shape) || !(right.shape == theirs.shape)) return false;
  Tolerance tolerance = *of_rows_;
  tolerance.allow_cells(allowance({}, *exact));
  const WideStage* other = rounded && rounded->shape == theirs.shape ? &*rounded : nullptr;
  return compare_stage(right, other, theirs, tolerance, filled_in(queries)).wrong == 0;
}

std::optional<StageId> StageComparer::another_stage() const {
  if (!same_shape() || external_.averaged) return std::nullopt;
  const auto is_theirs = [&](const Stage& each) {
    if (each.id == external_.stage || !(each.tensor.shape() == own_.shape())) return false;
    if (query_axis(each.id) != query_axis(external_.stage)) return false;
    const WideStage ours = stage_rows(each.id, each.tensor, predictor_.queries());
    return compare_stage(ours, nullptr, theirs_, *tolerance_, filled_).wrong == 0;
  };
  const auto found = std::find_if(ours_.stages.begin(), ours_.stages.end(), is_theirs);
  return found == ours_.stages.end() ? std::nullopt : std::optional(found->id);
}

bool StageComparer::holds_everywhere(const MistakeSet& mistakes) {
  const std::vector<std::int64_t> looked_at = predictor_.queries();
  auto parts = other_queries();
  const Inputs& in = *ours_.inputs;
  const std::int64_t per_part = std::max(kChunkCells, 8 * in.batch * in.num_heads * ours_.key_len());
  const auto most = static_cast<std::size_t>(std::max<std::int64_t>(4, kMostProofCells / per_part));
  if (parts.size() > most) {
    for (std::size_t k = 0; k < most; ++k) parts[k] = parts[k * (parts.size() - 1) / (most - 1)];
    parts.resize(most);
  }
  const auto holds = [&](const std::vector<std::int64_t>& queries) {
    predictor_.look_at(queries);
    const auto made = predicted(mistakes, made_grid_);
    const WideStage theirs = stage_rows(external_.stage, external_.tensor, queries);
    return made && made->shape == theirs.shape && left_with(mistakes, *made, theirs, false).wrong == 0;
  };
  const bool all = std::all_of(parts.begin(), parts.end(), holds);
  predictor_.look_at(looked_at);
  return all;
}

}  // namespace headscope
