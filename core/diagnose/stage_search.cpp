#include "core/diagnose/stage_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/diagnose/mistake_rows.h"
#include "core/diagnose/search_answer.h"
#include "core/diagnose/stage_comparer.h"

namespace headscope {
namespace {

constexpr double kMostWork = 1e9;  // multiplications of a search, roughly
constexpr std::size_t kFewestPairs = 24, kMostPairs = 6000;
constexpr double kMostRounded = 0.3;      // the residual that sums in half precision leave, at most
constexpr double kMostRoundedWork = 1e6;  // of one set in which sums are rounded number by number
constexpr std::size_t kBeam = 8;          // sets of mistakes that a further one is added to
constexpr double kMostUnexplained = 0.5;  // of the squared difference, by an explanation
constexpr double kMostOfFactor = 0.3;     // of it where no number lies too far away: more mistakes come near there
// A mistake fits poorly that leaves more than this share of the squares of what rounding may do. It may do six times
// what it does, so that this is what it does.
constexpr double kPoorFit = 1.0 / 36;
constexpr double kFitsBetter = 4;  // times fewer squares are left by a set of mistakes that is to be named instead
constexpr std::size_t kSetsAtOnce = 64;  // that are tried until the progress is shown again

// Tries single mistakes, then sets of several, until one explains the stage.
class StageSearch {
 public:
  StageSearch(StageComparer& comparer, const Trace& ours, const DiagnoseWork& work)
      : comparer_(comparer), ours_(ours), progress_(work.progress), first_tried_(work.options.first_tried) {}

  void run(StageComparison& result) {
    if (result.common_factor) most_unexplained_ = kMostOfFactor;
    if (!comparer_.says_nothing()) {
      try_first();
      if (explained_.empty()) search();
      if (explained_.empty()) try_dropout();
    }
    result.tried = tried_;
    put_answer(std::move(explained_), std::move(near_), comparer_, ours_, result);
  }

 private:
  // Measures what the sets leave, several at a time unless `together` is false. Those that explain the stage go to
  // explained_, others to `candidates`, in the order of `sets`. The progress goes from `begin` to `end`.
  void try_sets(std::vector<MistakeSet> sets, std::vector<TriedSet>& candidates, double begin, double end,
                bool together = true) {
    tried_ += sets.size();
    for (std::size_t first = 0; first < sets.size(); first += kSetsAtOnce) {
      show(begin + (end - begin) * static_cast<double>(first) / static_cast<double>(sets.size()));
      std::vector<std::optional<Remainder>> left(std::min(kSetsAtOnce, sets.size() - first));
      comparer_.pool().run(static_cast<std::int64_t>(left.size()), together && comparer_.by_lab(), [&](std::int64_t k) {
        left[static_cast<std::size_t>(k)] = comparer_.left_of(sets[first + static_cast<std::size_t>(k)]);
      });
      for (std::size_t k = 0; k < left.size(); ++k) {
        if (!left[k]) continue;
        const bool all = left[k]->wrong == 0 && explains(*left[k]);
        (all ? explained_ : candidates).push_back({std::move(sets[first + k]), *left[k], comparer_.plain_left()});
      }
    }
  }

  // What leaves most of the difference is no explanation, however much is allowed, nor is a factor that nearly fits.
  bool explains(const Remainder& left) const {
    if (left.leans) return false;
    const double all = comparer_.plain_left().squares;
    return !comparer_.same_shape() || !std::isfinite(all) || left.squares <= most_unexplained_ * all;
  }

  // Rounding hides what lies near: a mistake that leaves more than rounding does may stand for two others.
  bool fits_poorly(const Remainder& left) const {
    return comparer_.format().grid != nullptr && left.rounding > 0 && left.squares > kPoorFit * left.rounding;
  }
  bool is_settled() const {
    return std::any_of(explained_.begin(), explained_.end(),
                       [&](const TriedSet& each) { return !fits_poorly(each.left); });
  }

