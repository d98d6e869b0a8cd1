#include "core/headvis/headvis_write.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>

#include "core/io/atomic_file.h"
#include "core/io/json_text.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

using Json = nlohmann::ordered_json;

// Four decimals, as the frontend's files have; null for what is no number. Large numbers have none that count.
Json rounded(double value) {
  constexpr double kLarge = 1e11;
  if (!std::isfinite(value)) return nullptr;
  if (std::fabs(value) >= kLarge) return value;
  return std::round(value * 1e4) / 1e4;
}

Json labels_json(const std::vector<HeadVisLabel>& labels) {
  Json list = Json::array();
  for (const HeadVisLabel& label : labels) list.push_back({{"key", label.key}, {"label", label.label}});
  return list;
}

Json statistics_json(const std::vector<HeadVisLabel>& labels) {
  Json all = Json::object();
  for (const HeadVisLabel& label : labels) all[label.key] = {{"label", label.label}, {"format", "default"}};
  return all;
}

// A whole number where the id is one.
Json id_json(const std::string& id) {
  const bool digits = std::all_of(id.begin(), id.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!digits || id.empty() || id.size() > 18) return id;
  return std::stoll(id);
}

Json sequence_json(const HeadVisSequence& sequence) {
  Json values = Json::array();
  for (const double value : sequence.values) values.push_back(rounded(value));
  return {{"sequence_id", id_json(sequence.id)},
          {"interval", sequence.interval},
          {"tokens", sequence.tokens},
          {"attention_indices", sequence.indices},
          {"attention_values", std::move(values)},
          {"seq_len", sequence.tokens.size()},
          {"max_activation", rounded(sequence.max_activation)}};
}

Json histogram_json(const HeadVisHistogram& histogram) {
  if (histogram.edges.empty()) return Json::object();
  return {{"bin_edges", histogram.edges}, {"bin_values", histogram.values}};
}

}  // namespace

std::string headvis_config_text(const HeadVisConfig& config) {
  Json heads = Json::array();
  for (const auto& [layer, head] : config.heads) heads.push_back({layer, head});
  Json json = {{"model_name", config.model},
               {"heads", std::move(heads)},
               {"n_layers", config.layers},
               {"n_heads", config.heads_each},
               {"n_intervals", config.intervals},
               {"metrics", config.metrics},
               {"metric_descriptions", config.descriptions},
               {"head_data_pattern", config.pattern},
               {"has_umap", false},
               {"umap_heads", Json::array()},
               {"custom_plots", labels_json(config.plots)},
               {"custom_tables", labels_json(config.tables)},
               {"statistics_display", statistics_json(config.statistics)}};
  if (!config.facts.empty()) json["headscope"] = config.facts;
  return json_dump(json, 1) + "\n";
}

std::string headvis_scatter_text(const HeadVisTree& tree) {
  Json rows = Json::array();
  for (std::size_t h = 0; h < tree.config.heads.size(); ++h) {
    Json row = {{"layer", tree.config.heads[h].first}, {"head", tree.config.heads[h].second}};
    for (std::size_t k = 0; k < tree.config.metrics.size(); ++k) {
      const double value = tree.values[h][k];
      row[tree.config.metrics[k]] = std::isfinite(value) ? Json(value) : Json(nullptr);
    }
    rows.push_back(std::move(row));
  }
  return json_dump(rows) + "\n";
}

std::string headvis_head_text(const HeadVisHead& head) {
  Json json = {{"sequences", Json::array()}};
  for (const HeadVisSequence& sequence : head.sequences) json["sequences"].push_back(sequence_json(sequence));
  for (const auto& [key, histogram] : head.plots) json[key] = histogram_json(histogram);
  for (const auto& [key, table] : head.tables) {
    Json rows = Json::array();
    for (const HeadVisToken& row : table) rows.push_back({{"token", row.token}, {"weight", rounded(row.weight)}});
    json[key] = std::move(rows);
  }
  json["statistics"] = Json::object();
  for (const auto& [key, value] : head.statistics) {
    if (std::isfinite(value)) json["statistics"][key] = value;
  }
  return json_dump(json) + "\n";
}

std::size_t write_headvis_tree(const std::string& folder, const HeadVisTree& tree,
                               const std::function<HeadVisHead(std::size_t)>& head) {
  const fs::path at(folder);
  make_folder((at / "heads").string());
  make_folder((at / "attributions").string());
  FilesTogether files;
  std::size_t count = 0;
  const auto add = [&](const fs::path& path, const std::string& text) {
    files.add(path.string(), [&](std::ostream& out) { out << text; });
    ++count;
  };
  for (std::size_t h = 0; h < tree.config.heads.size(); ++h) {
    const auto& [layer, index] = tree.config.heads[h];
    add(at / "heads" / headvis_file_name(tree.config.pattern, layer, index), headvis_head_text(head(h)));
  }
  add(at / "attributions" / "manifest.json", "{}\n");
  add(at / "server_config.json", "{}\n");
  add(at / "scatter_data.json", headvis_scatter_text(tree));
  add(at / "config.json", headvis_config_text(tree.config));
  files.commit();
  return count;
}

}  // namespace headscope
