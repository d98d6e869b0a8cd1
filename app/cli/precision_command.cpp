#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/compute.h"
#include "app/cli/output.h"
#include "app/cli/request_arguments.h"
#include "app/cli/stage_arguments.h"
#include "core/base/error.h"
#include "core/compare/precision.h"
#include "core/explain/explain.h"
#include "core/io/json_text.h"

namespace headscope::cli {

namespace {

constexpr std::size_t kMostWorst = 10;  // heads or rows of a stage and format in the table

enum class By { stages, heads, rows };

nlohmann::ordered_json errors_json(const CellErrors& error) {
  return {{"max_error", json_number(error.or_nan(error.max_error))},
          {"mean_error", json_number(error.or_nan(error.mean_error))},
          {"index", std::vector<std::int64_t>(error.cell.begin(), error.cell.end())},
          {"exact", json_number(error.or_nan(error.exact))},
          {"value", json_number(error.or_nan(error.value))},
          {"lost", error.lost}};
}

nlohmann::ordered_json places_json(const std::vector<PlaceError>& places, By by) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const PlaceError& each : places) {
    nlohmann::ordered_json place;
    if (each.batch >= 0) place["batch"] = each.batch;
    place[by == By::heads ? "head" : "row"] = each.place;
    place.update(errors_json(each));
    list.push_back(std::move(place));
  }
  return list;
}

std::string precision_json(const PrecisionReport& report, const std::vector<StageId>& wanted, By by) {
  nlohmann::ordered_json formats = nlohmann::ordered_json::array();
  for (const FormatRun& run : report.formats) {
    nlohmann::ordered_json stages = nlohmann::ordered_json::array();
    for (const StageId stage : wanted) {
      const StageError& error = *run.find(stage);
      nlohmann::ordered_json object = {{"stage", stage_name(stage)}};
      object.update(errors_json(error));
      if (by == By::heads) object["heads"] = places_json(error.heads, by);
      if (by == By::rows) object["rows"] = places_json(error.rows, by);
      stages.push_back(std::move(object));
    }
    formats.push_back({{"format", run.rounding.format->name},
                       {"option", run.rounding.format->option},
                       {"rounded", part_names(run.rounding.parts)},
                       {"sums", sums_format(run.rounding)},
                       {"stages", stages}});
  }
  return json_dump({{"formats", formats}}, 2) + "\n";
}

// The cells of a table for some errors.
std::vector<std::string> error_cells(const CellErrors& error, StageId stage) {
  const bool exact = error.cell.count == 0;
  const double largest = error.or_nan(error.max_error), mean = error.or_nan(error.mean_error);
  return {fmt::format("{:.2e}", largest),
          fmt::format("{:.2e}", mean),
          exact ? "none" : cell_name(stage_name(stage), error.cell),
          exact ? "" : fmt::format("{:.9g}", error.exact),
          exact ? "" : fmt::format("{:.9g}", error.value),
          std::to_string(error.lost)};
}

std::string precision_text(const PrecisionReport& report, const std::vector<StageId>& wanted) {
  std::vector<std::vector<std::string>> rows = {
      {"stage", "format", "largest error", "mean error", "worst cell", "exact", "value", "lost"}};
  for (const StageId stage : wanted) {
    for (const FormatRun& run : report.formats) {
      std::vector<std::string> row = {std::string(stage_name(stage)), std::string(run.rounding.format->name)};
      for (std::string& cell : error_cells(*run.find(stage), stage)) row.push_back(std::move(cell));
      rows.push_back(std::move(row));
    }
  }
  return table_text({{}, {}, {true}, {true}, {}, {true}, {true}, {true}}, rows);
}

// The worst heads or rows of every stage and format, worst first.
std::string places_text(const PrecisionReport& report, const std::vector<StageId>& wanted, By by) {
  const char* noun = by == By::heads ? "head" : "row";
  std::vector<std::vector<std::string>> rows = {
      {"stage", "format", noun, "largest error", "mean error", "worst cell", "exact", "value", "lost"}};
  std::size_t more = 0;
  std::string without;
  for (const StageId stage : wanted) {
    if (by == By::heads && report.formats.front().find(stage)->heads.empty()) {
      without += fmt::format("{}{}", without.empty() ? "" : ", ", stage_name(stage));
      continue;
    }
    for (const FormatRun& run : report.formats) {
      const StageError& error = *run.find(stage);
      const std::vector<PlaceError>& places = by == By::heads ? error.heads : error.rows;
      const std::size_t shown = std::min(places.size(), kMostWorst);
      more += places.size() - shown;
      for (std::size_t k = 0; k < shown; ++k) {
        std::vector<std::string> row = {std::string(stage_name(stage)), std::string(run.rounding.format->name),
                                        places[k].batch > 0
                                            ? fmt::format("{} of item {}", places[k].place, places[k].batch)
                                            : std::to_string(places[k].place)};
        for (std::string& cell : error_cells(places[k], stage)) row.push_back(std::move(cell));
        rows.push_back(std::move(row));
      }
    }
  }
  std::string text = table_text({{}, {}, {true}, {true}, {true}, {}, {true}, {true}, {true}}, rows);
  if (!without.empty()) text += fmt::format("Not listed, because they have no heads: {}.\n", without);
  if (more > 0) {
    text += fmt::format("Of every stage and format the {} worst {}s are listed; {} more are in --json.\n", kMostWorst,
                        noun, more);
  }
  return text;
}

