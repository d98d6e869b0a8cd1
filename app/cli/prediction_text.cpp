#include "app/cli/prediction_text.h"

#include <fmt/format.h>

#include <vector>

#include "app/cli/output.h"

namespace headscope::cli {

std::string predictions_text(const PredictionReport& report, const Trace& trace) {
  const std::vector<std::string> tokens = trace.query_labels();
  std::vector<std::vector<std::string>> rows = {
      {"position", report.next_token ? "after" : "at", "token", "id", "probability", "logit"}};
  for (const Prediction& each : report.positions) {
    for (const TokenProbability& token : each.top) {
      const bool first = &token == &each.top.front();
      rows.push_back({first ? std::to_string(each.position) : "",
                      first ? printable(tokens[static_cast<std::size_t>(each.position)]) : "", printable(token.piece),
                      std::to_string(token.id), short_number(token.probability), short_number(token.logit)});
    }
  }
  std::string text = "\n" + table_text({{true}, {}, {}, {true}, {true}, {true}}, rows);
  if (!report.mean_loss) return text;
  return text + fmt::format("\nloss {} nats a token\n", short_number(*report.mean_loss));
}

}  // namespace headscope::cli
