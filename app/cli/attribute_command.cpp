#include <fmt/format.h>

#include <cstdint>
#include <iterator>
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
#include "core/attention/model_trace.h"
#include "core/base/error.h"
#include "core/base/from_end.h"
#include "core/explain/attribution.h"
#include "core/explain/logit_tokens.h"
#include "core/export/answer_tables.h"

namespace headscope::cli {
namespace {

void run(const Arguments& given, const CancelToken& cancel) {
  for (const char* option : {"at", "token"}) {
    if (!given.has(option)) throw UsageError(option, "missing; attribute needs a position and a token");
  }
  LogitQuestion question;
  question.position = parse_place("at", given.get("at"));
  const std::vector<std::string> names(std::begin(kAttributionByNames), std::end(kAttributionByNames));
  question.by = static_cast<AttributionBy>(choice_of("by", given.get("by", names[0]), names));
  const std::string path = csv_path(given);
  question.loss = given.has("loss");
  logit_token_texts(given.get("token"));  // what can be no tokens is refused before anything is computed
  const std::int64_t memory = stage_memory_of(given);
  const Request request = given_request(given).request;
  check_whole_model(request, "found one layer, which has no vocabulary");
  const std::shared_ptr<const Trace> trace = computed_trace(given, request, memory, cancel, true);
  question.position = counted_from_end(question.position, trace->query_len());
  question.ids = logit_token_ids(*trace->model->checkpoint, given.get("token"));
  ProgressLine progress;
  progress.show("taking the logit apart");
  const Attribution found = attribution(*trace->model, question, cancel);
  progress.erase();
  write_csv(path, [&] { return attribution_csv(*trace, found); });
  print(given.has("json") ? attribution_json(*trace, question, found) : attribution_text(*trace, question, found));
}

}  // namespace

Command attribute_command() {
  CommandSpec spec;
  spec.name = "attribute";
  spec.usage = "REQUEST --at POSITION --token A[,B] [--loss] [--by components|heads|sources] [--json] [--out FILE.csv]";
  spec.summary =
      "Says who made a logit, or a loss: the sum of what embeddings, heads, MLPs and biases of a whole model wrote, "
      "beside the "
      "model's own.";
  spec.groups = {
      {"Logit",
       {{"at", "POSITION", "The position whose logits are taken, from 0 on; -1 is the last."},
        {"token", "A[,B]",
         "The token whose logit is taken apart, or the difference A - B: an id, the text that the model's tokenizer "
         "makes one token of ('tired' and ' tired' may be two), or the vocabulary's own spelling."},
        {"loss", "",
         "Take the loss of A apart, -ln of its probability in nats, instead of its logit: what pushes the others' mean "
         "logit up or A's down, and the entropy of the prediction."},
        {"by", "components|heads|sources",
         "Attention of a layer as one, by heads, or every head by the tokens that it reads (default components)."},
        {"json", "", "Print {total, sum, difference, position, by, tokens, parts}."},
        {"out", "FILE.csv", "All parts as CSV: part,layer,head,position,token,value; then sum and total."}}},
      request_group()};
  spec.examples = {
      "headscope-cli attribute --model demo:induction --phrase 'cat box ink fox cat' --at 4 --token box",
      "headscope-cli attribute --model gpt2 --phrase 'When Mary and John went to the store, John gave a drink to' "
      "--at 13 --token ' Mary, John' --by heads --json"};
  return {spec, run};
}

}  // namespace headscope::cli
