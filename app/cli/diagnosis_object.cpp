#include "app/cli/diagnosis_object.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/io/json_text.h"

namespace headscope::cli {
namespace {

using Json = nlohmann::ordered_json;

Json places_json(const std::vector<std::int64_t>& places) {
  constexpr std::size_t kMost = 1000;  // a list of more says no more
  Json json = Json::array();
  for (std::size_t k = 0; k < std::min(places.size(), kMost); ++k) json.push_back(places[k]);
  return json;
}

Json stages_json(const std::vector<StageComparison>& stages) {
  Json json = Json::array();
  for (const StageComparison& each : stages) {
    Json given = Json::array();
    for (const StageId stage : each.given) given.push_back(stage_name(stage));
    json.push_back({{"stage", stage_name(each.stage)},
                    {"verdict", each.verdict()},
                    {"equal", each.equal},
                    {"given", given},
                    {"read_as", each.read_as},
                    {"mistakes", each.mistakes},
                    {"format", each.format.option},
                    {"max_difference", json_number(each.max_difference)},
                    {"allowed", json_number(each.allowed)},
                    {"explanations", explanations_json(each.explanations)},
                    {"where", where_json(each.where)}});
    if (each.same_as) json.back()["same_as"] = stage_name(*each.same_as);
    if (each.common_factor) {
      json.back()["common_factor"] = {{"factor", json_number(each.common_factor->factor)},
                                      {"of", each.common_factor->of_scores ? "scores" : stage_name(each.stage)}};
    }
  }
  return json;
}

// The stage that the answer is about: the first that differs, else the first.
const StageComparison& told_stage(const Diagnosis& found) {
  const auto differs = [](const StageComparison& each) { return !each.equal; };
  const auto first = std::find_if(found.stages.begin(), found.stages.end(), differs);
  return first == found.stages.end() ? found.stages.front() : *first;
}

}  // namespace

nlohmann::ordered_json explanations_json(const std::vector<DiagnosisExplanation>& explanations) {
  Json json = Json::array();
  for (const DiagnosisExplanation& each : explanations) {
    json.push_back({{"mistakes", each.variants},
                    {"variants", each.variants},
                    {"residual", json_number(each.residual)},
                    {"share", json_number(each.share)},
                    {"cells", json_number(each.cells)}});
  }
  return json;
}

nlohmann::ordered_json where_json(const Where& where) {
  if (where.cells == 0) return nullptr;
  Json index = Json::array();
  for (const std::int64_t each : where.first) index.push_back(each);
  return {{"sentence", where.sentence},
          {"batches", places_json(where.batches)},
          {"heads", places_json(where.heads)},
          {"rows", places_json(where.rows)},
          {"columns", places_json(where.columns)},
          {"diagonals", places_json(where.diagonals)},
          {"cells", where.cells},
          {"first", {{"index", index}, {"ours", json_number(where.ours)}, {"theirs", json_number(where.theirs)}}},
          {"nan", where.nan},
          {"inf", where.infinite}};
}

nlohmann::ordered_json diagnosis_object(const Diagnosis& found) {
  const StageComparison& told = told_stage(found);
  Json json = {{"verdict", found.verdict()},
               {"equal", found.equal},
               {"format", told.format.option},
               {"max_difference", json_number(found.max_difference)},
               {"allowed", json_number(told.allowed)},
               {"where", where_json(told.where)},
               {"explanations", explanations_json(found.explanations)},
               {"indistinguishable", found.alike},
               {"nearest", Json::array()},
               {"stages", stages_json(found.stages)}};
  for (const DiagnosisExplanation& each : found.nearest) {
    json["nearest"].push_back(
        {{"mistakes", each.variants}, {"share", json_number(each.share)}, {"residual", json_number(each.residual)}});
  }
  if (found.stages.size() > 1 && found.first_different) json["first_different"] = stage_name(*found.first_different);
  return json;
}

}  // namespace headscope::cli
