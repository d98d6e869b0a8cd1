#include "app/cli/sweep_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/output.h"
#include "app/cli/table_numbers.h"
#include "core/attention/model_trace.h"
#include "core/io/json_text.h"
#include "core/sweep/sweep_map.h"

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

// Where a cell stands in the table, by what was asked.
struct Place {
  std::string row, column;
};

std::string position_name(const Sweep& sweep, std::int64_t position) {
  const auto at = static_cast<std::size_t>(position);
  return fmt::format("{} {}", at, printable(sweep.trace->inputs->tokens[at]));
}

// A map as the terminal has it: positions are rows there but for heads, where their words have room.
Place place_of_swept(const Sweep& sweep, const SweepCell& cell) {
  const std::string layer = fmt::format("layer {}", cell.layer);
  if (sweep.into) {
    return {fmt::format("layer {} to {}", cell.from->layer, cell.stage), fmt::format("head {}", cell.from->head)};
  }
  const SweepMapInfo& info = sweep_map_info(sweep.patch);
  if (cell.position && cell.head) return {info.row(cell), position_name(sweep, *cell.position)};
  if (cell.position) return {position_name(sweep, *cell.position), layer};
  return {info.row(cell), fmt::format("{} {}", info.column_word, info.column(cell))};
}

const char* corner_of(const Sweep& sweep) {
  const SweepCell& any = sweep.cells.front();
  return any.head ? "" : any.position ? "position" : "stage";
}

// Neurons are too many for a table: those that change most, the largest first.
std::string list_of(const Sweep& sweep, bool estimates) {
  constexpr std::size_t kShown = 20;
  std::vector<const SweepCell*> order;
  for (const SweepCell& cell : sweep.cells) order.push_back(&cell);
  const auto size_of = [&](const SweepCell* cell) {
    const double size = std::abs(change_of(sweep, *cell, estimates));
    return std::isnan(size) ? std::numeric_limits<double>::infinity() : size;
  };
  const std::size_t count = std::min(kShown, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](const SweepCell* a, const SweepCell* b) {
                      const double size_a = size_of(a), size_b = size_of(b);
                      return size_a != size_b ? size_a > size_b : a < b;
                    });
  std::vector<std::vector<std::string>> rows = {{"layer", "neuron", "value", "change"}};
  for (std::size_t k = 0; k < count; ++k) {
    const SweepCell& cell = *order[k];
    rows.push_back({std::to_string(cell.layer), std::to_string(*cell.neuron),
                    short_number(estimates ? cell.estimate.value() : cell.value),
                    short_number(change_of(sweep, cell, estimates))});
  }
  std::string text = table_text({{true}, {true}, {true}, {true}}, rows);
  if (order.size() > count) text += fmt::format("{} more neurons change it less\n", order.size() - count);
  return text;
}

// The values of the cells, or their estimates.
std::string table_of(const Sweep& sweep, bool estimates) {
  if (sweep.patch == SweepPatch::neurons) return list_of(sweep, estimates);
  std::vector<std::vector<std::string>> rows = {{corner_of(sweep)}};
  std::map<std::string, std::size_t> row_of, column_of;
  const auto value_of = [estimates](const SweepCell& cell) { return estimates ? cell.estimate.value() : cell.value; };
  TableNumbers numbers;
  for (const SweepCell& cell : sweep.cells) numbers.add(value_of(cell));
  for (const SweepCell& cell : sweep.cells) {
    const Place place = place_of_swept(sweep, cell);
    if (row_of.try_emplace(place.row, rows.size()).second) rows.push_back({place.row});
    if (column_of.try_emplace(place.column, column_of.size() + 1).second) rows.front().push_back(place.column);
    rows[row_of[place.row]].push_back(numbers.text(value_of(cell)));
  }
  std::vector<Column> columns(rows.front().size(), Column{true});
  columns.front() = {};
  return table_text(columns, rows) + numbers.legend();
}

std::string cell_name(const Sweep& sweep, const SweepCell& cell) {
  std::vector<std::string> tokens;
  for (const std::string& token : sweep.trace->inputs->tokens) tokens.push_back(printable(token));
  return sweep_cell_name(cell, tokens);
}

