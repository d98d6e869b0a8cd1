#include "app/cli/token_sets_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "app/cli/csv_path.h"
#include "app/cli/output.h"
#include "app/cli/table_numbers.h"
#include "core/io/csv.h"
#include "core/io/json_text.h"
#include "core/model/named_token.h"

namespace headscope::cli {
namespace {

using Json = nlohmann::ordered_json;

const char* norms_words(const CircuitsHeading& heading) {
  return heading.norms == NormFolding::fold ? "norms folded in" : "norms ignored";
}

Json model_json(const CircuitsHeading& heading) {
  return {{"model", heading.model}, {"norms", kNormFoldingNames[static_cast<std::size_t>(heading.norms)]}};
}

Json place_json(const HeadHeading& heading) {
  Json json = model_json(heading.of);
  json["layer"] = heading.layer;
  json["head"] = heading.head;
  return json;
}

std::string place_text(const HeadHeading& heading) {
  return fmt::format("Head {} of layer {} of {}, {}", heading.head, heading.layer, printable(heading.of.model),
                     norms_words(heading.of));
}

// ---- maps of a set

using NamedMaps = std::vector<std::pair<const char*, const Tensor*>>;

NamedMaps maps_of(const TokenMaps& found) {
  NamedMaps maps = {{"qk", &found.qk}};
  if (!found.ov.empty()) maps.emplace_back("ov", &found.ov);
  return maps;
}

std::string map_table(const HeadHeading& heading, const std::vector<std::int64_t>& ids, const Tensor& map) {
  std::vector<Column> columns(1);
  std::vector<std::vector<std::string>> rows(1);
  rows[0].emplace_back("");
  for (const std::int64_t id : ids) {
    rows[0].push_back(printable(token_piece(heading.checkpoint, id)));
    columns.push_back({true});
  }
  const auto value_at = [&](std::size_t a, std::size_t b) {
    return static_cast<double>(map.at({static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)}));
  };
  TableNumbers numbers;
  for (std::size_t a = 0; a < ids.size(); ++a) {
    for (std::size_t b = 0; b < ids.size(); ++b) numbers.add(value_at(a, b));
  }
  for (std::size_t a = 0; a < ids.size(); ++a) {
    rows.push_back({printable(token_piece(heading.checkpoint, ids[a]))});
    for (std::size_t b = 0; b < ids.size(); ++b) rows.back().push_back(numbers.text(value_at(a, b)));
  }
  return table_text(columns, rows) + numbers.legend();
}

Json map_json(const Tensor& map) {
  Json rows = Json::array();
  for (std::int64_t a = 0; a < map.dim(0); ++a) {
    Json row = Json::array();
    for (std::int64_t b = 0; b < map.dim(1); ++b) row.push_back(json_number(static_cast<double>(map.at({a, b}))));
    rows.push_back(std::move(row));
  }
  return rows;
}

// ---- directions

using NamedCircuits = std::vector<std::pair<const char*, const std::vector<TokenDirection>*>>;

NamedCircuits circuits_of(const HeadDirections& found) {
  return {{"qk", &found.qk}, {"ov", &found.ov}};
}

// "'box' (6) 1.23, 'cat' (7) 1.1"
std::string end_text(const HeadHeading& heading, const std::vector<TokenScore>& scores) {
  std::string text;
  for (const TokenScore& score : scores) {
    text += fmt::format("{}'{}' ({}) {}", text.empty() ? "" : ", ",
                        printable(token_piece(heading.checkpoint, score.id)), score.id, short_number(score.value));
  }
  return text;
}

Json end_json(const HeadHeading& heading, const std::vector<TokenScore>& scores) {
  Json list = Json::array();
  for (const TokenScore& score : scores) {
    list.push_back(
        {{"id", score.id}, {"token", token_piece(heading.checkpoint, score.id)}, {"value", json_number(score.value)}});
  }
  return list;
}

// ---- scores of heads

Json score_json(const std::optional<double>& score) {
  return score ? json_number(*score) : Json(nullptr);
}

std::string csv_of_scores(const std::optional<double>& score) {
  return score ? csv_number(*score) : "";
}

}  // namespace

std::string token_maps_text(const HeadHeading& heading, const std::vector<std::int64_t>& ids, const TokenMaps& found) {
  std::string text = place_text(heading) + ", each token with each\n\n";
  text += "QK: the score with which the row's token looks at the column's\n" + map_table(heading, ids, found.qk);
  if (!found.ov.empty()) {
    text += "\nOV: the logit of the column's token where the row's is read\n" + map_table(heading, ids, found.ov);
  }
  return text + "\nOf word embeddings alone: no positions, no biases; logits without the scale of the final norm.\n";
}

std::string token_maps_json(const HeadHeading& heading, const std::vector<std::int64_t>& ids, const TokenMaps& found) {
  Json json = place_json(heading);
  json["tokens"] = Json::array();
  for (const std::int64_t id : ids) {
    json["tokens"].push_back({{"id", id}, {"token", token_piece(heading.checkpoint, id)}});
  }
  json["qk"] = map_json(found.qk);
  json["ov"] = found.ov.empty() ? Json(nullptr) : map_json(found.ov);
  return json_dump(json, 1) + "\n";
}

