#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "app/cli/commands.h"
#include "app/cli/compute.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/recipe_words.h"
#include "app/cli/request_arguments.h"
#include "app/cli/stage_arguments.h"
#include "core/attention/stage_layout.h"
#include "core/base/assert.h"
#include "core/base/error.h"
#include "core/base/utf8.h"
#include "core/compare/comparison.h"
#include "core/heads/showing.h"
#include "core/io/atomic_file.h"
#include "core/io/csv.h"
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

std::string comparison_json(const Comparison& found) {
  Json json = {{"equal", found.equal()},
               {"first", nullptr},
               {"layer", nullptr},
               {"rows", found.rows.empty() ? Json() : Json(found.rows)},
               {"layer_order", found.layers.empty() ? Json() : Json(found.layers)},
               {"besides", found.besides.empty() ? Json() : Json(found.besides)},
               {"options", Json::array()},
               {"tokens", alignment_json(found.queries)},
               {"key_tokens", alignment_json(found.keys)},
               {"stages", Json::array()},
               {"heads", Json::array()}};
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

std::string heads_text(const std::vector<HeadDifference>& heads) {
  if (heads.empty()) return "no head's weights or context differ\n";
  std::vector<std::vector<std::string>> rows = {{"head", "|A − B| of weights", "of context"}};
  for (const HeadDifference& head : heads) {
    rows.push_back(
        {std::to_string(head.head), fmt::format("{:.4g}", head.weights), fmt::format("{:.4g}", head.context)});
  }
  return table_text({{true}, {true}, {true}}, rows);
}

std::string comparison_text(const Comparison& found) {
  std::string text = options_text(found.options) + tokens_text("tokens", found.queries);
  if (found.keys.changed != found.queries.changed) text += tokens_text("keys", found.keys);
  text += found.equal()  ? "equal: every number, to the last bit\n"
          : !found.first ? "attention is equal in the shown layer, to the last bit\n"
          : found.layer  ? fmt::format("starts to differ at {} of layer {}\n", stage_name(*found.first), *found.layer)
                         : fmt::format("starts to differ at {}\n", stage_name(*found.first));
  for (const std::string& why : {found.layers, found.rows, found.besides}) {
    if (!why.empty()) text += why + "\n";
  }
  return text + "\n" + stages_text(found.stages) + "\n" + heads_text(found.heads);
}

// Why there is no A - B of a stage that both have; "" where there is one.
std::string reason_against(const Comparison& found, StageId stage) {
  if (const StageId shown = shown_by_heads(stage); shown != stage) {
    return fmt::format("{} holds the same numbers, head by head", stage_name(shown));
  }
  const auto compared = std::find_if(found.stages.begin(), found.stages.end(),
                                     [stage](const ComparedStage& each) { return each.stage == stage; });
  HEADSCOPE_ASSERT(compared != found.stages.end(), std::string(stage_name(stage)));
  return compared->incomparable;
}

// A - B of every matrix of a stage as FOLDER/STAGE.b0.h2.difference.csv. Returns how many.
std::int64_t add_differences(const Trace& a, const Trace& b, StageId stage, const std::string& folder,
                             const CancelToken& cancel, FilesTogether& files) {
  const MatrixLayout layout = stage_layout(stage);
  const std::int64_t batch = a.tensor(stage).dim(layout.batch), slices = slice_count(a, stage);
  for (std::int64_t k = 0; k < batch; ++k) {
    for (std::int64_t h = 0; h < slices; ++h) {
      const std::optional<MatrixDifference> found = difference_matrix(a, b, stage, k, h);
      HEADSCOPE_ASSERT(found.has_value(), std::string(stage_name(stage)));  // no reason was against it
      const std::string slice = layout.head < 0 ? "" : fmt::format(".h{}", h);
      const std::string name = fmt::format("{}.b{}{}.difference.csv", stage_name(stage), k, slice);
      files.add((std::filesystem::path(folder) / name).string(), [&](std::ostream& out) {
        write_csv_matrix(out, found->matrix, csv_corner(stage), found->row_labels, found->column_labels, cancel);
      });
    }
  }
  return batch * slices;
}

// Refuses what cannot be subtracted before the folder is made. All files appear, or none.
std::string write_differences(const Trace& a, const Trace& b, const Comparison& found,
                              const std::vector<StageId>& stages, const std::string& folder,
                              const CancelToken& cancel) {
  for (const StageId stage : stages) {
    stage_of(a, stage);
    stage_of(b, stage);
    if (const std::string reason = reason_against(found, stage); !reason.empty()) {
      throw UsageError("stage", fmt::format("{} of these two cannot be subtracted: {}", stage_name(stage), reason));
    }
  }
  const std::vector<std::string> made = make_folder(folder);
  std::int64_t count = 0;
  try {
    FilesTogether files;
    for (const StageId stage : stages) count += add_differences(a, b, stage, folder, cancel, files);
    files.commit();
  } catch (...) {
    std::error_code ignored;
    for (auto each = made.rbegin(); each != made.rend(); ++each) std::filesystem::remove(*each, ignored);
    throw;
  }
  return fmt::format("\nwritten to {}: {}\n", printable(folder), counted(count, "file"));
}

void run(const Arguments& given, const CancelToken& cancel) {
  if (given.has("stage") != given.has("out")) {
    if (given.has("out")) throw UsageError("stage", "missing", "the stages to write to --out");
    throw UsageError("stage", "found without --out", "--out DIR, the folder to write to");
  }
  const std::string folder = given.get("out");
  if (given.has("out") && folder.empty()) throw UsageError("out", "found ''", "the folder to write to");
  std::vector<StageId> stages;
  if (given.has("stage")) stages = stages_from("stage", given.get("stage"));
  if (given.has("stage") && stages.empty()) {
    throw UsageError("stage", "found 'all'", "the names of the stages to write");
  }
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
  progress.erase();
  std::string files;
  if (given.has("out")) files = write_differences(*a, *b, found, stages, folder, cancel);
  print(given.has("json") ? comparison_json(found) : comparison_text(found) + files);
  if (given.has("check") && !found.equal()) throw CheckFailed();
}

}  // namespace

Command compare_command() {
  CommandSpec spec;
  spec.name = "compare";
  spec.usage = "REQUEST --against FILE [--check] [--json] [--stage STAGE[,STAGE...] --out DIR]";
  spec.summary =
      "Holds two results beside each other: A is --against, B the request. What was asked for differently, which "
      "tokens "
      "changed, where the numbers start to differ, and by how much in every stage and head.";
  spec.groups = {
      {"Comparison",
       {{"against", "FILE", "The session or picture of A."},
        {"json", "", "Print {equal, first, layer, rows, options, tokens, key_tokens, stages, heads}."},
        {"check", "", "End with 4 where the two differ."},
        {"stage", "STAGE[,STAGE...]", "Stages whose A − B is written, every matrix as STAGE.b0.h2.difference.csv."},
        {"out", "DIR", "The folder for them; existing files are replaced at once."}}},
      request_group()};
  spec.examples = {"headscope-cli compare --session wide.json --against tired.json",
                   "headscope-cli compare --session tired.json --mask causal --against tired.json --stage weights "
                   "--out differences"};
  return {spec, run};
}

}  // namespace headscope::cli
