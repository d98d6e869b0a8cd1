#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/compute.h"
#include "app/cli/logit_sensitivity.h"
#include "app/cli/output.h"
#include "app/cli/request_arguments.h"
#include "app/cli/stage_arguments.h"
#include "core/attention/stage_layout.h"
#include "core/explain/explain.h"
#include "core/explain/sensitivity.h"
#include "core/io/json_text.h"

namespace headscope::cli {

namespace {

using Json = nlohmann::ordered_json;

const std::vector<std::string>& names_of(const Trace& trace, StageId stage) {
  return rows_are_keys(stage) ? trace.inputs->key_tokens : trace.inputs->tokens;
}

// Keys of attention alone may be one more than there are names: bias_k.
std::string name_at(const std::vector<std::string>& names, std::size_t position) {
  return position < names.size() ? names[position] : "bias_k";
}

// [heads][query][key]
Json matrices_json(const Tensor& tensor) {
  Json heads = Json::array();
  const std::vector<float> values = tensor.values();
  std::size_t k = 0;
  for (std::int64_t h = 0; h < tensor.dim(0); ++h) {
    Json rows = Json::array();
    for (std::int64_t i = 0; i < tensor.dim(1); ++i) {
      Json row = Json::array();
      for (std::int64_t j = 0; j < tensor.dim(2); ++j) row.push_back(json_number(static_cast<double>(values[k++])));
      rows.push_back(std::move(row));
    }
    heads.push_back(std::move(rows));
  }
  return heads;
}

std::string sensitivity_json(const Trace& trace, const Sensitivity& found) {
  Json index = Json::array();
  for (const std::int64_t each : found.index) index.push_back(each);
  Json json = {{"stage", stage_name(found.stage)},
               {"index", index},
               {"value", json_number(found.value)},
               {"tokens", Json::array()}};
  for (const TokenSensitivity& tokens : found.tokens) {
    for (std::size_t i = 0; i < tokens.norm.size(); ++i) {
      json["tokens"].push_back({{"stage", stage_name(tokens.stage)},
                                {"position", i},
                                {"token", name_at(names_of(trace, tokens.stage), i)},
                                {"norm", json_number(tokens.norm[i])},
                                {"times_vector", json_number(tokens.times_vector[i])}});
    }
  }
  if (!found.scores.empty()) json["scores"] = matrices_json(found.scores);
  if (!found.weights.empty()) json["weights"] = matrices_json(found.weights);
  return json_dump(json, 1) + "\n";
}

std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{:.6g}", value) : operand_text(value);
}

std::string tokens_text(const Trace& trace, const TokenSensitivity& tokens) {
  std::vector<std::vector<std::string>> rows = {
      {"position", "token", fmt::format("|d / d {}|", stage_name(tokens.stage)), "gradient · vector"}};
  for (std::size_t i = 0; i < tokens.norm.size(); ++i) {
    rows.push_back({std::to_string(i), printable(name_at(names_of(trace, tokens.stage), i)), number(tokens.norm[i]),
                    number(tokens.times_vector[i])});
  }
  return "\n" + table_text({{true}, {}, {true}, {true}}, rows);
}

// The largest derivatives by one kind of cell.
std::string cells_text(const Trace& trace, const char* stage, const Tensor& tensor) {
  constexpr std::size_t kShown = 8;
  if (tensor.empty()) return fmt::format("\nIt does not come from {}.\n", stage);
  const std::vector<float> values = tensor.values();
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (values[k] != 0.0F) order.push_back(k);
  }
  const std::size_t count = std::min(kShown, order.size());
  const auto before = [&](std::size_t a, std::size_t b) {
    const bool nan_a = std::isnan(values[a]), nan_b = std::isnan(values[b]);
    return nan_a != nan_b ? nan_a : nan_a ? a < b : std::abs(values[a]) > std::abs(values[b]);
  };
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(), before);
  const auto queries = trace.query_labels(), keys = trace.key_labels();
  const auto row_length = static_cast<std::size_t>(tensor.dim(2)),
             column_length = static_cast<std::size_t>(tensor.dim(1));
  std::vector<std::vector<std::string>> rows = {{"head", "query", "key", fmt::format("d / d {}", stage)}};
  for (std::size_t n = 0; n < count; ++n) {
    const std::size_t k = order[n], j = k % row_length, i = k / row_length % column_length;
    rows.push_back({std::to_string(k / row_length / column_length), fmt::format("{} {}", i, printable(queries[i])),
                    fmt::format("{} {}", j, printable(keys[j])), number(static_cast<double>(values[k]))});
  }
  std::string text = "\n" + table_text({{true}, {}, {}, {true}}, rows);
  if (order.size() > count) text += fmt::format("{} more\n", order.size() - count);
  return text;
}

