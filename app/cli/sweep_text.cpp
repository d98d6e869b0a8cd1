#include "app/cli/sweep_text.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "app/cli/output.h"
#include "core/attention/model_trace.h"
#include "core/io/json_text.h"

namespace headscope::cli {
namespace {

using Json = nlohmann::ordered_json;

template <typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

// The runs of --against and of the request.
struct OwnRuns {
  Json a, b;
};

OwnRuns own_runs(const Sweep& sweep, SweepDirection direction) {
  const Json source = sweep.source ? json_number(*sweep.source) : Json();
  const Json unpatched = json_number(sweep.unpatched);
  return direction == SweepDirection::denoise ? OwnRuns{source, unpatched} : OwnRuns{unpatched, source};
}

std::string csv_number(double value) {
  return std::isnan(value) ? "nan" : fmt::format("{}", value);
}

std::string row_name(const Sweep& sweep, const SweepCell& cell, SweepPatch patch) {
  if (patch == SweepPatch::heads) return fmt::format("layer {}", cell.layer);
  if (patch == SweepPatch::stages) return cell.stage;
  const auto at = static_cast<std::size_t>(*cell.position);
  return fmt::format("{} {}", at, printable(sweep.trace->inputs->tokens[at]));
}

std::string column_name(const SweepCell& cell, SweepPatch patch) {
  return patch == SweepPatch::heads ? fmt::format("head {}", *cell.head) : fmt::format("layer {}", cell.layer);
}

std::string table_of(const Sweep& sweep, SweepPatch patch) {
  const char* corner = patch == SweepPatch::heads ? "" : patch == SweepPatch::positions ? "position" : "stage";
  std::vector<std::vector<std::string>> rows = {{corner}};
  std::map<std::string, std::size_t> row_of, column_of;
  for (const SweepCell& cell : sweep.cells) {
    const std::string row = row_name(sweep, cell, patch), column = column_name(cell, patch);
    if (row_of.try_emplace(row, rows.size()).second) rows.push_back({row});
    if (column_of.try_emplace(column, column_of.size() + 1).second) rows.front().push_back(column);
    rows[row_of[row]].push_back(short_number(cell.value));
  }
  std::vector<Column> columns(rows.front().size(), Column{true});
  columns.front() = {};
  return table_text(columns, rows);
}

std::string cell_name(const Sweep& sweep, const SweepCell& cell, SweepPatch patch) {
  if (patch == SweepPatch::heads) return fmt::format("layer {}, head {}", cell.layer, *cell.head);
  if (patch == SweepPatch::stages) return fmt::format("layer {}, {}", cell.layer, cell.stage);
  return fmt::format("layer {}, position {}", cell.layer, row_name(sweep, cell, patch));
}

// The cell that is farthest from the unpatched run, the first of equal ones.
std::string largest_change(const Sweep& sweep, SweepPatch patch) {
  const SweepCell* largest = nullptr;
  double change = 0;
  for (const SweepCell& cell : sweep.cells) {
    const double here = std::abs(cell.value - sweep.unpatched);
    if (here > change) {
      change = here;
      largest = &cell;
    }
  }
  if (largest == nullptr) return "no patch changes it\n";
  const double by = largest->value - sweep.unpatched;
  return fmt::format("largest change: {}: {} ({}{})\n", cell_name(sweep, *largest, patch), short_number(largest->value),
                     by > 0 ? "+" : "", short_number(by));
}

}  // namespace

std::string sweep_json(const Sweep& sweep, const SweepQuestion& question, SweepDirection direction) {
  const OwnRuns runs = own_runs(sweep, direction);
  Json cells = Json::array();
  for (const SweepCell& cell : sweep.cells) {
    cells.push_back({{"layer", cell.layer},
                     {"head", or_null(cell.head)},
                     {"position", or_null(cell.position)},
                     {"stage", cell.stage},
                     {"value", json_number(cell.value)}});
  }
  const Json json = {{"metric", question.metric}, {"a", runs.a}, {"b", runs.b}, {"cells", std::move(cells)}};
  return json_dump(json, 1) + "\n";
}

std::string sweep_csv(const Sweep& sweep) {
  std::string text = "layer,head,position,stage,value\n";
  const auto number = [](const std::optional<std::int64_t>& value) { return value ? std::to_string(*value) : ""; };
  for (const SweepCell& cell : sweep.cells) {
    text += fmt::format("{},{},{},{},{}\n", cell.layer, number(cell.head), number(cell.position), cell.stage,
                        csv_number(cell.value));
  }
  return text;
}

std::string sweep_text(const Sweep& sweep, const SweepQuestion& question, SweepDirection direction) {
  const bool noise = direction == SweepDirection::noise;
  const std::string own = short_number(sweep.unpatched);
  const std::string other = sweep.source ? short_number(*sweep.source) : "none (the position has no partner there)";
  std::string where;
  if (sweep.metric.kind != SweepMetric::Kind::loss) {
    where = fmt::format(", at position {} '{}'", sweep.position,
                        printable(sweep.trace->inputs->tokens[static_cast<std::size_t>(sweep.position)]));
  }
  return fmt::format(
      "{}{}\nA, the run of --against: {}\nB, the request's own run: {}\n\n{} with numbers of {}:\n{}\n{}",
      sweep_metric_text(*sweep.trace->model->checkpoint, sweep.metric), where, noise ? own : other, noise ? other : own,
      noise ? "A" : "B", noise ? "B" : "A", table_of(sweep, question.patch), largest_change(sweep, question.patch));
}

}  // namespace headscope::cli
