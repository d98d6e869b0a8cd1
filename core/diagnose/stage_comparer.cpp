#include "core/diagnose/stage_comparer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/model/past.h"

namespace headscope {
namespace {

constexpr std::int64_t kMostCells = std::int64_t{1} << 16;       // of the scores that are looked at
constexpr std::int64_t kFewestQueries = 4;                       // that are looked at
constexpr std::int64_t kMostProofCells = std::int64_t{1} << 24;  // of the scores that an explanation has to hold in
constexpr double kNearlyAll = 0.02;  // of the squared difference: what is left by a mistake that may explain all
constexpr std::int64_t kMostMixedCells = std::int64_t{1} << 23;  // of the scores where all of them have to be
constexpr std::int64_t kChunkCells = std::int64_t{1} << 21;      // of the scores that are computed at a time

bool has_scores_axes(StageId stage) {
  return stage == StageId::masked_scores || stage == StageId::scores || stage == StageId::capped_scores;
}

// [batch, heads, queries, keys] -> [batch, 1, queries, keys].
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

Tensor mean_over_heads(const Tensor& tensor) {
  const std::vector<float> values = tensor.values();
  const WideStage mean = mean_over_heads(WideStage{tensor.shape(), {values.begin(), values.end()}});
  return Tensor::of(mean.shape, tensor.axes(), {mean.values.begin(), mean.values.end()});
}

Tolerance float32_tolerance() {
  return {NumberFormat(), std::nullopt, {}, {}, {}};
}

}  // namespace

StageComparer::StageComparer(const Trace& ours, const ExternalStage& theirs, const GivenStages& given,
                             const DiagnoseWork& work, const CancelToken& cancel)
    : ours_(ours),
      external_(theirs),
      own_(theirs.averaged ? mean_over_heads(ours.tensor(theirs.stage)) : ours.tensor(theirs.stage)),
      has_given_(!given.empty()),
      predictor_(ours, theirs.stage, given, work.backend, cancel),
      cancel_(cancel) {
  for (const auto& each : given) given_.push_back(each.first);
  const std::optional<NumberFormat> format = format_named(work.options.format, theirs.tensor.values());
  if (!format) {
    throw UsageError("theirs-format", fmt::format("'{}' is not a known value", work.options.format),
                     "auto, f32, f16, bf16, f8e4m3, f8e5m2, tf32 or i8");
  }
  format_ = *format;
  choose_queries();
  theirs_ = same_shape() ? stage_rows(theirs.stage, theirs.tensor, predictor_.queries())
                         : stage_rows(StageId::input, theirs.tensor, {});
  begin(work.options.tolerance);
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
      const Remainder left = compare_stage(a, nullptr, b, float32_tolerance(), {});
      if (left.wrong > 0) chosen.insert(i);
    }
  }
  predictor_.look_at({chosen.begin(), chosen.end()});
}

void StageComparer::begin(std::optional<double> fixed) {
  fixed_ = fixed;
  if (has_scores_axes(external_.stage)) {
    filled_ = [this](std::size_t place) {
      const auto cell = static_cast<std::int64_t>(place), keys = theirs_.shape[3], row = cell / keys;
      const std::int64_t count = theirs_.shape[2], pair = row / count;
      return predictor_.hides(pair / theirs_.shape[1], pair % theirs_.shape[1],
                              predictor_.queries()[static_cast<std::size_t>(row % count)], cell % keys);
    };
  }
  // Without their stages before it ours is the engine's own.
  if (has_given_) {
    if (const auto plain = predicted({}, nullptr)) plain_ = *plain;
  }
  if (plain_.shape.count == 0) plain_ = stage_rows(external_.stage, own_, predictor_.queries());
  if (format_.grid != nullptr && predictor_.by_lab()) {
    if (const auto rounded = predicted({}, format_.grid)) rounded_ = *rounded;
  }
  tolerance_.emplace(format_, fixed, plain_, rounded_, filled_);
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
                             const WideStage& theirs, const std::vector<std::int64_t>& queries) const {
  const int axis = query_axis(external_.stage);
  return compare_stage(right, other, theirs, *tolerance_, filled_, [&](std::size_t place, double a, double b) {
    Index at = theirs.shape;
    for (int k = theirs.shape.count - 1; k >= 0; --k) {
      at[k] = static_cast<std::int64_t>(place) % theirs.shape[k];
      place /= static_cast<std::size_t>(theirs.shape[k]);
    }
    if (axis >= 0) at[axis] = queries[static_cast<std::size_t>(at[axis])];
    where.add(at, a, b);
  });
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
  WhereFinder where(external_.stage, external_.tensor.shape(), heads_of_features());
  const WideStage* rounded = rounded_.shape.count > 0 ? &rounded_ : nullptr;
  plain_left_ = add(where, plain_, rounded, theirs_, predictor_.queries());
  result.max_difference = plain_left_.largest;
  result.allowed = plain_left_.allowed;
  if (!looks_at_all()) compare_others(where, result);
  result.where = where.found(past_len(*ours_.inputs));
  result.equal = result.where.cells == 0;
  const auto all = static_cast<double>(std::max<std::int64_t>(1, result.where.of_cells));
  differing_share_ = static_cast<double>(result.where.cells) / all;
  return result;
}

