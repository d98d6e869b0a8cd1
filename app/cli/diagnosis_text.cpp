#include "app/cli/diagnosis_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/cli/output.h"
#include "core/diagnose/mistake_rows.h"
#include "core/diagnose/verdict_words.h"
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

Json where_json(const Where& where) {
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

Json explanations_json(const std::vector<DiagnosisExplanation>& explanations) {
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
  }
  return json;
}

// The stage that the answer is about: the first that differs, else the first.
const StageComparison& told_stage(const Diagnosis& found) {
  const auto differs = [](const StageComparison& each) { return !each.equal; };
  const auto first = std::find_if(found.stages.begin(), found.stages.end(), differs);
  return first == found.stages.end() ? found.stages.front() : *first;
}

std::string percent(double share) {
  return fmt::format("{:.3g}%", 100 * share);
}

std::string names_text(const std::vector<std::string>& names) {
  return names.empty() ? "nothing" : fmt::format("{}", fmt::join(names, ", "));
}

std::string explained_table(const char* title, const std::vector<DiagnosisExplanation>& explanations) {
  std::vector<std::vector<std::string>> rows = {
      {title, "of the difference", "of the cells", "residual", "what it does"}};
  for (const DiagnosisExplanation& each : explanations) {
    rows.push_back({names_text(each.variants), percent(each.share), percent(each.cells),
                    fmt::format("{:.1e}", each.residual), what_mistakes_do(each.variants)});
  }
  return table_text({{}, {true}, {true}, {true}, {}}, rows);
}

std::string code_lines(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    const MistakeRow* row = mistake_named(name);
    if (row == nullptr || row->wrong.empty()) continue;
    text += fmt::format("{}: the code probably has  {}  where it should have  {}\n", name, row->wrong, row->right);
  }
  return text;
}

// The sets of mistakes that explain a stage equally well.
std::string alike_lines(const Diagnosis& found) {
  std::string text;
  for (const StageComparison& stage : found.stages) {
    if (stage.explanations.size() < 2) continue;
    std::vector<std::string> sets;
    for (const DiagnosisExplanation& each : stage.explanations)
      sets.push_back(fmt::format("{}", fmt::join(each.variants, "+")));
    text += fmt::format(
        "{} on this input is explained equally well by {}; more tokens, other sizes or another mask may tell them "
        "apart\n",
        stage_name(stage.stage), fmt::join(sets, ", "));
  }
  return text;
}

std::string stage_text(const StageComparison& stage) {
  std::string text = verdict_sentence(stage) + "\n";
  if (!stage.read_as.empty()) text += fmt::format("  theirs is read as {}\n", stage.read_as);
  if (stage.equal) return text;
  if (!stage.where.sentence.empty()) text += "  " + stage.where.sentence + "\n";
  return text;
}

}  // namespace

std::string diagnosis_json(const Diagnosis& found) {
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
  return json_dump(json, 2) + "\n";
}

std::string diagnosis_text(const Diagnosis& found) {
  std::string text;
  for (const StageComparison& each : found.stages) {
    text += stage_text(each);
    if (found.stages.size() > 1 && !each.mistakes.empty()) {
      text += fmt::format("  explained by {}: {}\n", names_text(each.mistakes), what_mistakes_do(each.mistakes));
    }
  }
  if (found.equal) return text;
  if (found.explanations.empty()) {
    text += "no known mistake or convention explains it";
    if (found.stages.size() > 1) {
      text += fmt::format(": the first stage that differs is {}", stage_name(*found.first_different));
    }
    text += "\n";
    if (!found.nearest.empty()) text += explained_table("nearest", found.nearest);
    return text;
  }
  text += explained_table("explained by", found.explanations);
  return text + code_lines(found.explanations.front().variants) + alike_lines(found);
}

}  // namespace headscope::cli
