#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>

#include "app/cli/commands.h"
#include "app/cli/compute.h"
#include "app/cli/cost_text.h"
#include "app/cli/layer_export.h"
#include "app/cli/lens_text.h"
#include "app/cli/metrics_table.h"
#include "app/cli/model_words.h"
#include "app/cli/output.h"
#include "app/cli/prediction_text.h"
#include "app/cli/progress_line.h"
#include "app/cli/recipe_words.h"
#include "app/cli/request_arguments.h"
#include "app/cli/routing_export.h"
#include "app/cli/shape_table.h"
#include "app/cli/stage_arguments.h"
#include "app/cli/summary_text.h"
#include "app/cli/torch_trace.h"
#include "app/cli/written_files.h"
#include "core/attention/layer_routing.h"
#include "core/base/error.h"
#include "core/compare/prediction_changes.h"
#include "core/explain/first_nonfinite.h"
#include "core/explain/logit_lens.h"
#include "core/export/export_stages.h"
#include "core/export/manifest.h"
#include "core/io/atomic_file.h"
#include "core/model/model_inputs.h"
#include "core/request/model_kind.h"

namespace headscope::cli {

namespace {

constexpr std::size_t kMostManifestBytes = std::size_t{1} << 30;

// "long", "safe", "long,safe".
void set_csv(ExportPlan& plan, const std::string& text) {
  std::vector<std::size_t> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    words.push_back(choice_of("csv", text.substr(begin, comma - begin), {"matrix", "long", "safe"}));
    begin = comma + 1;
  }
  const auto has = [&](std::size_t word) { return std::find(words.begin(), words.end(), word) != words.end(); };
  if (has(0) && has(1)) throw UsageError("csv", fmt::format("found '{}'", text), "matrix or long, and safe");
  if (has(1)) plan.format = ExportFormat::csv_long;
  plan.csv_safe = has(2);
}

// What --export names, by what answers it.
struct GivenExport {
  RoutingChoice routing;
  ExportNames names;
};

// The plan but for the stages of the model, which need its result.
ExportPlan given_plan(const Arguments& given, GivenExport& asked) {
  for (const char* option : {"export", "format", "csv", "region"}) {
    if (!given.has(option) || given.has("out")) continue;
    throw UsageError(option, "found without --out", "--out DIR, the folder to write to");
  }
  ExportPlan plan;
  plan.folder = given.get("out");
  if (given.has("out") && plan.folder.empty()) throw UsageError("out", "found ''", "the folder to write to");
  std::string names = given.get("export", "all");
  asked.routing = take_routing(names);
  plan.no_stages = asked.routing.any() && names.empty();
  if (!plan.no_stages) asked.names = export_names_from("export", names);
  plan.stages = asked.names.stages;
  if (asked.routing.any() && given.has("region")) {
    throw UsageError("region", "found with router or experts, which have no heads", "stages of attention alone");
  }
  constexpr ExportFormat kFormats[] = {ExportFormat::csv_matrix, ExportFormat::npy, ExportFormat::safetensors,
                                       ExportFormat::json};
  plan.format = kFormats[choice_of("format", given.get("format", "csv"), {"csv", "npy", "safetensors", "json"})];
  if (given.has("csv")) {
    if (plan.format != ExportFormat::csv_matrix) {
      throw UsageError("csv", fmt::format("found with --format {}", given.get("format")), "--format csv");
    }
    set_csv(plan, given.get("csv"));
  }
  if (given.has("region")) plan.region = region_from("region", given.get("region"));
  plan.metrics = given.has("metrics");
  return plan;
}

std::optional<std::int64_t> given_count(const Arguments& given, const std::string& option) {
  if (!given.has(option)) return {};
  return whole_number(option, given.get(option), 1, 999'999);
}

// What is printed is one of these.
void refuse_two_texts(const Arguments& given) {
  if (given.has("trace") && given.has("predict")) {
    throw UsageError("predict", "found together with --trace", "one of them, --trace prints nothing else");
  }
  for (const auto& [option, other] : {std::pair{"trace", "json"},
                                      {"trace", "metrics"},
                                      {"trace", "summary"},
                                      {"trace", "cost"},
                                      {"trace", "lens"},
                                      {"summary", "json"},
                                      {"summary", "metrics"}}) {
    if (!given.has(option) || !given.has(other)) continue;
    throw UsageError(option, std::string("found together with --") + other, "one of them, both are what is printed");
  }
}

// What is asked of the whole model.
struct ModelQuestions {
  std::optional<std::int64_t> predict;
  std::optional<LensOf> lens;
  std::vector<ModelStageId> stages;
  bool any() const { return predict.has_value() || lens.has_value() || !stages.empty(); }
};

ModelQuestions given_questions(const Arguments& given, const Request& request,
                               const std::vector<ModelStageId>& stages) {
  ModelQuestions asked{given_count(given, "predict"), given_lens(given), stages};
  if (runs_checkpoint(request)) return asked;
  for (const char* option : {"predict", "lens"}) {
    if (!given.has(option)) continue;
    throw UsageError(option, "found without a model that has a vocabulary", "--model demo:NAME or PATH");
  }
  if (!asked.stages.empty()) {
    throw UsageError("export",
                     fmt::format("found {}, a stage of a whole model; {}", model_stage_info(asked.stages[0]).name,
                                 runs_capture(request) ? "a capture of attention does not hold it"
                                                       : "this is one layer without the model around it"),
                     "--model demo:NAME or PATH");
  }
  return asked;
}

// Answers them into the plan.
void answer(const ModelQuestions& asked, const Trace& trace, std::int64_t memory, const CancelToken& cancel,
            ExportPlan& plan) {
  ProgressLine progress;
  if (asked.predict) {
    progress.show("predicting tokens");
    PredictionReport report = prediction_report(*trace.model, *asked.predict, cancel);
    report.changes = prediction_changes(
        trace, report, [&](const Request& other) { return quiet_trace(other, memory, cancel, true); }, cancel);
    plan.predictions = std::make_shared<const PredictionReport>(std::move(report));
  }
  if (asked.lens) {
    progress.show("looking through the lens");
    plan.lens = std::make_shared<const LogitLens>(logit_lens("lens", trace, {*asked.lens}, cancel));
  }
  if (!asked.stages.empty()) {
    progress.show("going through the layers");
    plan.model_stages = model_stages("export", trace, asked.stages, cancel);
  }
}

// The shape table or the manifest, and what else of the plan is not a file.
std::string shown_text(const Arguments& given, const Trace& trace, const ExportPlan& plan, const CancelToken& cancel,
                       ProgressLine& progress) {
  if (given.has("json")) {
    ManifestContents contents{.predictions = plan.predictions.get(), .lens = plan.lens.get(), .metrics = plan.metrics};
    contents.notices = plan.notices;
    contents.cost = plan.cost.get();
    return manifest_json(trace, contents, cancel,
                         [&](double share) { progress.show("going through the numbers", share); });
  }
  if (plan.metrics) return metrics_table_text(trace, cancel);
  return model_line(given, trace) + (given.has("summary") || given.has("cost") ? "" : shape_table_text(trace));
}

// Writes the files; what was written, or the manifest.
std::string exported_text(const Arguments& given, const Trace& trace, const ExportPlan& plan,
                          const RoutingChoice& routing, const CancelToken& cancel, ProgressLine& progress) {
  exported_parts(trace, plan);  // what cannot be written is refused before the folder is made
  if (routing.any()) check_has_experts(trace.model.get(), trace.inputs->layer);
  const AddFiles beside = [&](FilesTogether& files) { return add_routing(trace, routing, plan, cancel, files); };
  const std::vector<std::string> names = export_stages(
      trace, plan, [&](double share) { progress.show("writing to " + plan.folder, share); }, cancel,
      routing.any() ? beside : AddFiles());
  if (given.has("json")) {
    return read_small_file((std::filesystem::path(plan.folder) / "manifest.json").string(), kMostManifestBytes);
  }
  std::string text = model_line(given, trace) + written_text(plan.folder, names) + notes_text(trace);
  if (plan.metrics) text += metrics_table_text(trace, cancel);
  return text;
}

void run_request(const Arguments& given, const CancelToken& cancel) {
  const bool torch = given.has("trace");
  if (torch) choice_of("trace", given.get("trace"), {"torch"});
  refuse_two_texts(given);
  GivenExport named;
  ExportPlan plan = given_plan(given, named);
  const std::int64_t memory = stage_memory_of(given);
  const Request request = given_request(given).request;
  if (given.has("layers") && plan.stages.empty() && !named.names.of_model.empty()) {
    throw UsageError("layers", "found with --export of stages of the whole model alone",
                     "stages of a layer among them, such as weights");
  }
  const ModelQuestions asked = given_questions(given, request, named.names.of_model);

  const std::shared_ptr<const Trace> trace = quiet_trace(request, memory, cancel, asked.any() || given.has("layers"));
  plan.layers = layers_to_write(given, trace, memory, cancel);
  plan.cost = given_cost(given, *trace);
  plan.notices = said_of_run(given, *trace, cancel);
  const bool has_manifest = given.has("json") || given.has("out");
  const auto broken = has_manifest ? first_nonfinite(*trace, cancel) : std::nullopt;
  if (broken) plan.notices.push_back(nonfinite_sentence(*broken));
  answer(asked, *trace, memory, cancel, plan);
  ProgressLine progress;
  std::string text = given.has("out") ? exported_text(given, *trace, plan, named.routing, cancel, progress)
                                      : shown_text(given, *trace, plan, cancel, progress);
  if (given.has("summary")) text += summary_text(*trace, cancel);
  if (plan.cost != nullptr && !given.has("json")) text += cost_text(*plan.cost);
  if (plan.predictions != nullptr && !given.has("json")) text += predictions_text(*plan.predictions, *trace);
  if (plan.lens != nullptr && !given.has("json")) text += lens_text(*plan.lens, *trace);
  if (torch) text = torch_trace_text(*trace);
  if (!text.empty() && text.back() != '\n') text += '\n';
  cancel.check();
  progress.erase();
  print(text);
}

}  // namespace

Command run_command() {
  CommandSpec spec;
  spec.name = "run";
  spec.usage =
      "REQUEST [--export STAGE[,STAGE...]|all] [--layers all|L[,L...]] [--format csv|npy|safetensors|json] [--out DIR] "
      "[--metrics] "
      "[--summary] [--cost] [--predict N] [--lens [--lens-of layers|attention|heads]] [--trace torch] [--json]";
  spec.summary = "Computes a request; prints the shape of every stage, or writes them as files.";
  spec.groups = {
      {"Output",
       {{"out", "DIR", "Write the stages and manifest.json to this folder; without it, the shape table is printed."},
        {"export", "STAGE[,STAGE...]|all",
         "Which stages (default all: those of the shown layer); of a checkpoint also of the whole model, by name: " +
             std::string(model_stage_names()) + "; of a mixture of experts also router and experts.",
         true},
        {"layers", "all|L[,L...]",
         "Stages of these layers of a model, each named by its layer, weights.l3.npy (default: those of the shown "
         "layer, weights.npy).",
         true},
        {"format", "csv|npy|safetensors|json", "As what (default csv)."},
        {"csv", "matrix|long[,safe]",
         "One matrix per slice, or one table per stage (default matrix); safe: an apostrophe before tokens that a "
         "spreadsheet would take for formulas, those that begin with = + - @ tab or CR."},
        {"region", "B,H,I0:I1,J0:J1",
         "Only that part of the stages with heads, and (with : for H) of the model's; : for all of an axis."},
        {"predict", "N",
         "Of a checkpoint: the N most probable tokens after the last one, or at every [MASK], and the tokens' loss; "
         "with interventions also what it is without them, and with each alone."},
        lens_option(),
        lens_of_option(),
        {"metrics", "",
         "A line for every layer and head: entropy, distance, previous, next, first, self, induction ..."},
        {"summary", "",
         "In words, what every head of the shown layer and each of its rows attend to: "
         "it attends to animal 0.88, street 0.07; entropy 0.71 bit."},
        cost_option(),
        {"trace", "torch", "Print the tutorials' own lines, x.size(): torch.Size([1, 5, 512]), and nothing else."},
        {"json", "", "Print the manifest."}}},
      request_group()};
  spec.examples = {"headscope-cli run --phrase 'Hola mi nombre es Alex' --mask causal",
                   "headscope-cli run --phrase 'a b c' --heads 4 --export weights,output --format npy --out numbers",
                   "headscope-cli run --model gpt2 --phrase 'a b c' --layers all --export weights,value --format npy "
                   "--out numbers",
                   "headscope-cli run --model gpt2 --phrase 'When Mary and John went to the' --layer 9 --predict 5",
                   "headscope-cli run --model gpt2 --phrase 'a b c' --export stream,logits --format npy --out numbers",
                   "headscope-cli run --model demo:induction --phrase 'cat box ink fox jam cat' --layer 1 --lens "
                   "--lens-of heads",
                   "headscope-cli run --model gpt2 --phrase 'a b c' --layer 3 --cost",
                   "headscope-cli run --input x.npy --weights layer.safetensors --heads 8 --json"};
  return {spec, run_request};
}

}  // namespace headscope::cli