std::string token_maps_csv(const HeadHeading& heading, const std::vector<std::int64_t>& ids, const TokenMaps& found) {
  std::string text = "map,from_id,from,to_id,to,value\n";
  const auto piece = [&](std::int64_t id) { return csv_field(token_piece(heading.checkpoint, id)); };
  for (const auto& [name, map] : maps_of(found)) {
    for (std::size_t a = 0; a < ids.size(); ++a) {
      for (std::size_t b = 0; b < ids.size(); ++b) {
        const Index at{static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)};
        text += fmt::format("{},{},{},{},{},{}\n", name, ids[a], piece(ids[a]), ids[b], piece(ids[b]),
                            csv_number(static_cast<double>(map->at(at))));
      }
    }
  }
  return text;
}

std::string directions_text(const HeadHeading& heading, const HeadDirections& found) {
  struct Words {
    const char *name, *from, *to;
  };
  constexpr Words kWords[] = {{"QK", "queries", "keys   "}, {"OV", "read  ", "raised"}};
  std::string text = place_text(heading) + ", its directions\n";
  const NamedCircuits circuits = circuits_of(found);
  for (std::size_t c = 0; c < circuits.size(); ++c) {
    for (std::size_t k = 0; k < circuits[c].second->size(); ++k) {
      const TokenDirection& each = (*circuits[c].second)[k];
      text += fmt::format("\n{} {}: singular value {}, {:.2f} of the sum of squares\n", kWords[c].name, k + 1,
                          short_number(each.value), each.share);
      text += fmt::format("  {}  {}\n", kWords[c].from, end_text(heading, each.from));
      if (!each.to.empty()) text += fmt::format("  {}  {}\n", kWords[c].to, end_text(heading, each.to));
    }
  }
  return text + "\nTokens of largest projection at either end, of word embeddings alone: no positions, no biases.\n";
}

std::string directions_json(const HeadHeading& heading, const HeadDirections& found) {
  Json json = place_json(heading);
  for (const auto& [name, directions] : circuits_of(found)) {
    json[name] = Json::array();
    for (const TokenDirection& each : *directions) {
      json[name].push_back({{"value", json_number(each.value)},
                            {"share", json_number(each.share)},
                            {"from", end_json(heading, each.from)},
                            {"to", end_json(heading, each.to)}});
    }
  }
  return json_dump(json, 1) + "\n";
}

std::string directions_csv(const HeadHeading& heading, const HeadDirections& found) {
  std::string text = "circuit,direction,singular_value,end,rank,id,token,value\n";
  for (const auto& [name, directions] : circuits_of(found)) {
    for (std::size_t k = 0; k < directions->size(); ++k) {
      const TokenDirection& each = (*directions)[k];
      for (const auto& [end, scores] : {std::pair("from", &each.from), std::pair("to", &each.to)}) {
        for (std::size_t rank = 0; rank < scores->size(); ++rank) {
          const TokenScore& score = (*scores)[rank];
          text += fmt::format("{},{},{},{},{},{},{},{}\n", name, k, csv_number(each.value), end, rank + 1, score.id,
                              csv_field(token_piece(heading.checkpoint, score.id)), csv_number(score.value));
        }
      }
    }
  }
  return text;
}

std::string head_scores_text(const CircuitsHeading& heading, const std::vector<HeadScores>& heads) {
  const bool copying = !heads.empty() && heads.front().copying,
             previous = !heads.empty() && heads.front().previous_token;
  std::vector<std::vector<std::string>> rows = {{"head"}};
  std::vector<Column> columns = {{}};
  const auto add_column = [&](const char* name) {
    rows.front().emplace_back(name);
    columns.push_back({true});
  };
  if (copying) add_column("copying");
  if (previous) add_column("previous token");
  for (const HeadScores& each : heads) {
    rows.push_back({fmt::format("{}.{}", each.layer, each.head)});
    if (each.copying) rows.back().push_back(short_number(*each.copying));
    if (each.previous_token) rows.back().push_back(short_number(*each.previous_token));
  }
  std::string text = fmt::format("What the weights of the heads of {} say, {}\n\n{}\nHeads are named LAYER.HEAD.\n",
                                 printable(heading.model), norms_words(heading), table_text(columns, rows));
  if (copying) {
    text += "copying: the sum of the eigenvalues of the map of tokens to logits over that of their sizes; 1 copies.\n";
  } else {
    text += "No copying score: the model has no next-token head.\n";
  }
  if (previous) {
    text += "previous token: mean weight on the token before, of learned positions alone, without words and biases.\n";
  } else {
    text += "No previous-token score: the model's positions are not learned.\n";
  }
  return text;
}

std::string head_scores_json(const CircuitsHeading& heading, const std::vector<HeadScores>& heads) {
  Json json = model_json(heading);
  json["heads"] = Json::array();
  for (const HeadScores& each : heads) {
    json["heads"].push_back({{"layer", each.layer},
                             {"head", each.head},
                             {"copying", score_json(each.copying)},
                             {"previous_token", score_json(each.previous_token)}});
  }
  return json_dump(json, 1) + "\n";
}

std::string head_scores_csv(const std::vector<HeadScores>& heads) {
  std::string text = "layer,head,copying,previous_token\n";
  for (const HeadScores& each : heads) {
    text += fmt::format("{},{},{},{}\n", each.layer, each.head, csv_of_scores(each.copying),
                        csv_of_scores(each.previous_token));
  }
  return text;
}

}  // namespace headscope::cli
