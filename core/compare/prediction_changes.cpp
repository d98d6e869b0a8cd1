#include "core/compare/prediction_changes.h"

#include "core/request/intervention_list.h"

namespace headscope {

std::optional<PredictionChanges> prediction_changes(
    const Trace& trace, const PredictionReport& report,
    const std::function<std::shared_ptr<const Trace>(const Request&)>& compute, const CancelToken& cancel) {
  const std::vector<Intervention> active = active_interventions(trace.request, true);
  if (active.empty()) return std::nullopt;
  PredictionChanges changes;
  for (const Intervention& each : active) changes.terms.push_back(each.term);

  const auto probabilities = [&](const ModelTrace& model, std::int64_t position, const std::vector<std::int64_t>& ids) {
    return probabilities_of(model, 0, position, ids, *model.backend, cancel);
  };
  const auto without = compute(without_interventions(trace.request));
  const PredictionReport before = prediction_report(*without->model, 1, cancel);
  changes.mean_loss_without = before.mean_loss;
  for (std::size_t k = 0; k < report.positions.size(); ++k) {
    const Prediction& now = report.positions[k];
    PredictionChange change;
    change.first = before.positions[k].top.front();
    std::vector<std::int64_t> ids;
    for (const TokenProbability& token : now.top) ids.push_back(token.id);
    change.top_without = probabilities(*without->model, now.position, ids);
    change.first_now = probabilities(*trace.model, now.position, {change.first.id}).front();
    if (active.size() == 1) change.first_alone = {change.first_now};
    changes.positions.push_back(std::move(change));
  }
  for (std::size_t k = 0; active.size() > 1 && k < active.size(); ++k) {
    const auto alone = compute(with_only(trace.request, active[k]));
    for (std::size_t p = 0; p < changes.positions.size(); ++p) {
      PredictionChange& change = changes.positions[p];
      const std::int64_t position = report.positions[p].position;
      change.first_alone.push_back(probabilities(*alone->model, position, {change.first.id}).front());
    }
  }
  return changes;
}

}  // namespace headscope