void run_sensitivity(const Arguments& given, const CancelToken& cancel) {
  if (asks_for_logit(given)) return run_logit_sensitivity(given, cancel);
  for (const char* option : {"stage", "at"}) {
    if (!given.has(option)) {
      throw UsageError(option, "missing; sensitivity needs a stage and a cell of it");
    }
  }
  const StageId stage = stage_from("stage", given.get("stage"));
  const std::vector<std::int64_t> at = cell_numbers_from("at", given.get("at"));
  const std::int64_t memory = stage_memory_of(given);
  const std::shared_ptr<const Trace> trace = computed_trace(given, given_request(given).request, memory, cancel);
  const Index index = cell_from(at, stage, stage_of(*trace, stage).tensor);
  if (const auto problem = sensitivity_problem(*trace)) throw UsageError("stage", *problem);
  const Sensitivity found = sensitivity(*trace, stage, index, cancel);
  if (given.has("json")) return print(sensitivity_json(*trace, found));
  std::string text = fmt::format("{} = {}\n", cell_name(stage_name(stage), index), operand_text(found.value));
  if (found.tokens.empty()) text += "\nNo token's vector changes it.\n";
  for (const TokenSensitivity& tokens : found.tokens) text += tokens_text(*trace, tokens);
  text += cells_text(*trace, "scores", found.scores);
  text += cells_text(*trace, "weights", found.weights);
  print(text);
}

}  // namespace

Command sensitivity_command() {
  CommandSpec spec;
  spec.name = "sensitivity";
  spec.usage =
      "REQUEST (--stage STAGE --at B,H,I,J | --stage logits --at POSITION --token A[,B] [--method METHOD] [--steps N]) "
      "[--json]";
  spec.summary =
      "Says what a number depends on: its derivative by every token's vector, every score and every weight; or what "
      "every token does to a logit.";
  spec.groups = {
      {"Cell",
       {{"stage", "STAGE",
         "The stage that holds the number; or logits, of a whole model that reads a text, by its tokens."},
        {"at", "B,H,I,J|POSITION",
         "Where in the stage, in its own axes (B,I,J in a stage of three), or the position whose logits are "
         "taken; -1 is the last of an axis."},
        {"json", "",
         "Print {stage, index, value, tokens, scores, weights}; of logits {method, position, ids, value, baseline, "
         "total, sum, gap, tokens: [{position, token, value}]}, where total is the logit (value) less what "
         "it is when every embedding is zero (baseline), and gap is total - sum."}}},
      {"Logits (--stage logits)", logit_options()},
      request_group()};
  spec.examples = {
      "headscope-cli sensitivity --model demo:pronouns --stage weights --at 0,7,7,1",
      "headscope-cli sensitivity --model seeded --phrase 'a b c' --heads 4 --stage output --at 0,2,17 --json",
      "headscope-cli sensitivity --model demo:induction --phrase 'cat box ink fox cat' --stage logits --at -1 --token "
      "box,ink --by tokens --method integrated"};
  return {spec, run_sensitivity};
}

}  // namespace headscope::cli
