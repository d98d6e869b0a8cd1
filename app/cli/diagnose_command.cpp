#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/compute.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/request_arguments.h"
#include "app/cli/stage_arguments.h"
#include "core/attention/diagnose.h"
#include "core/attention/mistakes.h"
#include "core/error.h"
#include "core/io/json_text.h"
#include "core/io/npy.h"

namespace headscope::cli {

namespace {

std::string diagnosis_json(const Diagnosis& found) {
  nlohmann::ordered_json json = {{"equal", found.equal},
                                 {"max_difference", json_number(found.max_difference)},
                                 {"explanations", nlohmann::ordered_json::array()}};
  for (const DiagnosisExplanation& each : found.explanations) {
    json["explanations"].push_back({{"variants", each.variants}, {"residual", json_number(each.residual)}});
  }
  return json_dump(json, 2) + "\n";
}

std::string_view sentence_of(const std::string& name) {
  for (const Mistake& mistake : known_mistakes()) {
    if (mistake.name == name) return mistake.sentence;
  }
  return "";
}

std::string diagnosis_text(const Diagnosis& found, StageId stage) {
  const std::string largest = fmt::format("largest difference {:.3g}", found.max_difference);
  if (found.equal) return fmt::format("{} is equal: {}\n", stage_name(stage), largest);
  std::string text = fmt::format("{} differs: {}\n", stage_name(stage), largest);
  if (found.explanations.empty()) return text + "no known mistake or convention explains it, alone or in twos\n";
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

// A 2-D file means batch 1, as everywhere.
Tensor theirs_from(const std::string& path, const Tensor& stage) {
  const Tensor tensor = read_npy(path).tensor;
  if (tensor.rank() + 1 != stage.rank() || stage.dim(0) != 1) return tensor;
  Shape shape{1};
  for (const std::int64_t size : tensor.shape()) shape.push_back(size);
  return tensor.reshaped(shape, stage.axes());
}

void run(const Arguments& given, const CancelToken& cancel) {
  for (const char* option : {"theirs", "stage"}) {
    if (!given.has(option)) {
      throw UsageError(fmt::format("--{}: missing; diagnose compares --theirs FILE.npy with a --stage", option));
    }
  }
  const StageId stage = stage_from("stage", given.get("stage"));
  const std::int64_t memory = stage_memory_of(given);
  const std::shared_ptr<const Trace> trace = computed_trace(given_request(given).request, memory, cancel);
  if (trace->find(StageId::raw_scores) == nullptr) {
    throw UsageError(
        "--model: a capture without queries and keys cannot be computed in another way; expected both in it");
  }
  const Tensor theirs = theirs_from(given.get("theirs"), stage_of(*trace, stage).tensor);
  ProgressLine progress;
  const Diagnosis diagnosis = diagnose(
      *trace, stage, theirs, make_cpu_backend(trace->request.threads),
      [&](double share) { progress.show("trying known mistakes", share); }, cancel);
  progress.erase();
  print(given.has("json") ? diagnosis_json(diagnosis) : diagnosis_text(diagnosis, stage));
}

}  // namespace

Command diagnose_command() {
  CommandSpec spec;
  spec.name = "diagnose";
  spec.usage = "REQUEST --theirs FILE.npy --stage STAGE [--json]";
  spec.summary = "Says which known mistake or convention turns ours into theirs, alone or two at a time.";
  spec.groups = {{"Comparison",
                  {{"theirs", "FILE.npy", "What other code gave for the same inputs and weights."},
                   {"stage", "STAGE", "Which stage it is."},
                   {"json", "", "Print {equal, max_difference, explanations}."}}},
                 request_group()};
  spec.examples = {
      "headscope-cli diagnose --input x.npy --weights layer.safetensors --heads 8 --theirs output.npy --stage output"};
  return {spec, run};
}

}  // namespace headscope::cli
