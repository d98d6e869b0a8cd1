#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/compare_files.h"
#include "app/cli/compare_heads.h"
#include "app/cli/compute.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/recipe_words.h"
#include "app/cli/request_arguments.h"
#include "core/base/utf8.h"
#include "core/compare/comparison.h"
#include "core/compare/head_differences.h"
#include "core/heads/showing.h"
#include "core/io/json_text.h"
#include "core/model/model_inputs.h"
#include "core/request/model_kind.h"
#include "core/request/stage_info.h"
#include "core/text/text_difference.h"

namespace headscope::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kWidestValue = 48;  // of an option, in bytes

Json alignment_json(const TokenAlignment& along) {
  Json json = {{"a", along.a_len}, {"b", along.b_len}, {"changed", Json::array()}};
  for (const auto& [a, b] : along.changed) json["changed"].push_back({{"a", a}, {"b", b}});
  return json;
}

Json stage_json(const ComparedStage& stage) {
  if (!stage.incomparable.empty()) {
    return {{"stage", stage_name(stage.stage)}, {"incomparable", stage.incomparable}};
  }
  Json at = Json::array();
  for (const std::int64_t each : stage.at) at.push_back(each);
  return {{"stage", stage_name(stage.stage)},
          {"cells", stage.cells},
          {"alone", stage.alone},
          {"norm", json_number(stage.norm)},
          {"norm_a", json_number(stage.norm_a)},
          {"relative", json_number(stage.relative())},
          {"largest", json_number(stage.largest)},
          {"at", at},
          {"unlike", stage.unlike}};
}

std::string comparison_json(const Comparison& found, const ModelDifference& models) {
  Json json = {{"equal", found.equal()},
               {"first", nullptr},
               {"layer", nullptr},
               {"rows", found.rows.empty() ? Json() : Json(found.rows)},
               {"layer_order", found.layers.empty() ? Json() : Json(found.layers)},
               {"besides", found.besides.empty() ? Json() : Json(found.besides)},
               {"compared", found.compared.empty() ? Json() : Json(found.compared)},
               {"options", Json::array()},
               {"tokens", alignment_json(found.queries)},
               {"key_tokens", alignment_json(found.keys)},
               {"stages", Json::array()},
               {"heads", Json::array()},
               {"no_heads", found.no_heads.empty() ? Json() : Json(found.no_heads)}};
  if (found.first) json["first"] = stage_name(*found.first);
  if (found.layer) json["layer"] = *found.layer;
  for (const OptionDifference& option : found.options) {
    json["options"].push_back({{"option", option.option}, {"a", option.a}, {"b", option.b}});
  }
  for (const ComparedStage& stage : found.stages) json["stages"].push_back(stage_json(stage));
  for (const HeadDifference& head : found.heads) {
    json["heads"].push_back(
        {{"head", head.head}, {"weights", json_number(head.weights)}, {"context", json_number(head.context)}});
  }
  add_heads_of_models(json, models);
  return json_dump(json, 2) + "\n";
}

std::string cut(const std::string& text) {
  if (text.empty()) return "default";
  const std::string shown = printable(text);
  if (shown.size() <= kWidestValue) return shown;
  return shown.substr(0, previous_grapheme(shown, kWidestValue + 1)) + "…";
}

std::string options_text(const std::vector<OptionDifference>& options) {
  if (options.empty()) return "";
  std::vector<std::vector<std::string>> rows = {{"option", "A", "B"}};
  for (const OptionDifference& option : options) {
    const auto [a, b] = from_where_they_part(option.a, option.b, kWidestValue);
    rows.push_back({option.option, cut(a), cut(b)});
  }
  return table_text({{}, {}, {}}, rows) + "\n";
}

std::string tokens_text(const std::string& name, const TokenAlignment& along) {
  constexpr std::size_t kMost = 20;
  std::string text;
  if (!along.same_lengths()) text += fmt::format("{}: {} in A, {} in B\n", name, along.a_len, along.b_len);
  if (along.changed.empty()) return text;
  text += name + " changed:";
  for (std::size_t k = 0; k < std::min(along.changed.size(), kMost); ++k) {
    const auto shown = [](const std::string& token) { return token.empty() ? "(none)" : printable(token); };
    text += fmt::format("{} {} → {}", k == 0 ? "" : ",", shown(along.changed[k].first), shown(along.changed[k].second));
  }
  if (along.changed.size() > kMost) text += fmt::format(", and {} more", along.changed.size() - kMost);
  return text + "\n";
}

std::string relative_text(const ComparedStage& stage) {
  const double relative = stage.relative();
  if (!stage.differs()) return "equal";
  return std::isfinite(relative) ? fmt::format("{:.3g}", relative) : "from 0";
}

std::string stages_text(const std::vector<ComparedStage>& stages) {
  std::vector<std::vector<std::string>> rows = {{"stage", "|A − B|", "of |A|", "largest", "at", ""}};
  for (const ComparedStage& stage : stages) {
    const std::string name(stage_name(stage.stage));
    if (!stage.incomparable.empty()) {
      rows.push_back({name, "", "", "", "", stage.incomparable});
      continue;
    }
    std::string at;
    for (const std::int64_t each : stage.at) {
      if (!at.empty()) at += ',';
      at += std::to_string(each);
    }
    std::string notes;
    if (stage.unlike > 0) notes = counted(stage.unlike, "pair") + " not finite alike";
    if (stage.alone > 0) notes += (notes.empty() ? "" : "; ") + counted(stage.alone, "cell") + " without a partner";
    const bool differs = stage.differs();
    rows.push_back({name, differs ? fmt::format("{:.4g}", stage.norm) : "0", relative_text(stage),
                    differs ? fmt::format("{:.4g}", stage.largest) : "", differs ? at : "", notes});
  }
  return table_text({{}, {true}, {true}, {true}, {}, {}}, rows);
}

