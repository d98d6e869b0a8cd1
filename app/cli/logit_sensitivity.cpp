#include "app/cli/logit_sensitivity.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "app/cli/compute.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/recipe_words.h"
#include "app/cli/request_arguments.h"
#include "core/attention/model_trace.h"
#include "core/attention/trace.h"
#include "core/base/error.h"
#include "core/base/from_end.h"
#include "core/explain/logit_tokens.h"
#include "core/io/json_text.h"
#include "core/model/checkpoint.h"
#include "core/model/named_token.h"
#include "core/sweep/input_attribution.h"

namespace headscope::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kLogits = "logits";

std::string attribution_json(const InputQuestion& question, const InputAttribution& found) {
  Json tokens = Json::array();
  for (std::size_t i = 0; i < found.tokens.size(); ++i) {
    tokens.push_back(
        {{"position", i}, {"token", found.trace->inputs->tokens[i]}, {"value", json_number(found.tokens[i])}});
  }
  Json json = {{"method", kInputMethodNames[static_cast<std::size_t>(question.method)]},
               {"position", found.position},
               {"ids", found.ids},
               {"value", json_number(found.value)},
               {"baseline", json_number(found.baseline)},
               {"total", json_number(found.total())},
               {"sum", json_number(found.sum())},
               {"gap", json_number(found.gap())}};
  if (question.method == InputMethod::integrated) json["steps"] = found.steps;
  json["tokens"] = std::move(tokens);
  return json_dump(json, 1) + "\n";
}

std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{:.6g}", value) : short_number(value);
}

// Returns words that say which number the method gives each token.
std::string method_words(const InputQuestion& question, const InputAttribution& found) {
  switch (question.method) {
    case InputMethod::gradient_input:
      break;
    case InputMethod::integrated:
      return fmt::format("integrated gradients from zero embeddings, {}", counted(found.steps, "node"));
    case InputMethod::occlusion:
      return "occlusion: the logit less that without the token's embedding";
  }
  return "gradient x embedding";
}

std::string attribution_text(const InputQuestion& question, const InputAttribution& found) {
  const Checkpoint& checkpoint = *found.trace->model->checkpoint;
  const auto token = [&](std::size_t k) {
    return fmt::format("'{}' ({})", printable(token_piece(checkpoint, found.ids[k])), found.ids[k]);
  };
  const std::vector<std::string>& names = found.trace->inputs->tokens;
  const std::string less = found.ids.size() > 1 ? " less that of " + token(1) : "";
  std::string text = fmt::format("logit of {}{}, at position {} '{}': {}\n{}\n\n", token(0), less, found.position,
                                 printable(names[static_cast<std::size_t>(found.position)]), number(found.value),
                                 method_words(question, found));
  std::vector<std::vector<std::string>> rows = {{"position", "token", "value"}};
  for (std::size_t i = 0; i < found.tokens.size(); ++i) {
    rows.push_back({std::to_string(i), printable(names[i]), number(found.tokens[i])});
  }
  text += table_text({{true}, {}, {true}}, rows);
  return text + fmt::format(
                    "\nsum {}\ntotal {}: the logit less {}, what it is when every embedding is 0\ngap {}, what "
                    "the sum misses\n",
                    number(found.sum()), number(found.total()), number(found.baseline), number(found.gap()));
}

std::vector<std::string> method_names() {
  return {std::begin(kInputMethodNames), std::end(kInputMethodNames)};
}

}  // namespace

bool asks_for_logit(const Arguments& given) {
  if (given.get("stage") == kLogits) return true;
  for (const OptionSpec& option : logit_options()) {
    if (!given.has(option.name)) continue;
    throw UsageError(
        option.name,
        given.has("stage") ? fmt::format("found it with --stage {}", given.get("stage")) : "found it without a stage",
        "--stage logits");
  }
  return false;
}

std::vector<OptionSpec> logit_options() {
  return {
      {"token", "A[,B]", "The token whose logit is meant, or the difference A - B, named as for attribute."},
      {"by", "tokens", "What the logit is taken apart by: the tokens of the text."},
      {"method", "gradient-input|integrated|occlusion",
       "gradient-input (default): the gradient of the logit by the token's row of the table of embeddings, times "
       "that row. integrated: the same as a mean over a path on which all rows grow from zero to what they are. "
       "occlusion: the logit less that of a run in which this token's row is zero. Positions and token types stay "
       "where they are in all of them."},
      {"steps", "N",
       "Of integrated: at most so many nodes (from 8 on, default 2048), a run and a backward pass each. They are put "
       "where the logit bends, until the sum misses less than a thousandth of the total."}};
}

void run_logit_sensitivity(const Arguments& given, const CancelToken& cancel) {
  for (const char* option : {"at", "token"}) {
    if (!given.has(option)) throw UsageError(option, "missing; --stage logits needs a position and a token");
  }
  InputQuestion question;
  question.position = parse_place("at", given.get("at"));
  question.tokens = logit_token_texts(given.get("token"));
  choice_of("by", given.get("by", "tokens"), {"tokens"});
  question.method =
      static_cast<InputMethod>(choice_of("method", given.get("method", method_names().front()), method_names()));
  if (given.has("steps")) {
    if (question.method != InputMethod::integrated) {
      throw UsageError(
          "steps",
          fmt::format("found it with --method {}", kInputMethodNames[static_cast<std::size_t>(question.method)]),
          "--method integrated");
    }
    question.steps = whole_number("steps", given.get("steps"), kLeastPathSteps, kMostPathSteps);
  }
  const std::int64_t memory = stage_memory_of(given);
  question.request = given_request(given).request;
  ProgressLine progress;
  progress.show("computing");
  const InputAttribution found = input_attribution(engine_options(memory, true), question, cancel, [&](double share) {
    progress.show("taking the logit apart", share);
  });
  progress.erase();
  said_of_run(given, *found.trace, cancel);
  print(given.has("json") ? attribution_json(question, found) : attribution_text(question, found));
}

}  // namespace headscope::cli
