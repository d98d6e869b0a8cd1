#include "app/cli/lens_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "app/cli/output.h"

namespace headscope::cli {
namespace {

constexpr std::size_t kMostPositions = 12;

}  // namespace

std::string lens_text(const LogitLens& lens, const Trace& trace) {
  const std::vector<std::string> tokens = trace.query_labels();
  const std::size_t first = tokens.size() - std::min(tokens.size(), kMostPositions);
  std::vector<std::vector<std::string>> rows = {{"after"}};
  for (std::size_t i = first; i < tokens.size(); ++i) rows[0].push_back(fmt::format("{} {}", i, printable(tokens[i])));
  for (const LensLayer& layer : lens.layers) {
    rows.push_back({lens_row_name(layer.layer)});
    for (std::size_t i = first; i < tokens.size(); ++i) {
      const TokenProbability& token = layer.positions[i].top.front();
      rows.back().push_back(printable(token.piece) + " " + short_number(token.probability));
    }
  }
  std::string text = fmt::format("\nlogit lens: {}, if the model ended there\n\n",
                                 lens.next_token ? "the token after each position" : "the token at each position") +
                     table_text(std::vector<Column>(rows[0].size()), rows);
  if (first == 0) return text;
  return text +
         fmt::format("note: positions {} to {} of {}; --json has all\n", first, tokens.size() - 1, tokens.size());
}

}  // namespace headscope::cli