// The queries that are not looked at, some at a time.
std::vector<std::vector<std::int64_t>> StageComparer::other_queries() const {
  const std::vector<std::int64_t>& looked_at = predictor_.queries();
  const std::set<std::int64_t> known(looked_at.begin(), looked_at.end());
  const Inputs& in = *ours_.inputs;
  const std::int64_t per_row = in.batch * in.num_heads * std::max<std::int64_t>(1, ours_.key_len());
  const auto together = static_cast<std::size_t>(std::max<std::int64_t>(8, kChunkCells / per_row));
  std::vector<std::vector<std::int64_t>> parts;
  for (std::int64_t i = 0; i < ours_.query_len(); ++i) {
    if (known.contains(i)) continue;
    if (parts.empty() || parts.back().size() >= together) parts.emplace_back();
    parts.back().push_back(i);
  }
  return parts;
}

void StageComparer::compare_others(WhereFinder& where, StageComparison& result) {
  const std::vector<std::int64_t> looked_at = predictor_.queries();
  const IsFilled filled = std::exchange(filled_, nullptr);
  for (const std::vector<std::int64_t>& queries : other_queries()) {
    cancel_.check();
    std::optional<WideStage> right;
    if (has_given_) {
      predictor_.look_at(queries);
      right = predicted({}, nullptr);
    }
    if (!right) right = stage_rows(external_.stage, own_, queries);
    const Remainder left = add(where, *right, nullptr, stage_rows(external_.stage, external_.tensor, queries), queries);
    result.max_difference = std::max(result.max_difference, left.largest);
  }
  filled_ = filled;
  predictor_.look_at(looked_at);
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
  const IsFilled filled = std::exchange(filled_, nullptr);
  const auto holds = [&](const std::vector<std::int64_t>& queries) {
    predictor_.look_at(queries);
    const auto made = predicted(mistakes, format_.grid);
    const WideStage theirs = stage_rows(external_.stage, external_.tensor, queries);
    return made && made->shape == theirs.shape && left_with(mistakes, *made, theirs).wrong == 0;
  };
  const bool all = std::all_of(parts.begin(), parts.end(), holds);
  filled_ = filled;
  predictor_.look_at(looked_at);
  return all;
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
  rounded_ = {};
  plain_left_ = compare_stage(plain_, nullptr, theirs_, *tolerance_, filled_);
  return true;
}

std::optional<Remainder> StageComparer::left_of(const MistakeSet& mistakes) {
  const auto made = predicted(mistakes, format_.grid);
  if (!made || !(made->shape == theirs_.shape) || !acts(*made)) return std::nullopt;
  return left_with(mistakes, *made, theirs_);
}

// What still differs. What rounding costs follows from the numbers, and a mistake changes them: where it explains
// nearly all, its own numbers say how far a cell may lie away.
Remainder StageComparer::left_with(const MistakeSet& mistakes, const WideStage& made, const WideStage& theirs) {
  const Remainder left = compare_stage(made, nullptr, theirs, *tolerance_, filled_);
  const bool near = left.squares <= kNearlyAll * plain_left_.squares;
  if (left.wrong == 0 || !near || format_.grid == nullptr || fixed_ || !predictor_.by_lab()) return left;
  const std::optional<WideStage> exact = predicted(mistakes, nullptr);
  if (!exact || !(exact->shape == made.shape)) return left;
  return compare_stage(made, &*exact, theirs, Tolerance(format_, std::nullopt, *exact, made, filled_), filled_);
}

// Whether the mistakes change anything that can be seen here.
bool StageComparer::acts(const WideStage& made) const {
  const WideStage& right = rounded_.shape.count > 0 ? rounded_ : plain_;
  if (!(made.shape == right.shape)) return true;
  return !std::equal(made.values.begin(), made.values.end(), right.values.begin(), [](double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b)) || (std::isfinite(b) && std::abs(a - b) <= 1e-9 * std::abs(b));
  });
}

}  // namespace headscope