// "f16,i8-token": formats in the order given, each once; UsageError that lists them all, or says why a format does not
// round such parts.
std::vector<Rounding> roundings_from(const Arguments& given) {
  std::vector<std::string> choices;
  for (const PrecisionFormat& format : precision_formats()) choices.emplace_back(format.option);
  const std::vector<std::string> names(std::begin(kRoundedNames), std::end(kRoundedNames));
  const auto rounded = static_cast<Rounded>(choice_of("round", given.get("round", "usual"), names));
  std::vector<Rounding> roundings;
  std::stringstream list(given.get("formats", "f32,f16,bf16"));
  for (std::string option; std::getline(list, option, ',');) {
    const Rounding rounding = rounding_of(precision_formats()[choice_of("formats", option, choices)], rounded);
    if (std::find(roundings.begin(), roundings.end(), rounding) != roundings.end()) continue;
    if (const std::string refusal = rounding_refusal(rounding); !refusal.empty()) {
      throw UsageError(fmt::format("--round: found \"{}\" with --formats {}: {}", given.get("round"), option, refusal));
    }
    roundings.push_back(rounding);
  }
  if (roundings.empty()) choice_of("formats", "", choices);
  return roundings;
}

std::string rounding_text(const PrecisionReport& report) {
  std::string text;
  for (const FormatRun& run : report.formats) {
    text += fmt::format("{}: {}\n", run.rounding.format->name, rounding_sentence(run.rounding));
  }
  return text;
}

void run_precision(const Arguments& given, const CancelToken& cancel) {
  const std::vector<Rounding> roundings = roundings_from(given);
  const By by = static_cast<By>(choice_of("by", given.get("by", "stages"), {"stages", "heads", "rows"}));
  std::vector<StageId> stages;
  if (given.has("stage")) stages = stages_from("stage", given.get("stage"));
  const std::shared_ptr<const Trace> trace =
      computed_trace(given, given_request(given).request, stage_memory_of(given), cancel);
  for (const StageId stage : stages) stage_of(*trace, stage);
  if (stages.empty()) {
    for (const Stage& stage : trace->stages) stages.push_back(stage.id);
  }
  if (const std::string refusal = precision_refusal(*trace, roundings); !refusal.empty())
    throw UsageError("precision: " + refusal);
  const PrecisionReport report = precision_report(trace, roundings, cancel);
  if (given.has("json")) {
    print(precision_json(report, stages, by));
    return;
  }
  const std::string head = given.has("formats") || given.has("round") ? rounding_text(report) + "\n" : "";
  print(head + (by == By::stages ? precision_text(report, stages) : places_text(report, stages, by)));
}

}  // namespace

Command precision_command() {
  CommandSpec spec;
  spec.name = "precision";
  spec.usage =
      "REQUEST [--stage STAGE[,STAGE...]] [--formats FORMAT[,FORMAT...]] [--round PART] [--by heads|rows] [--json]";
  spec.summary =
      "Holds number formats of fewer bits against the same in double: the errors of every stage, head and row.";
  spec.groups = {{"Errors",
                  {{"stage", "STAGE[,STAGE...]|all", "Which stages; default: all."},
                   {"formats", "f32|f16|bf16|f8e4m3|f8e5m2|tf32|i8-token|i8-channel[,...]",
                    "Which number formats; default: f32,f16,bf16. tf32 rounds both sides of every product. i8-token: "
                    "whole numbers up to 127 times (largest size / 127) of each row of a stage; i8-channel: of each "
                    "feature; weights: of each output feature in both. Beyond 448 float8 e4m3 is NaN.",
                    true},
                   {"round", "usual|inputs|storage|accumulation|all",
                    "What is rounded. usual (the default): inputs, weights and every stage as it is stored, sums in "
                    "float32. inputs, storage, accumulation: that alone, the rest in double; accumulation rounds sums "
                    "after every addition, in the order of the index (f32, f16, bf16). all: all that a format rounds."},
                   {"by", "stages|heads|rows",
                    "stages (the default): one line for each stage and format. heads, rows: the errors of every head, "
                    "or of every row, worst first."},
                   {"json", "",
                    "Print {formats:[{format, option, rounded, sums, stages:[...]}]}: of a stage max_error, "
                    "mean_error, ..., and heads or rows by --by."}}},
                 request_group()};
  spec.examples = {"headscope-cli precision --phrase 'a b c' --heads 4 --stage weights,output",
                   "headscope-cli precision --phrase 'a b c' --formats f16,f8e4m3,i8-token --by heads",
                   "headscope-cli precision --phrase 'a b c' --formats f16,bf16 --round accumulation"};
  return {spec, run_precision};
}

}  // namespace headscope::cli