  // The first `before` explanations fit poorly. Those of more mistakes take their place where they fit well and leave
  // far less, else they are none.
  void settle(std::size_t before) {
    const auto first = explained_.begin() + static_cast<std::ptrdiff_t>(before);
    const auto less = [](const TriedSet& a, const TriedSet& b) { return a.left.squares < b.left.squares; };
    if (before == 0 || first == explained_.end()) return;
    const auto best = std::min_element(first, explained_.end(), less),
               poor = std::min_element(explained_.begin(), first, less);
    const bool better = !fits_poorly(best->left) && kFitsBetter * best->left.squares <= poor->left.squares;
    const auto begin = better ? explained_.begin() : first, end = better ? first : explained_.end();
    near_.insert(near_.end(), begin, end);
    explained_.erase(begin, end);
  }

  static bool shares_a_mistake(const MistakeSet& a, const MistakeSet& b) {
    return std::any_of(a.begin(), a.end(), [&](const auto& one) {
      return std::any_of(b.begin(), b.end(), [&](const auto& other) { return other.first == one.first; });
    });
  }

  static MistakeSet united(MistakeSet a, const MistakeSet& b) {
    a.insert(a.end(), b.begin(), b.end());
    std::sort(a.begin(), a.end());
    return a;
  }

  // Mistakes that explained another layer.
  void try_first() {
    std::vector<TriedSet> ignored;
    std::vector<MistakeSet> sets;
    const std::vector<MistakeRow>& rows = all_mistakes();
    for (std::size_t place = 0; place < rows.size() && !first_tried_.empty(); ++place) {
      if (rows[place].step > comparer_.stage()) continue;
      if (std::find(first_tried_.begin(), first_tried_.end(), rows[place].name) == first_tried_.end()) continue;
      for (int variation = 0; variation < rows[place].variations; ++variation) sets.push_back({{place, variation}});
    }
    try_sets(std::move(sets), ignored, 0, 0);
    if (comparer_.looks_at_all()) return;
    std::erase_if(explained_, [&](const TriedSet& each) { return !comparer_.holds_everywhere(each.set); });
  }

  void search() {
    std::vector<TriedSet> singles;
    std::vector<MistakeSet> sets;
    const std::vector<MistakeRow>& rows = all_mistakes();
    for (std::size_t place = 0; place < rows.size(); ++place) {
      if (rows[place].step > comparer_.stage() || (rounds_sums(place) && !may_be_rounded())) continue;
      // In half precision everything is rounded, and so are one step's numbers.
      if (comparer_.format().grid != nullptr && rounds_a_step(place)) continue;
      for (int variation = 0; variation < rows[place].variations; ++variation) sets.push_back({{place, variation}});
    }
    try_sets(std::move(sets), singles, 0, 0.3);
    sort_by_rest(singles);
    near_ = singles;
    const auto most = static_cast<std::size_t>(
        std::clamp(kMostWork / comparer_.cost(), static_cast<double>(kFewestPairs), static_cast<double>(kMostPairs)));
    // What rounding costs is no mistake beside another one, and it takes long.
    std::erase_if(singles, [&](const TriedSet& each) { return rounds_a_step(each.set.front().first); });
    if (comparer_.format().grid != nullptr || comparer_.cost() > kMostRoundedWork) {
      std::erase_if(singles, [&](const TriedSet& each) { return rounds_sums(each.set.front().first); });
    }
    const std::size_t poor = explained_.size();
    if (!is_settled()) singles.insert(singles.begin(), explained_.begin(), explained_.end());
    std::vector<TriedSet> beam = singles;
    for (std::size_t size = 2; size <= kMostMistakes && !is_settled(); ++size) {
      if (size > 2 && !promising(beam, size)) break;
      beam = widened(beam, singles, size == 2 ? most : most / 4, 0.1 + 0.2 * static_cast<double>(size));
      sort_by_rest(beam);
      near_.insert(near_.end(), beam.begin(), beam.begin() + static_cast<std::ptrdiff_t>(std::min(beam.size(), kBeam)));
      if (beam.size() > kBeam) beam.resize(kBeam);
      if (comparer_.format().grid != nullptr && size == 2) break;  // rounding hides too much for more at a time
    }
    settle(poor);
    if (comparer_.looks_at_all()) return;
    std::erase_if(explained_, [&](const TriedSet& each) { return !comparer_.holds_everywhere(each.set); });
    if (explained_.empty()) search_mixed();
  }

