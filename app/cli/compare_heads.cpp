#include "app/cli/compare_heads.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "app/cli/output.h"
#include "core/io/json_text.h"

namespace headscope::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostShown = 16;  // heads in the table

Json share_json(const std::optional<double>& share) {
  return share ? Json(json_number(*share)) : Json(nullptr);
}

void add_shares(Json& json, const HeadShares& shares) {
  json["weights"] = share_json(shares.weights);
  json["context"] = share_json(shares.context);
  json["qk"] = share_json(shares.qk);
  json["ov"] = share_json(shares.ov);
}

Json layer_json(const ModelDifference& found, std::size_t layer) {
  const LayerDifference& of = found.layers[layer];
  const std::string said = moved_sentence(found, static_cast<std::int64_t>(layer));
  Json json = {{"layer", layer},
               {"heads", Json::array()},
               {"moved", Json::array()},
               {"paired", Json::array()},
               {"said", said.empty() ? Json(nullptr) : Json(said)}};
  for (std::size_t h = 0; h < of.heads.size(); ++h) {
    Json head = {{"head", h}};
    add_shares(head, of.heads[h]);
    json["heads"].push_back(std::move(head));
  }
  for (const LayerDifference::Moved& moved : of.moved) {
    json["moved"].push_back(Json::array({moved.from, moved.to}));
    Json pair = {{"from", moved.from}, {"to", moved.to}};
    add_shares(pair, moved.shares);
    json["paired"].push_back(std::move(pair));
  }
  return json;
}

Json place_json(const std::optional<HeadPlace>& place) {
  return place ? Json{{"layer", place->layer}, {"head", place->head}} : Json(nullptr);
}

std::string share_text(const std::optional<double>& share) {
  if (!share) return "-";
  return *share == 0 ? "0" : fmt::format("{:.3g}", *share);
}

// All heads that differ, the farthest apart first, of equal ones the first by layer and head.
std::vector<HeadPlace> farthest_first(const ModelDifference& found) {
  std::vector<std::pair<double, HeadPlace>> heads;
  for (std::size_t l = 0; l < found.layers.size(); ++l) {
    for (std::size_t h = 0; h < found.layers[l].heads.size(); ++h) {
      const double largest = found.layers[l].heads[h].largest();
      if (largest > 0) heads.push_back({largest, {static_cast<std::int64_t>(l), static_cast<std::int64_t>(h)}});
    }
  }
  std::stable_sort(heads.begin(), heads.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<HeadPlace> places;
  for (const auto& [largest, place] : heads) places.push_back(place);
  return places;
}

// Heads of which nothing could be said.
std::size_t unknown_heads(const ModelDifference& found) {
  std::size_t count = 0;
  for (const LayerDifference& layer : found.layers) {
    for (const HeadShares& head : layer.heads) count += head.weights || head.context || head.qk || head.ov ? 0 : 1;
  }
  return count;
}

std::string table_of_heads(const ModelDifference& found) {
  const std::vector<HeadPlace> places = farthest_first(found);
  const std::size_t all = found.layers.size() * found.layers.front().heads.size(), unknown = unknown_heads(found);
  if (unknown == all) return "no head of any layer could be compared\n";
  const std::string besides = unknown > 0 ? fmt::format("{} of {} heads could not be compared\n", unknown, all) : "";
  if (places.empty()) return besides + "no head of any layer differs\n";
  std::vector<std::vector<std::string>> rows = {{"layer", "head", "weights", "context", "qk", "ov"}};
  for (std::size_t k = 0; k < std::min(places.size(), kMostShown); ++k) {
    const HeadShares& head =
        found.layers[static_cast<std::size_t>(places[k].layer)].heads[static_cast<std::size_t>(places[k].head)];
    rows.push_back({std::to_string(places[k].layer), std::to_string(places[k].head), share_text(head.weights),
                    share_text(head.context), share_text(head.qk), share_text(head.ov)});
  }
  std::string text =
      besides + fmt::format("|A − B| of |A|, of every head of every layer; {} of {} differ{}\n", places.size(), all,
                            places.size() > kMostShown ? fmt::format(", the farthest {}:", kMostShown) : ":");
  return text + table_text(std::vector<Column>(6, {true}), rows);
}

}  // namespace

void add_heads_of_models(nlohmann::ordered_json& json, const ModelDifference& found) {
  const std::string sentence = divergence_sentence(found);
  json["layers"] = found.layers.empty() ? Json(nullptr) : Json::array();
  json["no_layers"] = found.missing.empty() ? Json(nullptr) : Json(found.missing);
  json["first_heads"] = {{"maps", place_json(found.first_by_maps)}, {"text", place_json(found.first_on_text)}};
  json["divergence"] = sentence.empty() ? Json(nullptr) : Json(sentence);
  for (std::size_t l = 0; l < found.layers.size(); ++l) json["layers"].push_back(layer_json(found, l));
}

std::string heads_of_models_text(const ModelDifference& found) {
  if (!found.whole_models) return "";
  if (found.layers.empty()) return "\nno map of layers and heads: " + found.missing + "\n";
  std::string text = "\n" + divergence_sentence(found) + "\n";
  for (std::size_t l = 0; l < found.layers.size(); ++l) {
    const std::string said = moved_sentence(found, static_cast<std::int64_t>(l));
    if (!said.empty()) text += said + "\n";
  }
  return text + "\n" + table_of_heads(found);
}

std::string heads_of_models_csv(const ModelDifference& found) {
  const auto number = [](const std::optional<double>& share) {
    return share && !std::isnan(*share) ? fmt::format("{}", *share) : std::string("nan");
  };
  std::string csv = "layer,head,weights,context,qk,ov\n";
  for (std::size_t l = 0; l < found.layers.size(); ++l) {
    for (std::size_t h = 0; h < found.layers[l].heads.size(); ++h) {
      const HeadShares& head = found.layers[l].heads[h];
      csv += fmt::format("{},{},{},{},{},{}\n", l, h, number(head.weights), number(head.context), number(head.qk),
                         number(head.ov));
    }
  }
  return csv;
}

}  // namespace headscope::cli
