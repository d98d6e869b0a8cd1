#include <fmt/format.h>

#include "app/cli/commands.h"
#include "app/cli/compute.h"
#include "app/cli/diagnosis_text.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/request_arguments.h"
#include "app/cli/stage_arguments.h"
#include "core/base/error.h"
#include "core/diagnose/diagnose.h"
#include "core/export/external_stages.h"
#include "core/request/option_text.h"

namespace headscope::cli {

namespace {

// The files and the stages that they are: as many of one as of the other, or .safetensors files, which name theirs.
std::vector<ExternalStage> theirs_from(const Arguments& given, const Trace& trace) {
  std::vector<StageId> stages;
  if (given.has("stage")) stages = stages_from("stage", given.get("stage"));
  for (const StageId stage : stages) stage_of(trace, stage);
  // One stage has one file, whatever its name.
  std::vector<std::string> paths = {given.get("theirs")};
  if (stages.size() != 1)
    paths = parse_list("theirs", given.get("theirs"), "a list of files", "FILE.npy[,FILE.npy...]");
  std::vector<ExternalStage> theirs;
  const auto read = [&](const std::string& path, std::optional<StageId> stage) {
    for (ExternalStage& each : read_external_stages(trace, path, stage)) theirs.push_back(std::move(each));
  };
  if (stages.empty()) {
    for (const std::string& path : paths) {
      if (!names_its_stages(path)) stage_from("stage", given.has("stage") ? given.get("stage") : "");
      read(path, std::nullopt);
    }
    return theirs;
  }
  if (paths.size() == 1 && names_its_stages(paths.front())) {
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

DiagnoseOptions given_options(const Arguments& given) {
  DiagnoseOptions options;
  if (given.has("theirs-format")) {
    const std::vector<std::string> names = {"auto", "f32", "f16", "bf16", "f8e4m3", "f8e5m2", "tf32", "i8"};
    options.format = names[choice_of("theirs-format", given.get("theirs-format"), names)];
  }
  if (given.has("layout")) {
    const std::vector<std::string> names = {"bhsd", "bshd"};
    options.layout = names[choice_of("layout", given.get("layout"), names)];
  }
  if (given.has("tolerance")) {
    options.tolerance = finite_number("tolerance", given.get("tolerance"));
    if (!(*options.tolerance >= 0)) {
      throw UsageError("tolerance", fmt::format("found {}", given.get("tolerance")), "0 or a positive number");
    }
  }
  return options;
}

void run(const Arguments& given, const CancelToken& cancel) {
  if (!given.has("theirs")) {
    throw UsageError("theirs", "missing; diagnose compares --theirs FILE.npy with a --stage");
  }
  if (!given.has("stage") && !names_its_stages(given.get("theirs"))) {
    throw UsageError("stage", "missing; diagnose compares --theirs FILE.npy with a --stage");
  }
  if (given.has("stage")) stages_from("stage", given.get("stage"));
  const DiagnoseOptions options = given_options(given);
  const std::int64_t memory = stage_memory_of(given);
  const std::shared_ptr<const Trace> trace = computed_trace(given, given_request(given).request, memory, cancel);
  if (trace->find(StageId::raw_scores) == nullptr) {
    throw UsageError("model", "a capture without queries and keys cannot be computed in another way", "both in it");
  }
  std::vector<ExternalStage> theirs = theirs_from(given, *trace);
  ProgressLine progress;
  const Diagnosis diagnosis = diagnose(
      *trace, std::move(theirs), make_cpu_backend(trace->request.threads),
      [&](double share) { progress.show("trying known mistakes", share); }, cancel, options);
  progress.erase();
  for (const StageComparison& stage : diagnosis.stages) {
    if (stage.read_as.empty()) continue;
    given.notice_with_result(fmt::format("theirs, {}, is read as {}", stage_name(stage.stage), stage.read_as));
  }
  print(given.has("json") ? diagnosis_json(diagnosis) : diagnosis_text(diagnosis));
  if (given.has("check") && !diagnosis.equal) throw CheckFailed();
}

}  // namespace

Command diagnose_command() {
  CommandSpec spec;
  spec.name = "diagnose";
  spec.usage =
      "REQUEST --theirs FILE|DIR[,FILE...] --stage STAGE[,STAGE...] [--layout bhsd|bshd] [--theirs-format FORMAT] "
      "[--tolerance X] [--check] "
      "[--json]";
  spec.summary =
      "Says whether theirs equals ours, within what its number format costs; where they differ; and which known "
      "mistakes "
      "turn ours into theirs, up to four in each stage.";
  spec.groups = {
      {"Comparison",
       {{"theirs", "FILE|DIR[,FILE...]",
         "What other code gave for the same inputs and weights: .npy files, or one .safetensors, .npz, .pt or folder "
         "of .npy files that "
         "names its stages."},
        {"stage", "STAGE[,STAGE...]",
         "Which stage each file is. With several, each is judged from their stages before it."},
        {"layout", "bhsd|bshd",
         "The axes of theirs: [batch, heads, len, features] or [batch, len, heads, features] (default: whichever "
         "fits)."},
        {"theirs-format", "auto|f32|f16|bf16|f8e4m3|f8e5m2|tf32|i8",
         "The number format that theirs were computed in (default auto: recognised from the numbers)."},
        {"tolerance", "X", "How far a number may lie from ours and be equal (default: what the format costs)."},
        {"check", "", "End with 4 where a stage differs."},
        {"json", "",
         "Print {verdict, equal, format, max_difference, allowed, where, explanations, indistinguishable, nearest, "
         "stages}."}}},
      request_group()};
  spec.examples = {
      "headscope-cli diagnose --input x.npy --weights layer.safetensors --heads 8 --theirs output.npy --stage output"};
  return {spec, run};
}

}  // namespace headscope::cli
