#include <fmt/format.h>

#include "app/cli/describe.h"
#include "app/cli/output.h"
#include "core/base/error.h"
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

}  // namespace

void add_capture(const std::string& path, Description& description) {
  description.text += "a capture: attention that was computed elsewhere\n";
  try {
    const Capture capture = read_capture(path);
    description.text += fmt::format("{}, {}, {}\n", counted(capture.batch, "batch item"),
                                    capture.query_len == 1 ? "1 query" : fmt::format("{} queries", capture.query_len),
                                    counted(capture.key_len, "key"));
    Json layers = Json::array();
    for (std::size_t number = 0; number < capture.layers.size(); ++number) {
      const CapturedLayer& layer = capture.layers[number];
      if (!layer.captured()) continue;
      const bool query_key = !layer.query.empty();
      Json json = {{"layer", number},
                   {"heads", layer.num_heads()},
                   {"weights", !layer.weights.empty()},
                   {"query_key", query_key},
                   {"value", !layer.value.empty()}};
      std::string parts = layer.weights.empty() ? "" : "weights";
      if (query_key) parts += parts.empty() ? "query, key" : ", query, key";
      if (!layer.value.empty()) parts += ", value";
      description.text += fmt::format("layer {}: {}, {}", number, counted(layer.num_heads(), "head"), parts);
      if (!layer.weights.empty()) {
        const RowSums sums = row_sums_of(layer.weights);
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
