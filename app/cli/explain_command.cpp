#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/compute.h"
#include "app/cli/output.h"
#include "app/cli/render_file.h"
#include "app/cli/request_arguments.h"
#include "app/cli/stage_arguments.h"
#include "app/cli/view_arguments.h"
#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/explain/cell_place.h"
#include "core/explain/cell_report.h"
#include "core/explain/explain.h"
#include "core/explain/first_nonfinite.h"
#include "core/explain/model_cell.h"
#include "core/explain/routing_cell.h"
#include "core/heads/showing.h"
#include "core/heads/shown_weights.h"
#include "core/io/json_text.h"
#include "core/request/model_kind.h"

namespace headscope::cli {

namespace {

using Json = nlohmann::ordered_json;

Json index_json(const Index& index) {
  Json json = Json::array();
  for (const std::int64_t each : index) json.push_back(each);
  return json;
}

Json steps_json(const std::vector<ExplainStep>& steps) {
  Json json = Json::array();
  for (const ExplainStep& step : steps) {
    json.push_back({{"name", step.name}, {"expression", step.expression}, {"value", json_number(step.value)}});
  }
  return json;
}

// Of an Explanation, a ModelCell or a RoutingCell, which have these parts alike.
template <typename Why>
Json explanation_json(std::string_view stage, const Why& why) {
  Json json = {{"stage", stage},         {"index", index_json(why.index)}, {"value", json_number(why.value)},
               {"formula", why.formula}, {"steps", steps_json(why.steps)}, {"operands", Json::array()}};
  for (const Operand& operand : why.operands) {
    json["operands"].push_back({{"stage", operand.stage},
                                {"index", index_json(operand.index)},
                                {"value", json_number(operand.value)},
                                {"role", role_name(operand.role)}});
  }
  return json;
}

std::string printed(const Json& json) {
  return json_dump(json, 2) + "\n";
}

std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{:.9g}", value) : operand_text(value);
}

// The factors of a sum, the largest products first; the rest in one line.
std::string text_of_terms(const Explanation& why) {
  constexpr std::size_t kShown = 12;
  const LargestTerms largest = largest_terms(why, kShown);
  if (largest.terms.empty()) return "";
  const Operand& left = why.operands[0];
  const Operand& right = why.operands[1];
  const bool keys = why.stage == StageId::context;
  std::vector<std::vector<std::string>> rows = {{keys ? "key" : "feature", left.stage, right.stage, "product"}};
  for (const ExplainTerm& term : largest.terms) {
    rows.push_back({std::to_string(term.k), operand_text(term.left), operand_text(term.right), number(term.product())});
  }
  if (largest.others > 0) {
    rows.push_back(
        {rest_words(fmt::format("{} more", largest.others), largest.rest_largest, number(largest.rest_largest)), "", "",
         number(largest.rest)});
  }
  return "\n" + table_text({{}, {true}, {true}, {true}}, rows);
}

std::string steps_text(const std::vector<ExplainStep>& steps) {
  std::vector<std::vector<std::string>> rows = {{"step", "with numbers", "result"}};
  for (const ExplainStep& step : steps) rows.push_back({step.name, step.expression, number(step.value)});
  return table_text({{}, {}, {true}}, rows);
}

std::string explanation_text(const Trace& trace, const Explanation& why) {
  std::string text = fmt::format("{} = {}\n", cell_name(stage_name(why.stage), why.index), operand_text(why.value));
  if (is_score_like(why.stage)) {
    const auto queries = trace.query_labels(), keys = trace.key_labels();
    text += fmt::format("query {} '{}', key {} '{}'\n", why.index[2],
                        printable(queries[static_cast<std::size_t>(why.index[2])]), why.index[3],
                        printable(keys[static_cast<std::size_t>(why.index[3])]));
  }
  text += why.formula + "\n" + text_of_terms(why) + "\n" + steps_text(why.steps);
  if (std::isfinite(why.value)) return text;
  const auto broken = first_nonfinite(trace, CancelToken());
  return text + (broken ? "\n" + nonfinite_sentence(*broken) + "\n" : "");
}

// Where rotary positions turn the cell: both features, by what each is multiplied, and the sum that each is.
std::string turned_text(const Trace& trace, const Explanation& why) {
  if (!why.turn) return "";
  const ExplainTurn& turn = *why.turn;
  std::vector<std::vector<std::string>> rows = {{"feature", "as projected", "turned", "times", "", "product"}};
  const auto add = [&](const char* letter, const ExplainTurn::Feature& from, const std::string& factor) {
    rows.push_back({fmt::format("{} = {}", letter, cell_name(from.cell.stage, from.cell.index)),
                    operand_text(from.cell.value), number(from.value), factor, operand_text(from.factor),
                    number(from.product())});
  };
  add("a", turn.own, "cos θ");
  add("b", turn.other, sine_words(turn));
  std::string text =
      fmt::format("\nθ = {}\n{}", angle_words(turn), table_text({{}, {true}, {true}, {}, {true}, {true}}, rows));
  for (const ExplainTurn::Feature* from : {&turn.own, &turn.other}) {
    const CellReport report = report_of(trace, stage_from("stage", from->cell.stage), from->cell.index);
    for (const Explanation& each : report.chain) text += "\n" + explanation_text(trace, each);
  }
  return text;
}

Json feature_json(const ExplainTurn::Feature& from) {
  return {{"stage", from.cell.stage},
          {"index", index_json(from.cell.index)},
          {"value", json_number(from.value)},
          {"factor", json_number(from.factor)}};
}

// Returns explanation_json() with the two features that rotary positions turn, where they do.
Json cell_json(const Explanation& why) {
  Json json = explanation_json(stage_name(why.stage), why);
  if (!why.turn) return json;
  json["turn"] = {{"position", why.turn->position},
                  {"pair", why.turn->pair},
                  {"angle", json_number(why.turn->angle)},
                  {"own", feature_json(why.turn->own)},
                  {"other", feature_json(why.turn->other)}};
  return json;
}

std::string cell_text(const ModelCell& why) {
  return fmt::format("{} = {}\n{}\n\n", cell_name(model_stage_info(why.stage).name, why.index), operand_text(why.value),
                     why.formula) +
         steps_text(why.steps);
}

void refuse_picture(const Arguments& given) {
  if (!given.has("out")) return;
  throw UsageError("out", fmt::format("found with --stage {}, whose formula has no picture", given.get("stage")),
                   "no --out, or a stage of a layer");
}

Index given_index(const Arguments& given) {
  Index index;
  const std::vector<std::int64_t> at = cell_numbers_from("at", given.get("at"));
  if (at.size() > kMaxRank) throw UsageError("at", fmt::format("found {} numbers", at.size()), "L,B,I,D or B,I,D");
  for (const std::int64_t each : at) index.push_back(each);
  return index;
}

// Where a token of a mixture's layer goes.
void explain_routing(const Arguments& given, RoutingStage stage, const CancelToken& cancel) {
  refuse_picture(given);
  const Index index = given_index(given);
  const std::shared_ptr<const Trace> trace =
      computed_trace(given, given_request(given).request, stage_memory_of(given), cancel);
  const RoutingCell why = routing_cell("stage", *trace, stage, index, cancel);
  const std::string_view name = routing_stage_name(stage);
  if (given.has("json")) {
    Json json = explanation_json(name, why);
    json.update(
        {{"expert", why.expert}, {"rank", why.rank}, {"chosen", why.chosen}, {"choice", steps_json(why.choice)}});
    return print(printed(json));
  }
  print(fmt::format("{} of layer {} = {}\n{}\n\n{}\nexpert {}, {}\n{}", cell_name(name, why.index),
                    trace->inputs->layer, operand_text(why.value), why.formula, steps_text(why.steps), why.expert,
                    why.chosen ? "chosen" : "not chosen", steps_text(why.choice)));
}

// A cell of a stage of the whole model.
void explain_model_cell(const Arguments& given, ModelStageId stage, const CancelToken& cancel) {
  refuse_picture(given);
  const Index index = given_index(given);
  const std::int64_t memory = stage_memory_of(given);
  const Request request = given_request(given).request;
  const std::shared_ptr<const Trace> trace = computed_trace(given, request, memory, cancel, runs_checkpoint(request));
  const ModelCell why = model_cell("stage", *trace, stage, index, cancel);
  print(given.has("json") ? printed(explanation_json(model_stage_info(stage).name, why)) : cell_text(why));
}

// The figure of formula, steps and result.
void draw(const Arguments& given, const Trace& trace, const CellPlace& cell, const CancelToken& cancel) {
  ViewSpec view = given_view(given, ViewSpec());
  view.view = ViewKind::explanation;
  view.stage = cell.stage;
  view.at.assign(cell.index.begin(), cell.index.end());
  render_to_file(given, trace, view, cancel);
}

void run_explain(const Arguments& given, const CancelToken& cancel) {
  for (const char* option : {"stage", "at"}) {
    if (!given.has(option)) throw UsageError(option, "missing; explain needs a stage and a cell of it");
  }
  if (given.has("out")) {
    if (given.has("json")) throw UsageError("json", "found together with --out", "one of the two");
    check_picture_name(given);
  }
  if (const std::optional<ModelStageId> of_model = model_stage_named(given.get("stage"))) {
    return explain_model_cell(given, *of_model, cancel);
  }
  if (const std::optional<RoutingStage> routing = routing_stage_named(given.get("stage"))) {
    return explain_routing(given, *routing, cancel);
  }
  const StageId stage = stage_from("stage", given.get("stage"));
  const std::vector<std::int64_t> at = cell_numbers_from("at", given.get("at"));
  const std::int64_t memory = stage_memory_of(given);
  const std::shared_ptr<const Trace> trace = computed_trace(given, given_request(given).request, memory, cancel);
  const Index cell = cell_from(at, stage, stage_of(*trace, stage).tensor);
  if (shows_otherwise(*trace) && is_shown_stage(stage)) {
    print_notice("explained is the number as computed; how weights are shown (--" +
                 said_showing(trace->request).front().name + ") changes nothing of it");
  }
  if (given.has("out")) return draw(given, *trace, {stage, cell}, cancel);
  const Explanation why = explain(*trace, stage, cell);
  print(given.has("json") ? printed(cell_json(why)) : explanation_text(*trace, why) + turned_text(*trace, why));
}

}  // namespace

