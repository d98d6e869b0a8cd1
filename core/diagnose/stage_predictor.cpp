#include "core/diagnose/stage_predictor.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "core/attention/forward.h"
#include "core/attention/input_problem.h"
#include "core/base/error.h"
#include "core/diagnose/mistake_rows.h"
#include "core/request/problem.h"

namespace headscope {
namespace {

constexpr double kMostUnlike = 1e-3;  // of the lab and the engine, in shares of a row's size
constexpr std::int64_t kCheckedRows = 8;
constexpr double kCopied = 20;  // multiplications that a number takes as long as which is read and stored
constexpr std::size_t kMostHeadNumbers = std::size_t{1} << 24;  // of heads that are kept at a time
constexpr std::size_t kMostRawNumbers = std::size_t{1} << 25;   // of raw scores that are kept at a time
constexpr double kMostRawCells = 0x1p20;  // of a layer whose raw scores are kept: more are made again as fast as read

// Whether both hold the same layer: cell by cell within a small share of the row.
bool alike(const WideStage& a, const WideStage& b) {
  if (!(a.shape == b.shape) || a.shape.count == 0) return false;
  const std::int64_t width = a.shape[a.shape.count - 1];
  for (std::size_t first = 0; first < a.values.size(); first += static_cast<std::size_t>(width)) {
    double squares = 0, apart = 0;
    for (std::size_t k = first; k < first + static_cast<std::size_t>(width); ++k) {
      const double x = a.values[k], y = b.values[k];
      if (x == y || (std::isnan(x) && std::isnan(y))) continue;
      if (!std::isfinite(x - y)) return false;
      apart = std::max(apart, std::abs(x - y));
      squares += y * y;
    }
    if (apart > kMostUnlike * std::sqrt(squares / static_cast<double>(width)) + 1e-6) return false;
  }
  return true;
}

WideStage exchanged(const WideStage& from) {
  WideStage result{{from.shape[1], from.shape[0], from.shape[2]}, std::vector<double>(from.values.size())};
  for (std::int64_t a = 0; a < from.shape[0]; ++a) {
    for (std::int64_t b = 0; b < from.shape[1]; ++b) {
      std::copy_n(from.values.begin() + (a * from.shape[1] + b) * from.shape[2], from.shape[2],
                  result.values.begin() + (b * from.shape[0] + a) * from.shape[2]);
    }
  }
  return result;
}

// [..., queries, keys] -> [..., keys, queries].
WideStage transposed(const WideStage& from) {
  const std::int64_t rows = from.shape[2], columns = from.shape[3], pairs = from.shape[0] * from.shape[1];
  WideStage result{{from.shape[0], from.shape[1], columns, rows}, std::vector<double>(from.values.size())};
  for (std::int64_t cell = 0; cell < pairs * rows * columns; ++cell) {
    const std::int64_t pair = cell / (rows * columns), i = cell / columns % rows, j = cell % columns;
    result.values[static_cast<std::size_t>((pair * columns + j) * rows + i)] =
        from.values[static_cast<std::size_t>(cell)];
  }
  return result;
}

MistakeSet those_up_to(const MistakeSet& mistakes, StageId stage) {
  MistakeSet result;
  std::copy_if(mistakes.begin(), mistakes.end(), std::back_inserter(result),
               [=](const auto& each) { return all_mistakes()[each.first].step <= stage; });
  return result;
}

std::vector<std::int64_t> all_queries(std::int64_t count) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace

StagePredictor::StagePredictor(const Trace& ours, StageId stage, GivenStages given,
                               std::shared_ptr<const Backend> backend, const CancelToken& cancel, ThreadPool* pool)
    : ours_(ours), stage_(stage), given_(std::move(given)), backend_(std::move(backend)), cancel_(cancel), pool_(pool) {
  queries_ = all_queries(ours.query_len());
  if (!LayerLab::makes(stage) || ours.position_heads != nullptr) return;
  // The lab knows no interventions and not everything that a layer may have: where its numbers are not ours, it is not
  // asked.
  std::vector<std::int64_t> some = queries_;
  const GivenStages none;
  LayerLab lab({ours.request, *ours.inputs, false, false, {}}, none, nullptr, cancel);
  if (pool_ != nullptr) lab.use(*pool_);
  if (!lab.mixes_rows() && static_cast<std::int64_t>(some.size()) > kCheckedRows) {
    some.clear();
    for (std::int64_t k = 0; k < kCheckedRows; ++k) some.push_back(k * (ours.query_len() - 1) / (kCheckedRows - 1));
  }
  by_lab_ = alike(lab.stage(stage, some), stage_rows(stage, ours.tensor(stage), some));
  if (by_lab_ && given_.empty()) heads_.emplace(Key(), lab.heads());
}

void StagePredictor::look_at(std::vector<std::int64_t> queries) {
  if (queries == queries_) return;
  queries_ = std::move(queries);
  raw_.clear();
}

double StagePredictor::cells() const {
  const Inputs& in = *ours_.inputs;
  return static_cast<double>(in.batch * in.num_heads) * static_cast<double>(queries_.size()) *
         static_cast<double>(ours_.key_len());
}

double StagePredictor::cost() const {
  const Inputs& in = *ours_.inputs;
  const auto real = [](std::int64_t number) { return static_cast<double>(number); };
  const double width = real(in.num_heads * in.value_head_dim);
  return 2e4 + cells() * real(in.head_dim + in.value_head_dim + 20) +
         real(in.batch) * real(static_cast<std::int64_t>(queries_.size())) * width * real(in.d_model);
}

bool StagePredictor::hides(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const {
  return ours_.mask->hidden.hidden(b, h, i, j);
}

double StagePredictor::cost_of_heads() const {
  const Inputs& in = *ours_.inputs;
  if (!in.query.empty()) return kCopied * static_cast<double>(in.query.size() + in.key.size() + in.value.size());
  const auto rows = static_cast<double>(in.batch * (in.query_len + in.key_len));
  return rows * static_cast<double>(in.num_heads * (in.head_dim + in.value_head_dim) * in.d_model);
}

std::optional<Altered> StagePredictor::altered(const MistakeSet& mistakes) const {
  const auto made = [&](auto first, auto last) -> std::optional<Altered> {
    Altered what{ours_.request, *ours_.inputs, false, false, {}};
    for (auto each = first; each != last; ++each) {
      if (!make_mistake(each->first, each->second, what)) return std::nullopt;
    }
    return what;
  };
  std::optional<Altered> what = made(mistakes.begin(), mistakes.end());
  if (!what || mistakes.size() < 2) return what;
  // Where one mistake takes back what another one did, they cannot be made together.
  const std::optional<Altered> backwards = made(mistakes.rbegin(), mistakes.rend());
  const bool alike = backwards && backwards->faults == what->faults && backwards->request == what->request &&
                     backwards->batch_is_sequence == what->batch_is_sequence &&
                     backwards->axes_exchanged == what->axes_exchanged;
  return alike ? std::move(what) : std::nullopt;
}

void StagePredictor::share_heads(LayerLab& lab, const MistakeSet& mistakes, const NumberGrid* grid) {
  Key wanted(those_up_to(mistakes, StageId::value), grid);
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = heads_.find(wanted); found != heads_.end()) return lab.take_heads(found->second);
    if (const auto right = heads_.find({{}, grid}); right != heads_.end()) {
      lab.share_arrays(right->second, *ours_.inputs);
    }
  }
  auto heads = lab.heads();  // other threads go on meanwhile
  std::size_t numbers = 0;
  for (const auto& each : *heads) numbers += each.second->values.size();
  const std::lock_guard lock(mutex_);
  // Those of the right layer stay: most others share arrays with them.
  if ((heads_.size() + 1) * numbers > kMostHeadNumbers) {
    std::erase_if(heads_, [](const auto& each) { return !each.first.first.empty(); });
  }
  heads_.emplace(std::move(wanted), std::move(heads));
}

void StagePredictor::share_raw(LayerLab& lab, const MistakeSet& mistakes, const NumberGrid* grid) {
  if (cells() > kMostRawCells) return;
  Key wanted(those_up_to(mistakes, StageId::raw_scores), grid);
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = raw_.find(wanted); found != raw_.end()) return lab.take_raw(found->second);
  }
  auto raw = lab.raw(queries_);
  const std::lock_guard lock(mutex_);
  if ((raw_.size() + 1) * raw->values.size() <= kMostRawNumbers) raw_.emplace(std::move(wanted), std::move(raw));
}

