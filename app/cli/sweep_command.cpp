#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/compute.h"
#include "app/cli/csv_path.h"
#include "app/cli/head_argument.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/recipe_words.h"
#include "app/cli/request_arguments.h"
#include "app/cli/sweep_pairs.h"
#include "app/cli/sweep_text.h"
#include "core/attention/patches.h"
#include "core/base/error.h"
#include "core/base/from_end.h"
#include "core/corpus/phrase_list.h"
#include "core/export/answer_tables.h"
#include "core/sweep/metric_words.h"
#include "core/sweep/sweep.h"
#include "core/sweep/swept_parts.h"

namespace headscope::cli {
namespace {

template <typename Kind, std::size_t count>
Kind chosen(const Arguments& given, const char* option, const char* const (&names)[count]) {
  const std::vector<std::string> words(std::begin(names), std::end(names));
  return static_cast<Kind>(choice_of(option, given.get(option, words[0]), words));
}

// REQUEST without the patches that a sweep puts in itself: here --patch says which.
bool is_own(std::string_view option) {
  return option == "patch" || option == "patch-from";
}

OptionGroup own_request_group() {
  OptionGroup group = request_group();
  std::erase_if(group.options, [](const OptionSpec& option) { return is_own(option.name); });
  return group;
}

Arguments without_own_options(Arguments given) {
  std::erase_if(given.values, [](const auto& each) { return is_own(each.first); });
  return given;
}

void set_patch(const Arguments& given, SweepQuestion& question) {
  question.patch = chosen<SweepPatch>(given, "patch", kSweepPatchNames);
  question.from = head_argument(given, "from");
  question.into = head_argument(given, "into");
  check_ends(question);
}

void set_numbers(const Arguments& given, const CancelToken& cancel, SweepQuestion& question) {
  if (given.has("ablation")) question.ablation = chosen<Ablation>(given, "ablation", kAblationNames);
  if (given.has("mean-over")) question.mean_over = whole_list("mean-over", given.get("mean-over"), cancel);
  if (question.ablation) {
    for (const char* option : {"against", "direction"}) {
      if (!given.has(option)) continue;
      throw UsageError(option, "found it with --ablation, whose numbers come from no other run", "one of both");
    }
  }
  if (given.has("estimate") && given.has("estimate-only")) {
    throw UsageError("estimate-only", "found --estimate beside it", "one of both");
  }
  if (given.has("estimate")) question.estimate = SweepEstimate::beside;
  if (given.has("estimate-only")) question.estimate = SweepEstimate::alone;
}

void run_sweep(const Arguments& given, const CancelToken& cancel) {
  for (const char* option : {"patch", "metric"}) {
    if (!given.has(option))
      throw UsageError(option, "missing; sweep needs to know what is patched and what is measured");
  }
  SweepQuestion question;
  set_patch(given, question);
  set_numbers(given, cancel, question);
  question.metric = given.get("metric");
  if (given.has("at")) question.at = parse_place("at", given.get("at"));
  const auto direction = chosen<SweepDirection>(given, "direction", kSweepDirectionNames);
  question.direction = direction;
  if (given.has("pairs")) return run_pair_sweep(given, std::move(question), cancel);
  const std::string path = csv_path(given);
  const std::int64_t memory = stage_memory_of(given);
  const GivenRequest request = given_request(without_own_options(given));
  question.patched = request.request;
  if (!question.ablation) question.source = request_against(given, request, "the session or picture of A");
  const bool noise = direction == SweepDirection::noise;
  if (!question.ablation) say_of_against(given, *quiet_trace(question.source, memory, cancel), cancel);
  if (noise) std::swap(question.patched, question.source);
  ProgressLine progress;
  progress.show("computing");
  const Sweep found =
      sweep(engine_options(memory, true), question, cancel, [&](const Sweep& so_far, std::size_t known) {
        progress.show("patching", static_cast<double>(known) / static_cast<double>(so_far.cells.size()));
      });
  progress.erase();
  write_csv(path, [&] { return sweep_csv(found); });
  // In the noise direction found.trace is the run of A.
  said_of_run(given, noise ? *quiet_trace(request.request, memory, cancel) : *found.trace, cancel);
  if (!found.found->notice.empty()) given.notice_with_result(found.found->notice);
  print(given.has("json") ? sweep_json(found, question, direction) : sweep_text(found, question, direction));
}

std::vector<OptionSpec> sweep_options() {
  return {
      {"against", "SESSION", "The session, or picture that carries one, of A."},
      {"pairs", "FILE.jsonl|FILE.csv",
       "Instead of --against and a phrase: many pairs of texts, {clean, corrupt, answer, other, at} a line or a row; "
       "answer, other and at, a position, may be missing. Every corrupt text takes the numbers of its clean one, "
       "position "
       "by position, so that both need as many tokens. In --metric the words answer and other stand for the pair's own "
       "tokens: logit:answer-other, prob:answer, rank:answer; recovered alone is that of logit:answer-other. Says "
       "mean, "
       "standard error and the share of pairs with the sign of the mean."},
      {"patch", fmt::format("{}", fmt::join(kSweepPatchNames, "|")),
       "A run for every part of the model. heads: every head's context. positions: the stream before every layer, at "
       "every position. stages: query, key, value, weights, context and output (attention_norm_out and mlp_out where "
       "there are such) of every layer. paths: between a head and the query, key or value of a later one. "
       "heads-positions: every head's context at every position. head-parts: query, key, value, weights (the pattern) "
       "and context (z) of every head; those of key and value are the groups' that share them. mlps: what the MLP of "
       "every layer adds. neurons: every neuron of every MLP, at all positions."},
      {"from", "L:H",
       "With --patch paths: the head whose context takes the other numbers on its way into every later head alone; "
       "all other heads and MLPs between them give what they gave. Heads of key and value are those of groups."},
      {"into", "L:H", "With --patch paths: the head that paths from every earlier head end at."},
      {"metric", "METRIC", metric_help()},
      {"at", "POSITION",
       "Where the metric is taken, from 0 on; -1 is the last (default: [MASK] where there is one, else the last "
       "position)."},
      {"direction", "denoise|noise",
       "The request takes numbers of A (default), or A takes those of the request; --at counts in what is patched."},
      {"ablation", "zero|mean",
       "Instead of --against: zeros, or at every position the mean over positions; stages with keys as columns have "
       "no mean and are left out."},
      {"mean-over", "FILE.txt|FILE.jsonl|FOLDER",
       "With --ablation mean: the phrases over whose positions the mean is taken, run without the request's "
       "interventions (default: the request's own positions)."},
      {"estimate", "",
       "Beside every run its estimate of first order, the unpatched metric + gradient x difference (attribution "
       "patching), and how both correlate. Not of kl, whose slope is 0, of a rank or a cell, nor of models with parts "
       "that the backward pass does not know; a sentence names them."},
      {"estimate-only", "", "The estimates without the runs: one backward pass in place of a run a cell."},
      {"json", "",
       "Print {metric, a, b, cells}; a cell holds the metric after its patch, a and b those of the runs themselves. "
       "With "
       "--pairs {metric, pairs, a, b, cells}, where a cell has mean, standard_error and same_sign of the metric after "
       "its "
       "patch, and of its change."},
      {"out", "FILE.csv",
       "The cells as CSV: layer,head,position,stage,value; with estimates a column estimate, of paths from_layer and "
       "from_head, of neurons neuron."}};
}

}  // namespace

Command sweep_command() {
  CommandSpec spec;
  spec.name = "sweep";
  spec.usage =
      "REQUEST --against SESSION|--ablation zero|mean|--pairs FILE --patch PATCH --metric METRIC [--at POSITION] "
      "[--from L:H] "
      "[--estimate] [--json] [--out FILE.csv]";
  spec.summary =
      "Puts the numbers of another run, A, into one part of a model after the other, and takes a metric each time: "
      "what carries the difference between two texts.";
  spec.groups = {{"Sweep", sweep_options()}, own_request_group()};
  spec.examples = {
      "headscope-cli sweep --model demo:induction --phrase 'cat box ink fox cat' --against other.json --patch heads "
      "--metric logit:box-ink",
      "headscope-cli sweep --session wide.json --against tired.json --patch positions --metric kl --json",
      "headscope-cli sweep --model demo:induction --phrase 'cat box ink fox cat' --against other.json --patch paths "
      "--into 1:7 --metric logit:box-ink",
      "headscope-cli sweep --model demo:induction --phrase 'cat box ink fox cat' --ablation zero --patch heads "
      "--metric logit:box --estimate",
      "headscope-cli sweep --model demo:induction --pairs pairs.jsonl --patch heads --metric logit:answer-other"};
  return {spec, run_sweep};
}

}  // namespace headscope::cli
