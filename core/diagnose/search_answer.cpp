#include "core/diagnose/search_answer.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "core/diagnose/mistake_code.h"
#include "core/diagnose/mistake_rows.h"

namespace headscope {
namespace {

constexpr double kAlikeShare = 0.02;       // of the squared difference, between mistakes that explain it equally well
constexpr double kRoundedResidual = 2e-6;  // of float32: below it a residual says nothing about which is right

// Where numbers are NaN that should not be, or the other way round, the cells that are wrong count.
double rest(const TriedSet& candidate) {
  const double all = candidate.plain.squares;
  const double share = all > 0 && std::isfinite(all) ? candidate.left.squares / all : candidate.left.squares;
  return std::isfinite(share) ? share : 1e200 * (1 + static_cast<double>(candidate.left.wrong));
}

DiagnosisExplanation explanation(const TriedSet& candidate, const StageComparer& comparer, const Trace& ours) {
  DiagnosisExplanation result;
  for (const auto& [place, variation] : candidate.set) {
    result.variants.emplace_back(all_mistakes()[place].name);
    result.variations.push_back(variation);
    result.code.push_back(code_of(all_mistakes()[place], ours.request, *ours.inputs));
  }
  result.residual = candidate.left.residual();
  result.largest = candidate.left.largest;
  const double all = candidate.plain.squares;
  if (std::isfinite(all) && all > 0) result.share = std::clamp(1 - candidate.left.squares / all, 0.0, 1.0);
  if (!std::isfinite(all) || !comparer.same_shape()) result.share = candidate.left.wrong == 0 ? 1 : 0;
  const auto wrong = static_cast<double>(candidate.plain.wrong);
  if (wrong > 0) result.cells = std::clamp(1 - static_cast<double>(candidate.left.wrong) / wrong, 0.0, 1.0);
  if (!comparer.same_shape()) result.cells = candidate.left.wrong == 0 ? 1 : 0;
  return result;
}

}  // namespace

void sort_by_rest(std::vector<TriedSet>& candidates) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const TriedSet& a, const TriedSet& b) { return rest(a) < rest(b); });
}

void put_answer(std::vector<TriedSet> explained, std::vector<TriedSet> near, const StageComparer& comparer,
                const Trace& ours, StageComparison& result) {
  // Residuals within rounding say nothing about which is right: there the order of the table stays.
  double best = std::numeric_limits<double>::infinity();
  for (const TriedSet& each : explained) best = std::min(best, each.left.residual());
  const double level = comparer.format().is_float32() ? kRoundedResidual : 1.2 * best;
  std::stable_sort(explained.begin(), explained.end(), [=](const TriedSet& a, const TriedSet& b) {
    const double x = std::max(a.left.residual(), level), y = std::max(b.left.residual(), level);
    return x != y ? x < y : a.set < b.set;
  });
  // Equally well is with nearly the same share.
  double least = std::numeric_limits<double>::infinity();
  for (const TriedSet& each : explained) least = std::min(least, each.left.squares);
  const double most = least + kAlikeShare * comparer.plain_left().squares;
  std::set<std::vector<std::string>> named;
  for (const TriedSet& each : explained) {
    if (comparer.same_shape() && std::isfinite(most) && each.left.squares > most) {
      near.push_back(each);
      continue;
    }
    DiagnosisExplanation made = explanation(each, comparer, ours);
    if (named.insert(made.variants).second) result.explanations.push_back(std::move(made));
  }
  if (!result.explanations.empty()) result.mistakes = result.explanations.front().variants;
  if (comparer.same_shape() && std::isfinite(comparer.plain_left().residual()))
    near.push_back({{}, comparer.plain_left(), comparer.plain_left()});
  sort_by_rest(near);
  for (const TriedSet& each : near) {
    if (result.nearest.size() == kNearest) break;
    if (!std::isfinite(each.left.residual())) continue;
    DiagnosisExplanation made = explanation(each, comparer, ours);
    if (named.insert(made.variants).second) result.nearest.push_back(std::move(made));
  }
}

}  // namespace headscope