// The cell that is farthest from the unpatched run, the first of equal ones.
std::string largest_change(const Sweep& sweep, const SweepQuestion& question) {
  const bool alone = question.estimate == SweepEstimate::alone;
  const SweepCell* largest = nullptr;
  double change = 0;
  for (const SweepCell& cell : sweep.cells) {
    const double here = std::abs((alone ? cell.estimate.value() : cell.value) - sweep.unpatched);
    if (here > change) {
      change = here;
      largest = &cell;
    }
  }
  if (largest == nullptr) return "no patch changes it\n";
  const double value = alone ? largest->estimate.value() : largest->value;
  const double by = value - sweep.unpatched;
  return fmt::format("largest {}change: {}: {} ({}{})\n", alone ? "estimated " : "", cell_name(sweep, *largest),
                     short_number(value), by > 0 ? "+" : "", short_number(by));
}

// "B with numbers of A", "B with zeros in place of a part": what the cells hold.
std::string cells_words(const SweepQuestion& question, bool noise) {
  if (question.ablation == Ablation::zero) return "B with zeros in place of a part";
  if (question.ablation && question.mean_over.empty()) {
    return "B with the mean over its own positions in place of a part";
  }
  if (question.ablation) {
    return fmt::format("B with the mean over {} in place of a part",
                       counted(static_cast<std::int64_t>(question.mean_over.size()), "phrase"));
  }
  return noise ? "A with numbers of B" : "B with numbers of A";
}

std::string correlation_words(const Sweep& sweep) {
  if (sweep.correlation)
    return fmt::format("correlation of estimates and runs (Pearson): {:.4f}\n", *sweep.correlation);
  return "correlation of estimates and runs (Pearson): none, one of both is the same in every cell\n";
}

// The table of the runs, that of the estimates, or both.
std::string tables_of(const Sweep& sweep, const SweepQuestion& question, bool noise) {
  const std::string words = cells_words(question, noise);
  std::string text;
  if (question.estimate != SweepEstimate::alone) {
    text = fmt::format("{}:\n{}\n", words, table_of(sweep, false));
  }
  if (question.estimate != SweepEstimate::none) {
    text += fmt::format("{}, estimated by gradient x difference:\n{}\n", words, table_of(sweep, true));
  }
  text += largest_change(sweep, question);
  if (question.estimate == SweepEstimate::beside) text += correlation_words(sweep);
  return text;
}

}  // namespace

std::string sweep_json(const Sweep& sweep, const SweepQuestion& question, SweepDirection direction) {
  const OwnRuns runs = own_runs(sweep, direction);
  const bool alone = question.estimate == SweepEstimate::alone;
  Json cells = Json::array();
  for (const SweepCell& cell : sweep.cells) {
    Json json = {{"layer", cell.layer},
                 {"head", or_null(cell.head)},
                 {"position", or_null(cell.position)},
                 {"stage", cell.stage},
                 {"value", alone ? Json() : json_number(cell.value)}};
    if (cell.estimate) json["estimate"] = json_number(*cell.estimate);
    if (cell.neuron) json["neuron"] = *cell.neuron;
    if (cell.from) json["from"] = {{"layer", cell.from->layer}, {"head", cell.from->head}};
    cells.push_back(std::move(json));
  }
  Json json = {{"metric", question.metric}, {"a", runs.a}, {"b", runs.b}};
  if (question.ablation) json["ablation"] = kAblationNames[static_cast<std::size_t>(*question.ablation)];
  if (question.estimate != SweepEstimate::none) json["correlation"] = or_null(sweep.correlation);
  json["cells"] = std::move(cells);
  return json_dump(json, 1) + "\n";
}

std::string sweep_text(const Sweep& sweep, const SweepQuestion& question, SweepDirection direction) {
  const bool noise = direction == SweepDirection::noise;
  const std::string own = short_number(sweep.unpatched);
  const std::string other = sweep.source ? short_number(*sweep.source) : "none (the position has no partner there)";
  std::string where;
  if (sweep.metric.has_position()) {
    where = fmt::format(", at position {} '{}'", sweep.position,
                        printable(sweep.trace->inputs->tokens[static_cast<std::size_t>(sweep.position)]));
  }
  const std::string measured = sweep_metric_text(*sweep.trace->model->checkpoint, sweep.metric) + where;
  const std::string runs = question.ablation ? fmt::format("B, the request's own run: {}", own)
                                             : fmt::format("A, the run of --against: {}\nB, the request's own run: {}",
                                                           noise ? own : other, noise ? other : own);
  return fmt::format("{}\n{}\n\n{}", measured, runs, tables_of(sweep, question, noise));
}

}  // namespace headscope::cli