Command explain_command() {
  CommandSpec spec;
  spec.name = "explain";
  spec.usage = "REQUEST --stage STAGE --at B,H,I,J [--json | --out FILE.svg|FILE.png]";
  spec.summary = "Says where one number comes from: its formula, its operands with their values, and every step.";
  spec.groups = {
      {"Cell",
       {{"stage", "STAGE",
         "The stage that holds the number; of a checkpoint also of the whole model: " +
             std::string(model_stage_names()) + "; of a layer of a mixture: router, experts."},
        {"at", "B,H,I,J",
         "Where in the stage, in its own axes (B,I,J in a stage of three; L,B,I,D in one with layers; B,I,E of "
         "router, B,I,K of experts); -1 is the last of an axis."},
        {"json", "",
         "Print {stage, index, value, formula, steps, operands}; of a query or key that rotary positions turn also "
         "turn: {position, pair, angle, own: {stage, index, value, factor}, other}; of router and experts also "
         "{expert, rank, chosen, choice}."}}},
      {"Picture",
       {{"out", "FILE.svg|FILE.png", "Draw formula, steps and result as a picture instead."},
        {"theme", "dark|light|contrast", "Colours of the picture (default dark)."}}},
      request_group()};
  spec.examples = {"headscope-cli explain --phrase 'Hola mi nombre es Alex' --stage weights --at 0,2,3,1",
                   "headscope-cli explain --phrase 'a b c' --heads 4 --stage output --at 0,2,17 --json",
                   "headscope-cli explain --model demo:induction --phrase 'cat box ink' --stage stream --at 1,0,2,5",
                   "headscope-cli explain --phrase 'a b c' --stage weights --at 0,0,2,1 --out weight.svg"};
  return {spec, run_explain};
}

}  // namespace headscope::cli
