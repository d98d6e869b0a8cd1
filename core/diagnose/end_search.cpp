#include "core/diagnose/end_search.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/compare/mistakes.h"
#include "core/compare/wide_stage.h"
#include "core/diagnose/mistake_code.h"
#include "core/diagnose/mistake_rows.h"
#include "core/diagnose/stage_predictor.h"
#include "core/diagnose/tolerance.h"

namespace headscope {
namespace {

constexpr std::int64_t kFewRows = 12;   // that are tried first
constexpr double kSameResidual = 2e-6;  // below it a residual says nothing about which is right

using RowList = std::vector<std::int64_t>;

// Those rows of [batch, len, features], in double.
WideStage wide_rows(const Tensor& tensor, const RowList& rows) {
  return stage_rows(StageId::output, tensor, rows);
}

Tensor as_tensor(const WideStage& stage) {
  return Tensor::of(stage.shape, {Axis::batch, Axis::position, Axis::feature},
                    {stage.values.begin(), stage.values.end()});
}

class EndSearch {
 public:
  EndSearch(const EndOfLayer& end, const PartComparison& plain, const DiagnoseWork& work, const CancelToken& cancel)
      : end_(end), plain_(plain), work_(work), predictor_(end.trace, StageId::output, end.given, work.backend, cancel) {
    all_.resize(static_cast<std::size_t>(end.theirs.dim(1)));
    std::iota(all_.begin(), all_.end(), 0);
    drift_ = largest_share(wide_rows(end.ours, all_), wide_rows(end.drifted, all_), {});
  }

  std::vector<DiagnosisExplanation> run() {
    std::vector<DiagnosisExplanation> found;
    if (!predictor_.by_lab()) return found;
    const std::vector<MistakeRow>& rows = all_mistakes();
    const RowList some = some_rows();
    std::set<std::string> named;
    for (std::size_t place = 0; place < rows.size(); ++place) {
      if (rows[place].step > StageId::output || rounds_sums(place)) continue;
      for (int variation = 0; variation < rows[place].variations; ++variation) {
        std::optional<Remainder> left = left_of({{place, variation}}, some);
        if (!left || left->wrong > 0) continue;
        if (some.size() < all_.size()) left = left_of({{place, variation}}, all_);
        if (!left || left->wrong > 0 || !named.insert(std::string(rows[place].name)).second) continue;
        DiagnosisExplanation made;
        made.variants.emplace_back(rows[place].name);
        made.code.push_back(code_of(rows[place], end_.trace.request, *end_.trace.inputs));
        made.residual = left->residual();
        made.largest = left->largest;
        made.share = made.cells = 1;
        found.push_back(std::move(made));
      }
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
      return std::max(a.residual, kSameResidual) < std::max(b.residual, kSameResidual);
    });
    return found;
  }

 private:
  // Rows that differ, and some from everywhere.
  RowList some_rows() const {
    const auto len = static_cast<std::int64_t>(all_.size());
    if (len <= kFewRows) return all_;
    std::set<std::int64_t> chosen;
    for (std::int64_t k = 0; k < kFewRows / 2; ++k) chosen.insert(k * (len - 1) / (kFewRows / 2 - 1));
    for (const std::int64_t row : plain_.where.rows) {
      if (static_cast<std::int64_t>(chosen.size()) >= kFewRows) break;
      chosen.insert(row);
    }
    return {chosen.begin(), chosen.end()};
  }

  bool rounds_sums(std::size_t place) const {
    Altered what{end_.trace.request, *end_.trace.inputs, false, false, {}};
    return make_mistake(place, 0, what) && what.faults.accumulator.has_value();
  }

  // Returns what is left of the difference with the mistake; nothing where it cannot be made.
  std::optional<Remainder> left_of(const MistakeSet& mistakes, const RowList& rows) {
    predictor_.look_at(rows);
    const std::optional<WideStage> output = predictor_.predicted(mistakes, nullptr);
    const WideStage theirs = wide_rows(end_.theirs, rows);
    if (!output || !(output->shape == theirs.shape)) return std::nullopt;
    const LayerRest& rest = end_.rest;
    const Tensor stream = as_tensor(wide_rows(end_.stream, rows));
    Tensor left = rest.attended(stream, rest.added(as_tensor(*output)));
    if (rest.has_mlp()) left = rest.leaving(left, rest.mlp_out(rest.mlp_in(stream, left)));
    if (end_.normed) left = rest.final_norm(left);
    RowList whole(rows.size());
    std::iota(whole.begin(), whole.end(), 0);
    const WideStage made = wide_rows(left, whole);
    WideStage rounded = made;
    if (plain_.format.grid != nullptr) {
      for (double& value : rounded.values) value = rounded_to(*plain_.format.grid, value);
    }
    Tolerance tolerance(plain_.format, work_.options.tolerance, made, rounded, {});
    tolerance.allow(drift_);
    return compare_stage(made, nullptr, theirs, tolerance, {});
  }

  const EndOfLayer& end_;
  const PartComparison& plain_;
  const DiagnoseWork& work_;
  StagePredictor predictor_;
  RowList all_;
  double drift_ = 0;
};

}  // namespace

std::vector<DiagnosisExplanation> explained_end(const EndOfLayer& end, const PartComparison& plain,
                                                const DiagnoseWork& work, const CancelToken& cancel) {
  return EndSearch(end, plain, work, cancel).run();
}

}  // namespace headscope
