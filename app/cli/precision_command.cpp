#include <fmt/format.h>

#include <nlohmann/json.hpp>

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

std::string precision_json(const PrecisionReport& report, const std::vector<StageId>& wanted) {
  nlohmann::ordered_json formats = nlohmann::ordered_json::array();
  for (const FormatRun& run : report.formats) {
    nlohmann::ordered_json stages = nlohmann::ordered_json::array();
    for (const StageId stage : wanted) {
      const StageError& error = *run.find(stage);
      stages.push_back({{"stage", stage_name(stage)},
                        {"max_error", json_number(error.max_error)},
                        {"mean_error", json_number(error.mean_error)},
                        {"index", std::vector<std::int64_t>(error.cell.begin(), error.cell.end())},
                        {"exact", json_number(error.exact)},
                        {"value", json_number(error.value)},
                        {"lost", error.lost}});
    }
    formats.push_back({{"format", format_name(run.format)}, {"stages", stages}});
  }
  return json_dump({{"formats", formats}}, 2) + "\n";
}

std::string precision_text(const PrecisionReport& report, const std::vector<StageId>& wanted) {
  std::vector<std::vector<std::string>> rows = {
      {"stage", "format", "largest error", "mean error", "worst cell", "exact", "value", "lost"}};
  for (const StageId stage : wanted) {
    for (const FormatRun& run : report.formats) {
      const StageError& error = *run.find(stage);
      const bool exact = error.cell.count == 0;
      rows.push_back({std::string(stage_name(stage)), std::string(format_name(run.format)),
                      fmt::format("{:.2e}", error.max_error), fmt::format("{:.2e}", error.mean_error),
                      exact ? "none" : cell_name(stage_name(stage), error.cell),
                      exact ? "" : fmt::format("{:.9g}", error.exact), exact ? "" : fmt::format("{:.9g}", error.value),
                      std::to_string(error.lost)});
    }
  }
  return table_text({{}, {}, {true}, {true}, {}, {true}, {true}, {true}}, rows);
}

void run(const Arguments& given, const CancelToken& cancel) {
  std::vector<StageId> stages;
  if (given.has("stage")) stages = stages_from("stage", given.get("stage"));
  const std::shared_ptr<const Trace> trace =
      computed_trace(given, given_request(given).request, stage_memory_of(given), cancel);
  for (const StageId stage : stages) stage_of(*trace, stage);
  if (stages.empty()) {
    for (const Stage& stage : trace->stages) stages.push_back(stage.id);
  }
  if (const std::string refusal = precision_refusal(*trace); !refusal.empty())
    throw UsageError("precision: " + refusal);
  const PrecisionReport report = precision_report(trace, cancel);
  print(given.has("json") ? precision_json(report, stages) : precision_text(report, stages));
}

}  // namespace

Command precision_command() {
  CommandSpec spec;
  spec.name = "precision";
  spec.usage = "REQUEST [--stage STAGE[,STAGE...]] [--json]";
  spec.summary = "Holds float32, float16 and bfloat16 against the same in double: the errors of every stage.";
  spec.groups = {{"Errors",
                  {{"stage", "STAGE[,STAGE...]|all", "Which stages; default: all."},
                   {"json", "", "Print {formats:[{format, stages:[{stage, max_error, mean_error, ...}]}]}."}}},
                 request_group()};
  spec.examples = {"headscope-cli precision --phrase 'a b c' --heads 4 --stage weights,output"};
  return {spec, run};
}

}  // namespace headscope::cli
