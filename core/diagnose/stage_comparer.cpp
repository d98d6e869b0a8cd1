#include "core/diagnose/stage_comparer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/diagnose/drift.h"
#include "core/model/past.h"

namespace headscope {
namespace {

constexpr std::int64_t kMostCells = std::int64_t{1} << 16;       // of the scores that are looked at
constexpr std::int64_t kFewestQueries = 4;                       // that are looked at
constexpr std::int64_t kMostMixedCells = std::int64_t{1} << 23;  // of the scores where all of them have to be

bool has_scores_axes(StageId stage) {
  return stage == StageId::masked_scores || stage == StageId::scores || stage == StageId::capped_scores;
}

Tensor mean_over_heads(const Tensor& tensor) {
  const std::vector<float> values = tensor.values();
  const WideStage mean = mean_over_heads(WideStage{tensor.shape(), {values.begin(), values.end()}});
  return Tensor::of(mean.shape, tensor.axes(), {mean.values.begin(), mean.values.end()});
}

// Fills of hidden scores say nothing about a format.
std::vector<float> numbers_of(const Tensor& theirs, StageId stage) {
  std::vector<float> numbers = theirs.values();
  if (!has_scores_axes(stage)) return numbers;
  for (float& each : numbers) {
    if (is_fill(static_cast<double>(each))) each = std::numeric_limits<float>::quiet_NaN();
  }
  return numbers;
}

Tolerance float32_tolerance() {
  return {NumberFormat(), std::nullopt, {}, {}, {}};
}

}  // namespace

WideStage mean_over_heads(const WideStage& stage) {
  const std::int64_t heads = stage.shape[1], cells = stage.shape[2] * stage.shape[3];
  WideStage mean{stage.shape, std::vector<double>(static_cast<std::size_t>(stage.shape[0] * cells), 0.0)};
  mean.shape[1] = 1;
  for (std::size_t k = 0; k < stage.values.size(); ++k) {
    const auto at = static_cast<std::int64_t>(k);
    mean.values[static_cast<std::size_t>(at / (heads * cells) * cells + at % cells)] +=
        stage.values[k] / static_cast<double>(heads);
  }
  return mean;
}

StageComparer::StageComparer(const Trace& ours, const ExternalStage& theirs, const GivenStages& given,
                             const DiagnoseWork& work, const CancelToken& cancel)
    : ours_(ours),
      external_(theirs),
      own_(theirs.averaged ? mean_over_heads(ours.tensor(theirs.stage)) : ours.tensor(theirs.stage)),
      has_given_(!given.empty()),
      predictor_(ours, theirs.stage, given, work.backend, cancel, &pool_),
      cancel_(cancel) {
  for (const auto& each : given) given_.push_back(each.first);
  const bool open = work.options.format == "auto" && !theirs.format.empty();
  const std::optional<NumberFormat> format =
      format_named(open ? theirs.format : work.options.format, numbers_of(theirs.tensor, theirs.stage),
                   same_shape() ? own_.values() : std::vector<float>());
  if (!format) {
    throw UsageError("theirs-format", fmt::format("'{}' is not a known value", work.options.format),
                     "auto, f32, f16, bf16, f8e4m3, f8e5m2, tf32 or i8");
  }
  format_ = *format;
  choose_queries();
  theirs_ = same_shape() ? stage_rows(theirs.stage, theirs.tensor, predictor_.queries())
                         : stage_rows(StageId::input, theirs.tensor, {});
  begin(work);
}

std::optional<WideStage> StageComparer::predicted(const MistakeSet& mistakes, const NumberGrid* grid) {
  std::optional<WideStage> made = predictor_.predicted(mistakes, grid);
  if (made && external_.averaged) made = mean_over_heads(*made);
  return made;
}

void StageComparer::choose_queries() {
  const Inputs& in = *ours_.inputs;
  const std::int64_t rows = ours_.query_len(), per_row = in.batch * in.num_heads * ours_.key_len();
  if (query_axis(external_.stage) < 0 || rows * per_row <= kMostCells || !same_shape()) return;
  const std::int64_t room = std::clamp<std::int64_t>(kMostCells / per_row, std::min(kFewestQueries, rows), rows);
  std::set<std::int64_t> chosen;
  for (std::int64_t k = 0; k < room / 2; ++k) chosen.insert(k * (rows - 1) / std::max<std::int64_t>(1, room / 2 - 1));
  const int axis = query_axis(external_.stage);
  for (std::int64_t i = 0; i < rows && static_cast<std::int64_t>(chosen.size()) < room; ++i) {
    cancel_.check();
    const std::int64_t one[] = {i};
    const WideStage a = stage_rows(external_.stage, own_, one), b = stage_rows(external_.stage, external_.tensor, one);
    if (a.shape[axis] == 1 && !(a.values == b.values)) {
      const Remainder left = compare_stage(a, nullptr, b, float32_tolerance(), filled_in({i}));
      if (left.wrong > 0) chosen.insert(i);
    }
  }
  predictor_.look_at({chosen.begin(), chosen.end()});
}

void StageComparer::begin(const DiagnoseWork& work) {
  fixed_ = work.options.tolerance;
  filled_ = filled_in(predictor_.queries());
  // Without their stages before it ours is the engine's own.
  if (has_given_) {
    if (const auto plain = predicted({}, nullptr)) plain_ = *plain;
  }
  if (plain_.shape.count == 0) plain_ = stage_rows(external_.stage, own_, predictor_.queries());
  if (predictor_.by_lab()) {
    if (const auto exact = has_given_ ? plain_ : predicted({}, nullptr)) exact_ = *exact;
    if (const auto rounded = format_.grid != nullptr ? predicted({}, format_.grid) : std::nullopt) rounded_ = *rounded;
  }
  made_grid_ = format_.grid;
  const bool passes = !exact_.values.empty() && exact_.values.size() == rounded_.values.size() &&
                      !std::equal(exact_.values.begin(), exact_.values.end(), rounded_.values.begin(),
                                  [](double a, double b) { return std::isfinite(a) == std::isfinite(b); });
  if (passes) {
    unbounded_ = *format_.grid;
    unbounded_.largest = std::numeric_limits<double>::infinity();
    made_grid_ = &unbounded_;
    if (const auto made = predicted({}, made_grid_)) made_right_ = *made;
  }
  of_rows_.emplace(format_, fixed_, WideStage{}, WideStage{}, filled_);
  if (work.options.drifted != nullptr && same_shape() && !external_.averaged) drift_ = drift_of(work);
  of_rows_->allow(drift_);
  tolerance_ = of_rows_;
  if (format_.grid != nullptr && same_shape()) tolerance_->allow_cells(allowance({}, exact_));
}

IsFilled StageComparer::filled_in(std::vector<std::int64_t> queries) const {
  if (!has_scores_axes(external_.stage)) return {};
  const std::int64_t heads = external_.averaged ? 1 : ours_.num_heads(), keys = own_.dim(3);
  return [this, heads, keys, queries = std::move(queries)](std::size_t place) {
    const auto cell = static_cast<std::int64_t>(place), row = cell / keys;
    const auto count = static_cast<std::int64_t>(queries.size());
    const std::int64_t pair = row / count;
    return predictor_.hides(pair / heads, pair % heads, queries[static_cast<std::size_t>(row % count)], cell % keys);
  };
}

// How far the stage moves with the input of its layer, and with theirs before it, as far as these are known.
double StageComparer::drift_of(const DiagnoseWork& work) {
  const Trace& drifted = *work.options.drifted;
  if (has_given_ && predictor_.by_lab()) {
    GivenStages given;
    for (const auto& [stage, tensor] : predictor_.given()) {
      given[stage] = headscope::drifted(tensor, format_, !is_score_like(stage));
    }
    StagePredictor moved(drifted, external_.stage, std::move(given), work.backend, cancel_);
    moved.look_at(predictor_.queries());
    const auto made = moved.by_lab() ? moved.predicted({}, nullptr) : std::nullopt;
    return made ? largest_share(plain_, *made, filled_) : 0;
  }
  const Stage* moved = drifted.find(external_.stage);
  if (moved == nullptr) return 0;
  const auto& queries = predictor_.queries();
  return largest_share(stage_rows(external_.stage, own_, queries), stage_rows(external_.stage, moved->tensor, queries),
                       filled_);
}

// How many heads the features of the stage are of.
std::int64_t StageComparer::heads_of_features() const {
  const Inputs& in = *ours_.inputs;
  switch (external_.stage) {
    case StageId::query_proj:
    case StageId::concat:
      return in.num_heads;
    case StageId::key_proj:
    case StageId::value_proj:
      return in.num_kv_heads;
    default:
      return 0;
  }
}

Remainder StageComparer::add(WhereFinder& where, const WideStage& right, const WideStage* other,
                             const WideStage& theirs, const std::vector<std::int64_t>& queries,
                             const Tolerance& tolerance) {
  const int axis = query_axis(external_.stage), last = theirs.shape.count - 1;
  const std::int64_t width = theirs.shape[last];
  std::int64_t row = -1;  // that `at` lies in
  Index at = theirs.shape;
  const auto visit = [&](std::size_t place, double a, double b) {
    const std::int64_t cell = static_cast<std::int64_t>(place) - row * width;
    if (row < 0 || cell < 0 || cell >= width) {
      row = static_cast<std::int64_t>(place) / width;
      std::int64_t rest = row;
      for (int k = last - 1; k >= 0; --k) {
        at[k] = rest % theirs.shape[k];
        rest /= theirs.shape[k];
      }
      if (axis >= 0) at[axis] = queries[static_cast<std::size_t>(at[axis])];
    }
    at[last] = static_cast<std::int64_t>(place) - row * width;
    where.add(at, a, b);
  };
  return compare_stage(right, other, theirs, tolerance, filled_in(queries), {visit, &pool_});
}

StageComparison StageComparer::compare() {
  StageComparison result;
  result.stage = external_.stage;
  result.given = given_;
  result.format = format_;
  if (!same_shape()) {
    result.max_difference = std::numeric_limits<double>::infinity();
    return result;
  }
  const auto finder = [&] { return WhereFinder(external_.stage, external_.tensor.shape(), heads_of_features()); };
  WhereFinder where = finder();
  const WideStage* rounded = rounded_.shape.count > 0 ? &rounded_ : nullptr;
  plain_left_ = add(where, plain_, rounded, theirs_, predictor_.queries(), *tolerance_);
  // What float32 costs is asked where it matters alone: sums that cancel.
  if (plain_left_.wrong > 0 && !tolerance_->knows_cells()) {
    tolerance_->allow_cells(allowance({}, exact_));
    where = finder();
    plain_left_ = add(where, plain_, rounded, theirs_, predictor_.queries(), *tolerance_);
  }
  result.max_difference = plain_left_.largest;
  result.allowed = plain_left_.allowed;
  if (!looks_at_all()) compare_others(where, result);
  // As the masks count: queries stand behind the keys of the past.
  result.where = where.found(with_past(ours_.request, *ours_.inputs).past);
  result.equal = result.where.cells == 0;
  if (result.equal && format_.grid != nullptr && !fixed_ && drift_ == 0) {
    result.common_factor = common_factor(external_.stage, unrounded(), theirs_, *format_.grid, filled_);
    result.equal = !result.common_factor;
  }
  const auto all = static_cast<double>(std::max<std::int64_t>(1, result.where.of_cells));
  differing_share_ = static_cast<double>(result.where.cells) / all;
  return result;
}

bool StageComparer::look_at_all() {
  const Inputs& in = *ours_.inputs;
  const std::int64_t rows = ours_.query_len();
  if (in.batch * in.num_heads * rows * ours_.key_len() > kMostMixedCells || !same_shape()) return false;
  std::vector<std::int64_t> all(static_cast<std::size_t>(rows));
  std::iota(all.begin(), all.end(), 0);
  predictor_.look_at(all);
  theirs_ = stage_rows(external_.stage, external_.tensor, all);
  plain_ = stage_rows(external_.stage, own_, all);
  filled_ = filled_in(all);
  rounded_ = exact_ = {};
  // The allowance of each cell takes several layers more: it is asked for a mistake that leaves nearly nothing. So does
  // the lab's own right layer, in whose place the engine's stands.
  tolerance_ = of_rows_;
  plain_left_ = compare_stage(plain_, nullptr, theirs_, *tolerance_, filled_, {{}, &pool_});
  return true;
}

}  // namespace headscope
