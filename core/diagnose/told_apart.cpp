#include "core/diagnose/told_apart.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "core/diagnose/mistake_rows.h"
#include "core/diagnose/stage_comparer.h"

namespace headscope {
namespace {

// Whether the mistake changes a stage that is equal.
bool changes(StageComparer& equal_stage, const std::string& mistake, int variation) {
  const std::vector<MistakeRow>& rows = all_mistakes();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const MistakeRow& each) { return each.name == mistake; });
  if (row == rows.end() || row->step > equal_stage.stage()) return false;
  const std::optional<Remainder> left =
      equal_stage.left_of({{static_cast<std::size_t>(row - rows.begin()), variation}});
  return left && left->wrong > 0;
}

}  // namespace

void tell_apart(const Trace& ours, const std::vector<ExternalStage>& theirs, const DiagnoseWork& work,
                const CancelToken& cancel, Diagnosis& found) {
  for (StageComparison& stage : found.stages) {
    GivenStages given;
    for (std::size_t k = 0; k < theirs.size() && !stage.explanations.empty(); ++k) {
      const bool same = theirs[k].tensor.shape() == ours.tensor(theirs[k].stage).shape();
      if (found.stages[k].equal && same && !theirs[k].averaged) {
        StageComparer equal_stage(ours, theirs[k], given, work, cancel);
        equal_stage.compare();
        std::vector<DiagnosisExplanation> kept;
        for (const DiagnosisExplanation& each : stage.explanations) {
          const bool single = each.variants.size() == 1 && each.variations.size() == 1;
          if (!single || !changes(equal_stage, each.variants.front(), each.variations.front())) kept.push_back(each);
        }
        stage.explanations = std::move(kept);
      }
      if (same) given[theirs[k].stage] = theirs[k].tensor;
    }
    stage.mistakes.clear();
    if (!stage.explanations.empty()) stage.mistakes = stage.explanations.front().variants;
  }
}

}  // namespace headscope
