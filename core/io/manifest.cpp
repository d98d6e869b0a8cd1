#include "core/io/manifest.h"

#include <nlohmann/json.hpp>

#include "core/io/json_text.h"
#include "core/io/session_file.h"
#include "core/tensor/statistics.h"
#include "core/version.h"

namespace headscope {

namespace {

using Json = nlohmann::ordered_json;

Json stage_json(const Stage& stage, const std::vector<std::string>& files, const CancelToken& cancel) {
  cancel.check();
  const Statistics statistics = statistics_of(stage.tensor);
  Json shape = Json::array();
  for (const std::int64_t size : stage.tensor.shape()) shape.push_back(size);
  return {{"shape", shape},
          {"dtype", "float32"},
          {"operation", stage.operation},
          {"files", files},
          {"min", json_number(statistics.min)},
          {"max", json_number(statistics.max)},
          {"mean", json_number(statistics.mean)},
          {"std", json_number(statistics.std)},
          {"l2_norm", json_number(statistics.l2_norm)},
          {"nan_count", statistics.nan_count},
          {"inf_count", statistics.inf_count},
          {"seconds", json_number(stage.seconds)}};
}

}  // namespace

std::string manifest_json(const Trace& trace, const std::map<StageId, std::vector<std::string>>& files,
                          const std::string& region, const CancelToken& cancel) {
  Json json;
  json["version"] = kVersion;
  json["request"] = Json::parse(request_json(trace.request));
  json["tokens"] = trace.query_labels();
  json["key_tokens"] = trace.key_labels();
  json["backend"] = trace.backend;
  json["fully_masked_rows"] = trace.fully_masked_rows;
  const LayerWeights& weights = trace.inputs->weights;
  json["weights_sha256"] = weights.empty() ? "" : weights.sha256.empty() ? sha256_of(weights) : weights.sha256;
  json["seconds"] = json_number(trace.seconds);
  if (!region.empty()) json["region"] = region;
  Json stages = Json::object();
  for (const Stage& stage : trace.stages) {
    const auto written = files.find(stage.id);
    stages[std::string(stage_name(stage.id))] =
        stage_json(stage, written == files.end() ? std::vector<std::string>{} : written->second, cancel);
  }
  json["stages"] = std::move(stages);
  return json_dump(json, 2) + "\n";
}

}  // namespace headscope
