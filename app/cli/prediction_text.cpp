#include "app/cli/prediction_text.h"

#include <fmt/format.h>

#include <vector>

#include "app/cli/output.h"

namespace headscope::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;

// What all interventions together do to the most probable token, and each of several alone.
std::string changes_text(const PredictionReport& report, const std::vector<std::string>& tokens) {
  const PredictionChanges& changes = *report.changes;
  Rows rows = {{"position", report.next_token ? "after" : "at", "token", "with", "probability"}};
  for (std::size_t p = 0; p < changes.positions.size(); ++p) {
    const PredictionChange& change = changes.positions[p];
    const std::int64_t position = report.positions[p].position;
    rows.push_back({std::to_string(position), printable(tokens[static_cast<std::size_t>(position)]),
                    printable(change.first.piece), "no intervention", short_number(change.first.probability)});
    for (std::size_t k = 0; changes.terms.size() > 1 && k < changes.terms.size(); ++k) {
      rows.push_back({"", "", "", changes.terms[k], short_number(change.first_alone[k])});
    }
    rows.push_back(
        {"", "", "", changes.terms.size() > 1 ? "all of them" : changes.terms.front(), short_number(change.first_now)});
  }
  return '\n' + table_text({{true}, {}, {}, {}, {true}}, rows);
}

}  // namespace

std::string predictions_text(const PredictionReport& report, const Trace& trace) {
  const std::vector<std::string> tokens = trace.query_labels();
  Rows rows = {{"position", report.next_token ? "after" : "at", "token", "id", "probability", "logit"}};
  if (report.changes) rows.front().push_back("without");
  for (std::size_t p = 0; p < report.positions.size(); ++p) {
    const Prediction& each = report.positions[p];
    for (std::size_t k = 0; k < each.top.size(); ++k) {
      const TokenProbability& token = each.top[k];
      rows.push_back({k == 0 ? std::to_string(each.position) : "",
                      k == 0 ? printable(tokens[static_cast<std::size_t>(each.position)]) : "", printable(token.piece),
                      std::to_string(token.id), short_number(token.probability), short_number(token.logit)});
      if (report.changes) rows.back().push_back(short_number(report.changes->positions[p].top_without[k]));
    }
  }
  std::string text = '\n' + table_text({{true}, {}, {}, {true}, {true}, {true}, {true}}, rows);
  if (report.changes) text += changes_text(report, tokens);
  if (!report.mean_loss) return text;
  text += fmt::format("\nloss {} nats a token", short_number(*report.mean_loss));
  if (report.changes && report.changes->mean_loss_without) {
    text += fmt::format(", without interventions {}", short_number(*report.changes->mean_loss_without));
  }
  return text + "\n";
}

}  // namespace headscope::cli
