#include <fmt/format.h>

#include "app/cli/commands.h"
#include "app/cli/diagnose_dump.h"
#include "app/cli/diagnose_sources.h"
#include "app/cli/diagnosis_text.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/request_arguments.h"
#include "app/cli/stage_arguments.h"
#include "core/base/error.h"
#include "core/diagnose/diagnose.h"
#include "core/export/external_stages.h"

namespace headscope::cli {

namespace {

DiagnoseOptions given_options(const Arguments& given) {
  DiagnoseOptions options;
  if (given.has("theirs-format")) {
    const std::vector<std::string> names = {"auto", "f32", "f16", "bf16", "f8e4m3", "f8e5m2", "tf32", "i8"};
    options.format = names[choice_of("theirs-format", given.get("theirs-format"), names)];
  }
  if (given.has("layout")) {
    const std::vector<std::string> names = {"bhsd", "bshd", "thd"};
    options.layout = names[choice_of("layout", given.get("layout"), names)];
    if (options.layout == "thd") options.layout.clear();  // layout_readings() knows packed texts
  }
  if (given.has("tolerance")) {
    options.tolerance = finite_number("tolerance", given.get("tolerance"));
    if (!(*options.tolerance >= 0)) {
      throw UsageError("tolerance", fmt::format("found {}", given.get("tolerance")), "0 or a positive number");
    }
  }
  return options;
}

void run_diagnose(const Arguments& given, const CancelToken& cancel) {
  if (!given.has("theirs")) {
    throw UsageError("theirs", "missing; diagnose compares --theirs FILE.npy with a --stage");
  }
  if (!given.has("stage") && !names_its_stages(given.get("theirs"))) {
    throw UsageError("stage", "missing; diagnose compares --theirs FILE.npy with a --stage");
  }
  if (given.has("stage")) stages_from("stage", given.get("stage"));
  const DiagnoseOptions options = given_options(given);
  const Request request = given_request(words_of_request(given)).request;
  if (const auto of_model = theirs_of_model(given, request)) {
    diagnose_dump(given, request, *of_model, options, cancel);
    return;
  }
  Compared both = compared(given, request, cancel);
  const std::shared_ptr<const Trace> trace = both.ours;
  ProgressLine progress;
  const Diagnosis diagnosis = diagnose(
      *trace, std::move(both.theirs), make_cpu_backend(trace->request.threads),
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
      "REQUEST --theirs FILE|DIR[,FILE...] --stage STAGE[,STAGE...] [--layout bhsd|bshd|thd] [--lengths N,N] "
      "[--theirs-format FORMAT] "
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
         "names its stages, or holds one array for one --stage; where it holds query, key and value too (q, k, v) and "
         "nothing else says what ours is, it "
         "is "
         "the REQUEST as well. With --model also a dump of the whole model without --stage, whose tensors have the "
         "names "
         "of "
         "Transformers (hidden_states.3, attentions.3, model.layers.3.mlp), of llama.cpp's evaluation callback "
         "(Qcur-3, "
         "kq_soft_max-3, l_out-3) or of TransformerLens: the first layer and stage that is wrong given its input."},
        {"stage", "STAGE[,STAGE...]",
         "Which stage each file is. With several, each is judged from their stages before it."},
        {"theirs-format", "auto|f32|f16|bf16|f8e4m3|f8e5m2|tf32|i8",
         "The number format that theirs were computed in (default auto: what the type of the file says, else "
         "recognised from the numbers)."},
        {"tolerance", "X", "How far a number may lie from ours and be equal (default: what the format costs)."},
        {"check", "", "End with 4 where a stage differs."},
        {"json", "",
         "Print {verdict, equal, format, max_difference, allowed, where, explanations, indistinguishable, nearest, "
         "stages}; of a dump of a whole model also {layer, first_wrong, layers, behind, missing_layers, "
         "exchanged_layers, unknown_names}."}}},
      request_group()};
  spec.examples = {
      "headscope-cli diagnose --input x.npy --weights layer.safetensors --heads 8 --theirs output.npy --stage output",
      "headscope-cli diagnose --model gpt2 --phrase 'a b c' --theirs hidden_states.safetensors --check"};
  return {spec, run_diagnose};
}

}  // namespace headscope::cli