std::optional<WideStage> StagePredictor::summed(const MistakeSet& mistakes) {
  std::optional<Altered> what = altered(mistakes);
  if (!what || !by_lab_ || what->batch_is_sequence || what->axes_exchanged || what->faults.scores_transposed)
    return std::nullopt;
  try {
    LayerLab lab(std::move(*what), given_, nullptr, cancel_);
    if (lab.mixes_rows() && !looks_at_all()) return std::nullopt;
    share_heads(lab, mistakes, nullptr);
    return lab.summed(stage_, queries_);
  } catch (const UsageError&) {
    return std::nullopt;
  }
}

std::optional<WideStage> StagePredictor::made(const MistakeSet& mistakes, const NumberGrid* grid, std::uint64_t seed) {
  cancel_.check();
  std::optional<Altered> what = altered(mistakes);
  if (!what) return std::nullopt;
  try {
    if (find_problem(what->request, what->inputs)) return std::nullopt;
    if (!by_lab_) return by_engine(std::move(*what));
    const bool turned = what->batch_is_sequence != what->axes_exchanged, sequence = what->batch_is_sequence;
    LayerLab lab(std::move(*what), given_, grid, cancel_);
    if (pool_ != nullptr) lab.use(*pool_);
    if ((lab.mixes_rows() || turned || sequence) && !looks_at_all()) return std::nullopt;
    lab.scatter(seed);
    if (seed == 0) share_heads(lab, mistakes, grid);
    if (seed == 0 && stage_ >= StageId::raw_scores && !sequence) share_raw(lab, mistakes, grid);
    const bool by_keys = lab.what().faults.scores_transposed;
    if (by_keys && (!is_score_like(stage_) || !looks_at_all())) return std::nullopt;
    WideStage made = lab.stage(stage_, sequence ? all_queries(lab.queries()) : queries_);
    if (by_keys) return transposed(made);
    if (!turned && !sequence) return made;
    if (made.shape.count != 3) return std::nullopt;
    return turned ? exchanged(made) : made;
  } catch (const UsageError&) {  // a mask file that no longer fits, say
    return std::nullopt;
  }
}

std::optional<WideStage> StagePredictor::by_engine(Altered what) const {
  if (!(what.faults == LayerFaults()) || !given_.empty()) return std::nullopt;
  const bool turned = what.batch_is_sequence != what.axes_exchanged, sequence = what.batch_is_sequence;
  if ((turned || sequence) && !looks_at_all()) return std::nullopt;
  const auto inputs = std::make_shared<const Inputs>(std::move(what.inputs));
  const auto trace = forward(what.request, inputs, backend_, cancel_);
  const Stage* found = trace->find(stage_);
  if (found == nullptr || ((turned || sequence) && found->tensor.rank() != 3)) return std::nullopt;
  const WideStage made = stage_rows(stage_, found->tensor, sequence ? all_queries(inputs->query_len) : queries_);
  return turned ? exchanged(made) : made;
}

}  // namespace headscope
