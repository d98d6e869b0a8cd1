#include "app/cli/model_diagnosis_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "app/cli/diagnosis_object.h"
#include "app/cli/diagnosis_text.h"
#include "core/diagnose/model_words.h"
#include "core/diagnose/verdict_words.h"
#include "core/io/json_text.h"

namespace headscope::cli {
namespace {

using Json = nlohmann::ordered_json;

Json part_object(const PartComparison& part) {
  return {{"part", part.name},
          {"verdict", part.verdict()},
          {"equal", part.equal},
          {"given", part.given},
          {"format", part.format.option},
          {"max_difference", json_number(part.max_difference)},
          {"allowed", json_number(part.allowed)},
          {"explanations", explanations_json(part.explanations)},
          {"where", where_json(part.where)}};
}

Json parts_array(const std::vector<PartComparison>& parts) {
  Json json = Json::array();
  for (const PartComparison& each : parts) json.push_back(part_object(each));
  return json;
}

// Returns the name of the mistake that the order of layers is; "" where it is right.
std::string mistake_of_order(const ModelDiagnosis& found) {
  return !found.exchanged.empty() ? "layers-exchanged" : !found.missing.empty() ? "layer-missing" : "";
}

bool moved(const LayerDiagnosis& layer) {
  return layer.equal && layer.layer != layer.ours;
}

Json layers_array(const ModelDiagnosis& found) {
  Json json = Json::array();
  for (const LayerDiagnosis& each : found.layers) {
    Json layer = {{"layer", each.layer},
                  {"is_our_layer", each.ours},
                  {"verdict", each.verdict()},
                  {"equal", each.equal},
                  {"first_wrong", each.equal ? Json(nullptr) : Json(each.first_wrong())},
                  {"mistakes", each.mistakes()},
                  {"stages", Json::array()},
                  {"parts", parts_array(each.parts)}};
    if (each.attention) layer["stages"] = diagnosis_object(*each.attention)["stages"];
    json.push_back(std::move(layer));
  }
  return json;
}

// The keys that the answer for one layer has, of a part.
Json answer_of_part(const PartComparison& part) {
  Json json = part_object(part);
  json.erase("part");
  json.erase("given");
  for (const char* key : {"indistinguishable", "nearest", "stages"}) json[key] = Json::array();
  if (part.explanations.size() > 1) {
    Json alike = Json::array();
    for (const DiagnosisExplanation& each : part.explanations) alike.push_back(each.variants.front());
    json["indistinguishable"].push_back(std::move(alike));
  }
  return json;
}

Json explanations_of_order(const std::string& name) {
  const std::vector<std::string> names = {name};
  return Json::array({{{"mistakes", names}, {"variants", names}, {"residual", 0}, {"share", 1}, {"cells", 1}}});
}

const PartComparison* wrong_behind(const ModelDiagnosis& found) {
  const auto wrong =
      std::find_if(found.behind.begin(), found.behind.end(), [](const auto& each) { return !each.equal; });
  return wrong == found.behind.end() ? nullptr : &*wrong;
}

// The answer for the layer that is told: the first that is wrong, else the first.
Json told_answer(const ModelDiagnosis& found) {
  const bool behind = !found.first && wrong_behind(found) != nullptr;
  if (behind || found.layers.empty()) {
    return answer_of_part(behind ? *wrong_behind(found) : found.behind.front());
  }
  const LayerDiagnosis& told = found.layers[found.first.value_or(0)];
  if (const PartComparison* part = told.first_wrong_part()) return answer_of_part(*part);
  return told.attention ? diagnosis_object(*told.attention) : answer_of_part(told.parts.front());
}

Json first_wrong_object(const ModelDiagnosis& found) {
  const std::string order = mistake_of_order(found);
  if (found.first) {
    const LayerDiagnosis& layer = found.layers[*found.first];
    const std::vector<std::string> of_order = {order};
    return {{"layer", layer.layer},
            {"stage", layer.equal ? Json(nullptr) : Json(layer.first_wrong())},
            {"mistakes", moved(layer) ? of_order : layer.mistakes()}};
  }
  if (const PartComparison* part = wrong_behind(found)) {
    return {{"layer", nullptr}, {"stage", part->name}, {"mistakes", Json::array()}};
  }
  if (order.empty()) return nullptr;
  return {{"layer", found.missing.front()}, {"stage", nullptr}, {"mistakes", Json::array({order})}};
}

std::string lines_of_layer(const LayerDiagnosis& layer) {
  std::string text;
  if (layer.attention) text += diagnosis_text(*layer.attention);
  for (const PartComparison& each : layer.parts) {
    text += part_sentence(each, layer.layer) + "\n";
    if (!each.equal && !each.where.sentence.empty()) text += "  " + each.where.sentence + "\n";
  }
  return text;
}

// One line for a layer that is wrong behind the first one.
std::string line_of_layer(const LayerDiagnosis& layer) {
  const std::vector<std::string> names = layer.mistakes();
  const std::string why = names.empty() ? "" : fmt::format("; explained by {}", fmt::join(names, ", "));
  return fmt::format("layer {} is wrong given its input, too: first in {}{}\n", layer.layer, layer.first_wrong(), why);
}

std::string line_of_equal(const ModelDiagnosis& found, std::size_t first, std::size_t end) {
  const LayerDiagnosis &a = found.layers[first], &b = found.layers[end - 1];
  const std::string which =
      end - first == 1 ? fmt::format("layer {} is", a.layer) : fmt::format("layers {} to {} are", a.layer, b.layer);
  const std::string ours = !moved(a)          ? ""
                           : end - first == 1 ? fmt::format(" to our layer {}", a.ours)
                                              : fmt::format(" to our layers {} to {}", a.ours, b.ours);
  return fmt::format("{} {}{}\n", which, a.verdict(), ours);
}

}  // namespace

std::string model_diagnosis_json(const ModelDiagnosis& found) {
  Json json = told_answer(found);
  json["verdict"] = found.verdict();
  json["equal"] = found.equal();
  const std::string order = mistake_of_order(found);
  if (!order.empty() && (!found.first || moved(found.layers[*found.first]))) {
    json["explanations"] = explanations_of_order(order);
  }
  json["layer"] = found.first ? Json(found.layers[*found.first].layer) : Json(nullptr);
  json["first_wrong"] = first_wrong_object(found);
  json["layers"] = layers_array(found);
  json["behind"] = parts_array(found.behind);
  json["missing_layers"] = found.missing;
  json["exchanged_layers"] = Json::array();
  for (const auto& [a, b] : found.exchanged) json["exchanged_layers"].push_back({a, b});
  json["unknown_names"] = found.unknown;
  return json_dump(json, 2) + "\n";
}

std::string model_diagnosis_text(const ModelDiagnosis& found) {
  std::string text = model_sentence(found) + "\n";
  bool told = false;
  for (std::size_t k = 0; k < found.layers.size();) {
    const LayerDiagnosis& layer = found.layers[k];
    if (!layer.equal) {
      text += told ? line_of_layer(layer) : lines_of_layer(layer);
      told = true;
      ++k;
      continue;
    }
    std::size_t end = k + 1;
    const auto goes_on = [&](const LayerDiagnosis& next, const LayerDiagnosis& before) {
      return next.equal && next.verdict() == layer.verdict() && next.layer == before.layer + 1 &&
             next.ours == before.ours + 1;
    };
    while (end < found.layers.size() && goes_on(found.layers[end], found.layers[end - 1])) ++end;
    text += line_of_equal(found, k, end);
    k = end;
  }
  for (const PartComparison& each : found.behind) {
    text += part_sentence(each, 0) + "\n";
    if (!each.equal && !each.where.sentence.empty()) text += "  " + each.where.sentence + "\n";
  }
  return text;
}

}  // namespace headscope::cli
