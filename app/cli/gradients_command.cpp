#include <fmt/format.h>

#include <cstdint>
#include <ostream>
#include <string>

#include "app/cli/commands.h"
#include "app/cli/compute.h"
#include "app/cli/csv_path.h"
#include "app/cli/gradients_text.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/recipe_words.h"
#include "app/cli/request_arguments.h"
#include "core/base/error.h"
#include "core/base/from_end.h"
#include "core/export/answer_tables.h"
#include "core/io/atomic_file.h"
#include "core/sweep/weight_gradients.h"

namespace headscope::cli {
namespace {

constexpr const char* kTensors = ".safetensors";

void check_out(const std::string& path) {
  const bool named = (path.size() > 4 && path.ends_with(".csv")) || (path.size() > 12 && path.ends_with(kTensors));
  if (!named) throw UsageError("out", fmt::format("found '{}'", path), "FILE.csv or FILE.safetensors");
}

void write_found(const std::string& path, const WeightGradients& found, const WeightQuestion& question,
                 const CancelToken& cancel) {
  if (!path.ends_with(kTensors)) return write_csv(path, [&] { return gradients_csv(found); });
  write_file_atomically(path, [&](std::ostream& out) {
    write_safetensors(out, gradient_tensors(found),
                      {{"metric", question.metric},
                       {"position", std::to_string(found.position)},
                       {"steps", std::to_string(question.steps)}},
                      cancel);
  });
}

void run_gradients(const Arguments& given, const CancelToken& cancel) {
  if (!given.has("metric"))
    throw UsageError("metric", "missing; gradients are of one number", "logit:A, logit:A-B, prob:A or loss");
  WeightQuestion question;
  question.metric = given.get("metric");
  if (given.has("at")) question.at = parse_place("at", given.get("at"));
  if (given.has("steps")) question.steps = whole_number("steps", given.get("steps"), 1, kMostSteps);
  const std::string path = given.get("out", "");
  if (given.has("out")) check_out(path);
  const std::int64_t memory = stage_memory_of(given);
  question.request = given_request(given).request;
  ProgressLine progress;
  progress.show("computing");
  const WeightGradients found = weight_gradients(engine_options(memory, true), question, cancel,
                                                 [&](double share) { progress.show("going back", share); });
  progress.erase();
  if (!path.empty()) write_found(path, found, question, cancel);
  said_of_run(given, *found.trace, cancel);
  print(given.has("json") ? gradients_json(found, question) : gradients_text(found, question));
}

}  // namespace

Command gradients_command() {
  CommandSpec spec;
  spec.name = "gradients";
  spec.usage =
      "REQUEST --metric logit:A[-B]|prob:A[-B]|loss [--at POSITION] [--steps N] [--json] [--out "
      "FILE.csv|FILE.safetensors]";
  spec.summary =
      "Says what the attention weights of every head of a model do to one number: its gradient by each weight, times "
      "the weight.";
  spec.groups = {
      {"Gradients",
       {{"metric", "logit:A[-B]|prob:A[-B]|loss",
         "The logit of a token or the difference of two, the probability of a token or the difference of two (sets in "
         "braces too, {A,B}), or the mean loss of the text; as for sweep."},
        {"at", "POSITION",
         "Where the metric is taken, from 0 on; -1 is the last (default: [MASK] where there is one, else the last "
         "position)."},
        {"steps", "N",
         "Integrated gradients: the mean gradient over N runs (1 to 1000) in which all weights of a layer are a share "
         "of what they are, from 0 to 1. Their sum comes the closer to what the layer's attention does to the metric, "
         "the "
         "more there are; the gap is said. Costs N runs a layer."},
        {"json", "", "Print {metric, position, value, steps, layers, heads}."},
        {"out", "FILE.csv|FILE.safetensors",
         "A line a head as CSV; or layers.N.weights, layers.N.gradient and layers.N.product as tensors."}}},
      request_group()};
  spec.examples = {
      "headscope-cli gradients --model demo:induction --phrase 'cat box ink fox cat' --metric logit:box",
      "headscope-cli gradients --model demo:induction --phrase 'cat box ink fox cat' --metric logit:box-ink --steps 20 "
      "--json"};
  return {spec, run_gradients};
}

}  // namespace headscope::cli
