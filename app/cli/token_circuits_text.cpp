#include "app/cli/token_circuits_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "app/cli/output.h"
#include "core/io/csv.h"
#include "core/io/json_text.h"
#include "core/model/named_token.h"

namespace headscope::cli {
namespace {

using Json = nlohmann::ordered_json;

// "'box' (6)"
std::string quoted(const Checkpoint& checkpoint, std::int64_t id) {
  return fmt::format("'{}' ({})", printable(token_piece(checkpoint, id)), id);
}

std::vector<std::pair<const char*, const std::vector<TokenScore>*>> lists_of(const TokenCircuit& found) {
  return {{"keys", &found.keys}, {"queries", &found.queries}, {"writes", &found.writes}};
}

}  // namespace

std::string token_circuit_text(const TokenHeading& heading, const TokenCircuit& found) {
  const std::string token = quoted(heading.checkpoint, heading.question.id);
  std::vector<std::vector<std::string>> rows = {{"rank", "as a query it looks at", "score", "as a key it is seen by",
                                                 "score", "where it is read it raises", "logit"}};
  std::vector<Column> columns = {{true}, {}, {true}, {}, {true}, {}, {true}};
  for (std::size_t k = 0; k < std::max(found.keys.size(), found.writes.size()); ++k) {
    rows.push_back({std::to_string(k + 1)});
    for (const auto& [name, list] : lists_of(found)) {
      const bool has = k < list->size();
      rows.back().push_back(has ? quoted(heading.checkpoint, (*list)[k].id) : "");
      rows.back().push_back(has ? short_number((*list)[k].value) : "");
    }
  }
  if (found.writes.empty()) {
    for (auto& row : rows) row.resize(5);
    columns.resize(5);
  }
  return fmt::format(
      "{}, head {} of layer {} of {}, norms {}\n\n{}\n{}", token, heading.question.head, heading.question.layer,
      printable(heading.of.model), heading.of.norms == NormFolding::fold ? "folded in" : "ignored",
      table_text(columns, rows),
      "Of word embeddings alone: no positions, no biases; logits without the scale of the final norm.\n");
}

std::string token_circuit_json(const TokenHeading& heading, const TokenCircuit& found) {
  const auto token = [&](std::int64_t id) { return token_piece(heading.checkpoint, id); };
  Json json = {{"model", heading.of.model},
               {"norms", kNormFoldingNames[static_cast<std::size_t>(heading.of.norms)]},
               {"layer", heading.question.layer},
               {"head", heading.question.head},
               {"token", {{"id", heading.question.id}, {"token", token(heading.question.id)}}}};
  for (const auto& [name, list] : lists_of(found)) {
    json[name] = Json::array();
    for (const TokenScore& score : *list) {
      json[name].push_back({{"id", score.id}, {"token", token(score.id)}, {"value", json_number(score.value)}});
    }
  }
  return json_dump(json, 1) + "\n";
}

std::string token_circuit_csv(const TokenHeading& heading, const TokenCircuit& found) {
  std::string text = "list,rank,id,token,value\n";
  for (const auto& [name, list] : lists_of(found)) {
    std::size_t rank = 0;
    for (const TokenScore& score : *list) {
      text += fmt::format("{},{},{},{},{}\n", name, ++rank, score.id,
                          csv_field(token_piece(heading.checkpoint, score.id)), csv_number(score.value));
    }
  }
  return text;
}

}  // namespace headscope::cli
