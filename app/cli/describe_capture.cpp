#include <fmt/format.h>

#include <string>
#include <utility>

#include "app/cli/describe.h"
#include "app/cli/output.h"
#include "core/base/error.h"
#include "core/io/json_text.h"
#include "core/model/capture.h"

namespace headscope::cli {

namespace {

using Json = nlohmann::ordered_json;

Json sums_json(const RowSums& sums) {
  return {{"rows", sums.rows},
          {"off", sums.off},
          {"nan_rows", sums.nan_rows},
          {"largest_error", json_number(sums.largest_error)}};
}

std::string lengths_text(const CapturedLayer& layer) {
  return fmt::format("{}, {}", layer.query_len() == 1 ? "1 query" : fmt::format("{} queries", layer.query_len()),
                     counted(layer.key_len(), "key"));
}

Json grid_json(const std::optional<ImageGrid>& grid) {
  return grid ? Json{grid->rows, grid->columns} : Json(nullptr);
}

std::string parts_text(const CapturedLayer& layer) {
  std::string text;
  for (const auto& [held, name] : {std::pair{!layer.weights.empty(), "weights"},
                                   {!layer.scores.empty(), "scores"},
                                   {!layer.query.empty(), "query, key"},
                                   {!layer.value.empty(), "value"},
                                   {!layer.mask.values.empty(), "mask"}}) {
    if (held) text += (text.empty() ? "" : ", ") + std::string(name);
  }
  if (layer.causal) text += *layer.causal ? ", causal" : ", not causal";
  if (layer.scale) text += fmt::format(", scale {}", short_number(*layer.scale));
  if (layer.grid) text += fmt::format(", {} x {} patches", layer.grid->rows, layer.grid->columns);
  if (layer.key_grid) text += fmt::format(", keys {} x {} patches", layer.key_grid->rows, layer.key_grid->columns);
  return text;
}

Json layer_json(std::size_t number, const CapturedLayer& layer) {
  Json json = {{"layer", number},
               {"heads", layer.num_heads()},
               {"query_len", layer.query_len()},
               {"key_len", layer.key_len()},
               {"weights", !layer.weights.empty()},
               {"scores", !layer.scores.empty()},
               {"query_key", !layer.query.empty()},
               {"value", !layer.value.empty()},
               {"mask", !layer.mask.values.empty()},
               {"causal", layer.causal ? Json(*layer.causal) : Json(nullptr)},
               {"scale", layer.scale ? json_number(*layer.scale) : Json(nullptr)},
               {"grid", grid_json(layer.grid)},
               {"key_grid", grid_json(layer.key_grid)}};
  if (layer.names) {
    json["tokens"] = layer.names->queries;
    json["key_tokens"] = layer.names->keys;
  }
  return json;
}

}  // namespace

void add_capture(const std::string& path, const CancelToken& cancel, Description& description) {
  description.text += "a capture: attention that was computed elsewhere\n";
  try {
    const Capture capture = read_capture(path);
    description.text +=
        fmt::format("{}, {}\n", counted(capture.batch, "batch item"), lengths_text(capture.layers.back()));
    Json layers = Json::array();
    for (std::size_t number = 0; number < capture.layers.size(); ++number) {
      const CapturedLayer& layer = capture.layers[number];
      if (!layer.captured()) continue;
      const bool other = layer.query_len() != capture.query_len || layer.key_len() != capture.key_len;
      Json json = layer_json(number, layer);
      description.text += fmt::format("layer {}: {}, {}{}", number, counted(layer.num_heads(), "head"),
                                      other ? lengths_text(layer) + ", " : "", parts_text(layer));
      if (!layer.weights.empty()) {
        const RowSums sums = row_sums_of(layer.weights, cancel);
        json["row_sums"] = sums_json(sums);
        description.text += "; " + row_sums_text(sums);
      }
      description.text += "\n";
      layers.push_back(json);
    }
    const std::vector<std::int64_t> missing = missing_layers(capture);
    if (!missing.empty()) description.text += missing_layers_text(missing) + "\n";
    description.json["capture"] = {{"batch", capture.batch},           {"query_len", capture.query_len},
                                   {"key_len", capture.key_len},       {"tokens", capture.tokens},
                                   {"key_tokens", capture.key_tokens}, {"layers", layers},
                                   {"missing_layers", missing}};
  } catch (const Error& error) {
    description.json["capture"] = {{"unusable", error.what()}};
    description.text += "not usable: " + printable(error.what()) + "\n";
  }
}

}  // namespace headscope::cli
