#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/compute.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/request_arguments.h"
#include "app/cli/stage_arguments.h"
#include "core/base/error.h"
#include "core/compare/diagnose.h"
#include "core/compare/mistakes.h"
#include "core/export/external_stages.h"
#include "core/io/json_text.h"
#include "core/request/option_text.h"

namespace headscope::cli {

namespace {

nlohmann::ordered_json stages_json(const std::vector<StageComparison>& stages) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const StageComparison& each : stages) {
    json.push_back({{"stage", stage_name(each.stage)},
                    {"equal", each.equal},
                    {"max_difference", json_number(each.max_difference)}});
  }
  return json;
}

// Of several stages also what each of them is.
std::string diagnosis_json(const Diagnosis& found) {
  nlohmann::ordered_json json = {{"equal", found.equal},
                                 {"max_difference", json_number(found.max_difference)},
                                 {"explanations", nlohmann::ordered_json::array()}};
  for (const DiagnosisExplanation& each : found.explanations) {
    json["explanations"].push_back({{"variants", each.variants}, {"residual", json_number(each.residual)}});
  }
  if (found.stages.size() > 1) {
    json["stages"] = stages_json(found.stages);
    if (found.first_different) json["first_different"] = stage_name(*found.first_different);
  }
  return json_dump(json, 2) + "\n";
}

std::string_view sentence_of(const std::string& name) {
  for (const Mistake& mistake : known_mistakes()) {
    if (mistake.name == name) return mistake.sentence;
  }
  return "";
}

std::string stage_lines(const std::vector<StageComparison>& stages) {
  std::string text;
  for (const StageComparison& each : stages) {
    text += fmt::format("{} {}: largest difference {:.3g}\n", stage_name(each.stage),
                        each.equal ? "is equal" : "differs", each.max_difference);
  }
  return text;
}

std::string diagnosis_text(const Diagnosis& found) {
  std::string text = stage_lines(found.stages);
  if (found.equal) return text;
  if (found.explanations.empty()) {
    text += "no known mistake or convention explains it, alone or in twos";
    if (found.stages.size() > 1)
      text += fmt::format(": the first stage that differs is {}", stage_name(*found.first_different));
    return text + "\n";
  }
  std::vector<std::vector<std::string>> rows = {{"explained by", "residual", "what it does"}};
  for (const DiagnosisExplanation& each : found.explanations) {
    std::string names, what;
    for (const std::string& name : each.variants) {
      names += (names.empty() ? "" : ", ") + name;
      what += (what.empty() ? "" : "; ") + std::string(sentence_of(name));
    }
    rows.push_back({names, fmt::format("{:.1e}", each.residual), what});
  }
  return text + table_text({{}, {true}, {}}, rows);
}

// The files and the stages that they are: as many of one as of the other, or .safetensors files, which name theirs.
std::vector<ExternalStage> theirs_from(const Arguments& given, const Trace& trace) {
  std::vector<StageId> stages;
  if (given.has("stage")) stages = stages_from("stage", given.get("stage"));
  for (const StageId stage : stages) stage_of(trace, stage);
  // One stage has one file, whatever its name.
  std::vector<std::string> paths = {given.get("theirs")};
  if (stages.size() != 1)
    paths = parse_list("theirs", given.get("theirs"), "a list of files", "FILE.npy[,FILE.npy...]");
  const auto names_stages = [](const std::string& path) { return path.ends_with(".safetensors"); };
  std::vector<ExternalStage> theirs;
  const auto read = [&](const std::string& path, std::optional<StageId> stage) {
    for (ExternalStage& each : read_external_stages(trace, path, stage)) theirs.push_back(std::move(each));
  };
  if (stages.empty()) {
    for (const std::string& path : paths) {
      if (!names_stages(path)) stage_from("stage", given.has("stage") ? given.get("stage") : "");
      read(path, std::nullopt);
    }
    return theirs;
  }
  if (paths.size() == 1 && names_stages(paths.front())) {
    for (const StageId stage : stages) read(paths.front(), stage);
    return theirs;
  }
  if (paths.size() != stages.size()) {
    throw UsageError("theirs", fmt::format("found {} files for {} stages", paths.size(), stages.size()),
                     "one for each");
  }
  for (std::size_t k = 0; k < paths.size(); ++k) read(paths[k], stages[k]);
  return theirs;
}

void run(const Arguments& given, const CancelToken& cancel) {
  if (!given.has("theirs")) {
    throw UsageError("theirs", "missing; diagnose compares --theirs FILE.npy with a --stage");
  }
  if (!given.has("stage") && !given.get("theirs").ends_with(".safetensors")) {
    throw UsageError("stage", "missing; diagnose compares --theirs FILE.npy with a --stage");
  }
  if (given.has("stage")) stages_from("stage", given.get("stage"));
  const std::int64_t memory = stage_memory_of(given);
  const std::shared_ptr<const Trace> trace = computed_trace(given, given_request(given).request, memory, cancel);
  if (trace->find(StageId::raw_scores) == nullptr) {
    throw UsageError("model", "a capture without queries and keys cannot be computed in another way", "both in it");
  }
  std::vector<ExternalStage> theirs = theirs_from(given, *trace);
  ProgressLine progress;
  const Diagnosis diagnosis = diagnose(
      *trace, std::move(theirs), make_cpu_backend(trace->request.threads),
      [&](double share) { progress.show("trying known mistakes", share); }, cancel);
  progress.erase();
  print(given.has("json") ? diagnosis_json(diagnosis) : diagnosis_text(diagnosis));
}

}  // namespace

Command diagnose_command() {
  CommandSpec spec;
  spec.name = "diagnose";
  spec.usage = "REQUEST --theirs FILE.npy[,FILE...] --stage STAGE[,STAGE...] [--json]";
  spec.summary = "Says which known mistake or convention turns ours into theirs, alone or two at a time.";
  spec.groups = {
      {"Comparison",
       {{"theirs", "FILE.npy[,FILE...]",
         "What other code gave for the same inputs and weights; or one .safetensors file with stages."},
        {"stage", "STAGE[,STAGE...]", "Which stage each file is; of several the first that differs is said."},
        {"json", "", "Print {equal, max_difference, explanations}; of several stages each of them, too."}}},
      request_group()};
  spec.examples = {
      "headscope-cli diagnose --input x.npy --weights layer.safetensors --heads 8 --theirs output.npy --stage output"};
  return {spec, run};
}

}  // namespace headscope::cli
