#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/attribution_text.h"
#include "app/cli/commands.h"
#include "app/cli/compute.h"
#include "app/cli/csv_path.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/request_arguments.h"
#include "app/cli/score_text.h"
#include "app/cli/stage_arguments.h"
#include "core/attention/model_trace.h"
#include "core/base/error.h"
#include "core/base/from_end.h"
#include "core/explain/score_writers.h"
#include "core/export/answer_tables.h"

namespace headscope::cli {
namespace {

constexpr std::int64_t kMostHead = std::numeric_limits<std::int64_t>::max();  // a layer says how many it has

void run_score(const Arguments& given, const CancelToken& cancel) {
  for (const char* option : {"head", "at"}) {
    if (!given.has(option)) throw UsageError(option, "missing; score needs a head, a query and a key");
  }
  ScoreQuestion question;
  question.head = whole_number("head", given.get("head"), 0, kMostHead);
  const std::vector<std::int64_t> at = cell_numbers_from("at", given.get("at"));
  if (at.size() != 2) throw UsageError("at", fmt::format("found {} numbers", at.size()), "I,J: a query and a key");
  question.query = at[0];
  question.key = at[1];
  const std::vector<std::string> names = {kAttributionByNames[0], kAttributionByNames[1]};
  question.by = static_cast<AttributionBy>(choice_of("by", given.get("by", names[1]), names));
  const std::string path = csv_path(given);
  const std::int64_t memory = stage_memory_of(given);
  const Request request = given_request(given).request;
  check_whole_model(request, "found one layer, before which nothing was written");
  const std::shared_ptr<const Trace> trace = computed_trace(given, request, memory, cancel, true);
  question.query = counted_from_end(question.query, trace->query_len());
  question.key = counted_from_end(question.key, trace->inputs->key_len);
  ProgressLine progress;
  progress.show("taking the score apart");
  const ScoreWriters found = score_writers(*trace->model, question, cancel);
  progress.erase();
  write_csv(path, [&] { return score_csv(found); });
  print(given.has("json") ? score_json(*trace, question, found) : score_text(*trace, question, found));
}

}  // namespace

Command score_command() {
  CommandSpec spec;
  spec.name = "score";
  spec.usage = "REQUEST --head H --at I,J [--by components|heads] [--json] [--out FILE.csv]";
  spec.summary =
      "Says why a head looks there: a score as the sum over pairs of what earlier components wrote at its query and at "
      "its key, beside the model's own.";
  spec.groups = {
      {"Score",
       {{"head", "H", "The head of the layer that --layer shows, from 0 on."},
        {"at", "I,J", "The query and the key, from 0 on; -1 is the last."},
        {"by", "components|heads", "Attention of earlier layers as one, or by heads (default heads)."},
        {"json", "",
         "Print {total, sum, difference, scale, layer, head, query, key, by, queries, keys, terms}; terms[q][k] is of "
         "queries[q] and keys[k]."},
        {"out", "FILE.csv",
         "All pairs as CSV: query_part, query_layer, query_head, key_part, key_layer, key_head, value; "
         "then sum and total."}}},
      request_group()};
  spec.examples = {
      "headscope-cli score --model demo:induction --phrase 'cat box ink fox jam cat' --layer 1 --head 7 --at 5,1",
      "headscope-cli score --model gpt2 --phrase 'When Mary and John went to the store, John gave a drink to' --layer "
      "9 "
      "--head 6 --at 13,3 --json"};
  return {spec, run_score};
}

}  // namespace headscope::cli
