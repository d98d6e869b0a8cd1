#include "app/cli/gradients_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "app/cli/output.h"
#include "app/cli/table_numbers.h"
#include "core/attention/model_trace.h"
#include "core/io/json_text.h"

namespace headscope::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kNamedCells = 5;

std::string named(const std::vector<std::string>& names, std::int64_t at) {
  return fmt::format("{} {}", at, printable(names[static_cast<std::size_t>(at)]));
}

std::string sums_of(const WeightGradients& found) {
  const std::int64_t heads = found.trace->num_heads();
  std::vector<std::vector<std::string>> rows = {{""}};
  for (std::int64_t head = 0; head < heads; ++head) rows.front().push_back(fmt::format("head {}", head));
  rows.front().emplace_back("layer");
  TableNumbers numbers;
  for (const HeadWeightGradients& each : found.heads) numbers.add(each.sum);
  for (const LayerWeightGradients& each : found.layers) numbers.add(each.sum);
  for (const HeadWeightGradients& each : found.heads) {
    if (each.head == 0) rows.push_back({fmt::format("layer {}", each.layer)});
    rows.back().push_back(numbers.text(each.sum));
    if (each.head + 1 == heads) {
      rows.back().push_back(numbers.text(found.layers[static_cast<std::size_t>(each.layer)].sum));
    }
  }
  std::vector<Column> columns(rows.front().size(), Column{true});
  columns.front() = {};
  return table_text(columns, rows) + numbers.legend();
}

}  // namespace

std::string gradients_json(const WeightGradients& found, const WeightQuestion& question) {
  Json json = {{"metric", question.metric}, {"position", found.position}, {"value", json_number(found.value)},
               {"steps", question.steps},   {"layers", Json::array()},    {"heads", Json::array()}};
  for (std::size_t layer = 0; layer < found.layers.size(); ++layer) {
    const LayerWeightGradients& of = found.layers[layer];
    json["layers"].push_back({{"layer", layer},
                              {"sum", json_number(of.sum)},
                              {"difference", of.difference ? json_number(*of.difference) : Json()},
                              {"gap", of.difference ? json_number(*of.difference - of.sum) : Json()}});
  }
  for (const HeadWeightGradients& each : found.heads) {
    json["heads"].push_back({{"layer", each.layer},
                             {"head", each.head},
                             {"sum", json_number(each.sum)},
                             {"absolute", json_number(each.absolute)},
                             {"largest", json_number(each.largest)},
                             {"query", each.query},
                             {"key", each.key}});
  }
  return json.dump(2) + "\n";
}

std::string gradients_text(const WeightGradients& found, const WeightQuestion& question) {
  std::string text =
      fmt::format("{} at position {}: {}\n", sweep_metric_text(*found.trace->model->checkpoint, found.metric),
                  named(found.trace->inputs->tokens, found.position), short_number(found.value));
  text += question.steps > 0
              ? fmt::format("Integrated gradients by the weights, {} steps, summed over each head:\n", question.steps)
              : std::string("Gradient x weight, summed over each head:\n");
  text += sums_of(found);
  for (std::size_t layer = 0; layer < found.layers.size(); ++layer) {
    const LayerWeightGradients& of = found.layers[layer];
    if (!of.difference) continue;
    text += fmt::format("layer {}: without its attention the metric is {} less; the sum misses {} of it\n", layer,
                        short_number(*of.difference), short_number(*of.difference - of.sum));
  }
  std::vector<HeadWeightGradients> cells = found.heads;
  std::stable_sort(cells.begin(), cells.end(), [](const HeadWeightGradients& a, const HeadWeightGradients& b) {
    return std::abs(a.largest) > std::abs(b.largest);
  });
  cells.resize(std::min(cells.size(), kNamedCells));
  text += "The heads whose one cell does most:\n";
  const std::vector<std::string> queries = found.trace->query_labels(), keys = found.trace->key_labels();
  for (const HeadWeightGradients& each : cells) {
    text += fmt::format("  {} layer {}, head {}: query {} -> key {}\n", short_number(each.largest), each.layer,
                        each.head, named(queries, each.query), named(keys, each.key));
  }
  return text;
}

std::vector<NamedTensorRef> gradient_tensors(const WeightGradients& found) {
  std::vector<NamedTensorRef> tensors;
  for (std::size_t layer = 0; layer < found.layers.size(); ++layer) {
    const std::string name = fmt::format("layers.{}.", layer);
    tensors.push_back({name + "weights", &found.trace->model->layers[layer]->tensor(StageId::weights)});
    tensors.push_back({name + "gradient", &found.layers[layer].gradient});
    tensors.push_back({name + "product", &found.layers[layer].product});
  }
  return tensors;
}

}  // namespace headscope::cli