std::string heads_text(const Comparison& found) {
  const std::vector<HeadDifference>& heads = found.heads;
  const std::string missing = found.no_heads.empty() ? "" : found.no_heads + "\n";
  if (heads.empty()) {
    return found.no_heads.empty() ? "no head's weights or context differ\n"
           : found.any_heads      ? missing + "in all else no head differs\n"
                                  : missing;
  }
  std::vector<std::vector<std::string>> rows = {{"head", "|A − B| of weights", "of context"}};
  for (const HeadDifference& head : heads) {
    rows.push_back(
        {std::to_string(head.head), fmt::format("{:.4g}", head.weights), fmt::format("{:.4g}", head.context)});
  }
  return missing + table_text({{true}, {true}, {true}}, rows);
}

std::string start_text(const Comparison& found) {
  const std::string name(stage_name(*found.first));
  if (found.unread) return fmt::format("nothing that was compared differs, but {} is too large to be compared\n", name);
  return found.layer ? fmt::format("starts to differ at {} of layer {}\n", name, *found.layer)
                     : fmt::format("starts to differ at {}\n", name);
}

std::string comparison_text(const Comparison& found) {
  std::string text = options_text(found.options) + tokens_text("tokens", found.queries);
  if (found.keys.changed != found.queries.changed) text += tokens_text("keys", found.keys);
  text += found.equal()  ? fmt::format("equal, to the last bit: {}\n", found.compared)
          : !found.first ? "attention is equal in the shown layer, to the last bit\n"
                         : start_text(found);
  for (const std::string& why : {found.layers, found.rows, found.besides}) {
    if (!why.empty()) text += why + "\n";
  }
  return text + "\n" + stages_text(found.stages) + "\n" + heads_text(found);
}

void run(const Arguments& given, const CancelToken& cancel) {
  const CompareFiles written = compare_files(given);
  const std::int64_t memory = stage_memory_of(given);
  const GivenRequest request = given_request(given);
  const Request against = request_against(given, request, "the session or picture of A");
  for (const Request* each : {&request.request, &against}) refuse_showing(*each, "compare");
  // Of a model every layer, so that the first that differs can be named.
  const std::shared_ptr<const Trace> a = quiet_trace(against, memory, cancel, runs_checkpoint(against));
  say_of_against(given, *a, cancel);
  const std::shared_ptr<const Trace> b =
      computed_trace(given, request.request, memory, cancel, runs_checkpoint(request.request));
  ProgressLine progress;
  progress.show("comparing");
  const Comparison found = compare_traces(*a, *b, cancel);
  const ModelDifference models =
      compare_models(*a, *b, request.request.threads, cancel, [&](std::int64_t done, std::int64_t count) {
        progress.show("comparing heads of layers", static_cast<double>(done) / static_cast<double>(count));
      });
  progress.erase();
  const std::string files = write_compare_files(written, *a, *b, found, models, cancel);
  print(given.has("json") ? comparison_json(found, models)
                          : comparison_text(found) + heads_of_models_text(models) + files);
  if (given.has("check") && !found.equal()) throw CheckFailed();
}

}  // namespace

Command compare_command() {
  CommandSpec spec;
  spec.name = "compare";
  spec.usage = "REQUEST --against FILE [--check] [--json] [--stage STAGE[,STAGE...] --out DIR | --out FILE.csv]";
  spec.summary =
      "Holds two results beside each other: A is --against, B the request. What was asked for differently, which "
      "tokens "
      "changed, where the numbers start to differ, and by how much in every stage and head; of two models as large as "
      "each "
      "other in every head of every layer, by its weights and by what it does with the text.";
  spec.groups = {
      {"Comparison",
       {{"against", "FILE", "The session or picture of A."},
        {"json", "",
         "Print {equal, first, layer, rows, layer_order, besides, compared, options, tokens, key_tokens, stages, "
         "heads, "
         "no_heads, layers:[{layer, heads:[{head, weights, context, qk, ov}], moved:[[from, to]], paired, said}], "
         "no_layers, first_heads:{maps, text}, "
         "divergence}. `compared` says of equal results all that was held against each other. "
         "Numbers of layers are shares of A's size, |A − B| / |A|: weights and context of the head on the text, qk of "
         "W_Qᵀ "
         "W_K and ov of W_O W_V, norms folded in; null where nothing can be said."},
        {"check", "", "End with 4 where the two differ."},
        {"stage", "STAGE[,STAGE...]", "Stages whose A − B is written, every matrix as STAGE.b0.h2.difference.csv."},
        {"out", "DIR|FILE.csv",
         "The folder for them; without --stage the table of all heads of all layers of two models. Existing files are "
         "replaced at once."}}},
      request_group()};
  spec.examples = {"headscope-cli compare --session wide.json --against tired.json",
                   "headscope-cli compare --session tired.json --mask causal --against tired.json --stage weights "
                   "--out differences",
                   "headscope-cli compare --model tuned --phrase \"the cat sat\" --against base.json --out heads.csv"};
  return {spec, run};
}

}  // namespace headscope::cli