  // Mistakes that mix the rows of queries need all of them: they are tried where nothing else explains a long text.
  void search_mixed() {
    // They change nearly every row.
    if (!comparer_.differs_widely() || !comparer_.look_at_all()) return;
    std::vector<MistakeSet> sets;
    for (std::size_t place = 0; place < all_mistakes().size(); ++place) {
      if (all_mistakes()[place].step <= comparer_.stage() && mixes(place)) sets.push_back({{place, 0}});
    }
    // One at a time, all threads at each: a few sets share two threads badly, and each has a large layer in memory.
    try_sets(std::move(sets), near_, 0.9, 1, false);
  }

  void try_dropout() {
    const std::vector<MistakeRow>& rows = all_mistakes();
    const auto row =
        std::find_if(rows.begin(), rows.end(), [](const MistakeRow& each) { return each.name == "dropout-left-on"; });
    for (const int variation : {0, 1}) {
      const std::optional<Remainder> left = comparer_.left_of_dropout(variation == 0);
      if (!left || left->wrong > 0 || !explains(*left)) continue;
      explained_.push_back(
          {{{static_cast<std::size_t>(row - rows.begin()), variation}}, *left, comparer_.plain_left()});
    }
  }

  bool rounds_sums(std::size_t place) const {
    Altered what{ours_.request, *ours_.inputs, false, false, {}};
    return make_mistake(place, 0, what) && what.faults.accumulator.has_value();
  }

  bool rounds_a_step(std::size_t place) const {
    Altered what{ours_.request, *ours_.inputs, false, false, {}};
    return make_mistake(place, 0, what) && (what.faults.softmax_grid || what.faults.query_grid);
  }

  // Whether the difference is as small as sums in half precision leave it, or numbers passed their range.
  bool may_be_rounded() const {
    const double residual = comparer_.plain_left().residual();
    return !comparer_.same_shape() || !std::isfinite(residual) || residual <= kMostRounded;
  }

  bool mixes(std::size_t place) const {
    Altered what{ours_.request, *ours_.inputs, false, false, {}};
    if (!make_mistake(place, 0, what)) return false;
    return mixes_rows(what) || what.batch_is_sequence;
  }

  // Whether what is known so far explains so much that one mistake more may explain the rest.
  bool promising(const std::vector<TriedSet>& beam, std::size_t size) const {
    constexpr double kLeft[] = {1, 1, 1, 0.7, 0.4};  // of the squared difference, at most, for sets of that size
    if (beam.empty() || !std::isfinite(comparer_.plain_left().squares))
      return !beam.empty() && std::isfinite(beam.front().left.squares);
    return beam.front().left.squares <= kLeft[size] * comparer_.plain_left().squares;
  }

  // Every set of the beam with one more single mistake, those of the best first, at most `most`.
  std::vector<TriedSet> widened(const std::vector<TriedSet>& beam, const std::vector<TriedSet>& singles,
                                std::size_t most, double begin) {
    std::vector<MistakeSet> sets;
    std::set<MistakeSet> seen;
    for (std::size_t sum = 0; sum < beam.size() + singles.size() && sets.size() < most; ++sum) {
      for (std::size_t a = 0; a <= sum && a < beam.size() && sets.size() < most; ++a) {
        const std::size_t b = sum - a;
        if (b >= singles.size() || shares_a_mistake(beam[a].set, singles[b].set)) continue;
        MistakeSet set = united(beam[a].set, singles[b].set);
        if (seen.insert(set).second) sets.push_back(std::move(set));
      }
    }
    std::vector<TriedSet> result;
    try_sets(std::move(sets), result, begin, begin + 0.2);
    return result;
  }

  void show(double share) const {
    if (progress_) progress_(std::min(share, 1.0));
  }

  StageComparer& comparer_;
  const Trace& ours_;
  const std::function<void(double)>& progress_;
  const std::vector<std::string>& first_tried_;
  std::vector<TriedSet> explained_, near_;
  std::size_t tried_ = 0;
  double most_unexplained_ = kMostUnexplained;
};

}  // namespace

StageComparison judged_stage(const Trace& ours, const ExternalStage& theirs, const GivenStages& given,
                             const DiagnoseWork& work, const CancelToken& cancel) {
  StageComparer comparer(ours, theirs, given, work, cancel);
  StageComparison result = comparer.compare();
  if (result.equal) return result;
  result.same_as = comparer.another_stage();
  StageSearch(comparer, ours, work).run(result);
  return result;
}

}  // namespace headscope
