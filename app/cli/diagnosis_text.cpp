#include "app/cli/diagnosis_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/cli/diagnosis_object.h"
#include "app/cli/output.h"
#include "core/diagnose/verdict_words.h"
#include "core/io/json_text.h"

namespace headscope::cli {
namespace {

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

std::string code_lines(const std::vector<MistakeCode>& code) {
  std::string text;
  for (const MistakeCode& each : code) {
    if (each.wrong.empty()) continue;
    text +=
        fmt::format("{}: the code probably has  {}  where it should have  {}\n", each.mistake, each.wrong, each.right);
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
  return json_dump(diagnosis_object(found), 2) + "\n";
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
  return text + code_lines(found.explanations.front().code) + alike_lines(found);
}

}  // namespace headscope::cli
