#include "app/cli/headvis_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>

#include "app/cli/csv_path.h"
#include "app/cli/output.h"
#include "core/corpus/corpus_report.h"
#include "core/headvis/headvis_read.h"
#include "core/headvis/headvis_table.h"
#include "core/io/atomic_file.h"
#include "core/io/json_text.h"

namespace headscope::cli {

namespace {

using Json = nlohmann::ordered_json;

Json head_json(const HeadVisConfig& config, const HeadVisHead& head) {
  std::vector<std::size_t> counts(static_cast<std::size_t>(config.intervals));
  std::size_t longest = 0;
  double largest = std::nan("");
  for (const HeadVisSequence& sequence : head.sequences) {
    ++counts[static_cast<std::size_t>(sequence.interval) - 1];
    longest = std::max(longest, sequence.tokens.size());
    largest = std::fmax(largest, sequence.max_activation);
  }
  Json json = {{"sequences", head.sequences.size()},
               {"intervals", counts},
               {"longest", longest},
               {"max_activation", json_number(largest)}};
  json["histograms"] = Json::object();
  for (const auto& [key, histogram] : head.plots) {
    json["histograms"][key] = {{"edges", histogram.edges}, {"counts", histogram.values}};
  }
  json["tables"] = Json::object();
  for (const auto& [key, table] : head.tables) {
    Json& rows = json["tables"][key] = Json::array();
    for (const HeadVisToken& row : table) rows.push_back({{"token", row.token}, {"weight", row.weight}});
  }
  json["statistics"] = head.statistics;
  return json;
}

}  // namespace

std::string headvis_json_text(const std::string& folder, const CancelToken& cancel) {
  const HeadVisTree tree = read_headvis_tree(folder);
  const HeadVisConfig& config = tree.config;
  Json json = {{"format", "headvis"},
               {"model", config.model},
               {"layers", config.layers},
               {"heads_per_layer", config.heads_each},
               {"intervals", config.intervals},
               {"metrics", config.metrics},
               {"descriptions", config.descriptions}};
  json["heads"] = Json::array();
  for (std::size_t h = 0; h < config.heads.size(); ++h) {
    cancel.check();
    const auto& [layer, head] = config.heads[h];
    Json row = {{"layer", layer}, {"head", head}, {"metrics", Json::object()}};
    for (std::size_t k = 0; k < config.metrics.size(); ++k) {
      row["metrics"][config.metrics[k]] = json_number(tree.values[h][k]);
    }
    row.update(head_json(config, read_headvis_head(folder, config, layer, head)));
    json["heads"].push_back(std::move(row));
  }
  return json_dump(json) + "\n";
}

std::string headvis_table_text(const std::string& folder, const CancelToken& cancel) {
  const HeadVisTree tree = read_headvis_tree(folder);
  const HeadVisConfig& config = tree.config;
  std::vector<Column> columns(config.metrics.size() + 2, {true});
  std::vector<std::vector<std::string>> rows = {{"layer", "head"}};
  for (const std::string& metric : config.metrics) rows.front().push_back(printable(metric));
  for (std::size_t h = 0; h < config.heads.size(); ++h) {
    cancel.check();
    const auto& [layer, head] = config.heads[h];
    std::vector<std::string> row = {std::to_string(layer), std::to_string(head)};
    for (const double value : tree.values[h]) row.push_back(std::isnan(value) ? "-" : short_number(value));
    rows.push_back(std::move(row));
  }
  return fmt::format("{}: {} of a HeadVis tree, {}\n\n", printable(config.model),
                     counted(static_cast<std::int64_t>(config.heads.size()), "head"),
                     counted(config.intervals, "interval")) +
         table_text(columns, rows);
}

void write_headvis_csv(const std::string& folder, const std::string& out) {
  const HeadTable table = headvis_table(read_headvis_tree(folder));
  std::vector<std::size_t> heads(table.heads.size());
  std::iota(heads.begin(), heads.end(), std::size_t{0});
  make_folder(out);
  write_csv((std::filesystem::path(out) / "heads.csv").string(), [&] { return heads_csv(table, heads); });
}

}  // namespace headscope::cli
