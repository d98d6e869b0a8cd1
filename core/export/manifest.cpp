#include "core/export/manifest.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/attention/capture_trace.h"
#include "core/attention/model_trace.h"
#include "core/attention/stage_statistics.h"
#include "core/attention/trace_notices.h"
#include "core/base/version.h"
#include "core/cost/cost_json.h"
#include "core/explain/logit_lens.h"
#include "core/export/kept_arrays.h"
#include "core/export/session_file.h"
#include "core/heads/model_metrics.h"
#include "core/heads/shown_weights.h"
#include "core/io/json_text.h"
#include "core/model/checkpoint.h"
#include "core/model/feature_input.h"
#include "core/model/image_input.h"
#include "core/tensor/statistics.h"

namespace headscope {

namespace {

using Json = nlohmann::ordered_json;

Json stage_json(const Shape& sizes, const std::string& operation, const std::vector<std::string>& files,
                const std::optional<Statistics>& statistics) {
  Json shape = Json::array();
  for (const std::int64_t size : sizes) shape.push_back(size);
  Json json = {{"shape", shape}, {"dtype", "float32"}, {"operation", operation}, {"files", files}};
  for (const char* name : {"min", "max", "mean", "std", "l2_norm", "nan_count", "inf_count"}) json[name] = nullptr;
  if (statistics) {
    json["min"] = json_number(statistics->min);
    json["max"] = json_number(statistics->max);
    json["mean"] = json_number(statistics->mean);
    json["std"] = json_number(statistics->std);
    json["l2_norm"] = json_number(statistics->l2_norm);
    json["nan_count"] = statistics->nan_count;
    json["inf_count"] = statistics->inf_count;
  }
  return json;
}

// What is shown instead of the computed weights.
void add_shown(Json& stage, const TokenGroups& groups, const Request& request) {
  const Json all = Json::parse(request_json(request));
  Json shown = Json::object();
  for (const SaidOption& option : said_showing(request)) {
    std::string key = option.name;
    std::replace(key.begin(), key.end(), '-', '_');
    shown[key] = all.at(key);
  }
  stage["shown"] = std::move(shown);
  stage["tokens"] = groups.row_labels;
  stage["key_tokens"] = groups.column_labels;
}

Json model_json(const ModelTrace& model) {
  Json json = {{"name", model.name}};
  if (model.checkpoint != nullptr) json["architecture"] = model.checkpoint->architecture().family;
  json["layer"] = model.layer;
  json["num_layers"] = model.layers.size();
  return json;
}

Json loss_json(const std::optional<double>& loss) {
  return loss ? Json(json_number(*loss)) : Json(nullptr);
}

Json first_json(const PredictionChange& change, const std::vector<std::string>& terms) {
  Json alone = Json::object();
  for (std::size_t k = 0; k < terms.size(); ++k) alone[terms[k]] = json_number(change.first_alone[k]);
  return {{"id", change.first.id},
          {"piece", change.first.piece},
          {"probability_without", json_number(change.first.probability)},
          {"probability", json_number(change.first_now)},
          {"alone", std::move(alone)}};
}

Json predictions_json(const PredictionReport& report, const std::vector<std::string>& tokens) {
  Json json = {{"kind", report.next_token ? "next-token" : "masked"}, {"positions", Json::array()}};
  for (std::size_t p = 0; p < report.positions.size(); ++p) {
    const Prediction& each = report.positions[p];
    const PredictionChange* change = report.changes ? &report.changes->positions[p] : nullptr;
    Json top = Json::array();
    for (std::size_t k = 0; k < each.top.size(); ++k) {
      const TokenProbability& token = each.top[k];
      top.push_back({{"id", token.id},
                     {"piece", token.piece},
                     {"logit", json_number(token.logit)},
                     {"probability", json_number(token.probability)}});
      if (change != nullptr) top.back()["probability_without"] = json_number(change->top_without[k]);
    }
    json["positions"].push_back({{"position", each.position},
                                 {"token", tokens[static_cast<std::size_t>(each.position)]},
                                 {"top", std::move(top)}});
    if (change != nullptr) json["positions"].back()["first"] = first_json(*change, report.changes->terms);
  }
  json["token_loss"] = Json::array();
  for (const std::optional<double>& loss : report.token_loss) json["token_loss"].push_back(loss_json(loss));
  json["mean_loss"] = loss_json(report.mean_loss);
  if (report.changes) json["mean_loss_without"] = loss_json(report.changes->mean_loss_without);
  return json;
}

Json lens_json(const LogitLens& lens, const std::vector<std::string>& tokens) {
  Json json = {{"kind", lens.next_token ? "next-token" : "masked"},
               {"of", kLensOfNames[static_cast<std::size_t>(lens.of)]},
               {"layers", Json::array()}};
  for (const LensRow& row : lens.rows) {
    Json positions = Json::array();
    for (const Prediction& each : row.positions) {
      const TokenProbability& token = each.top.front();
      positions.push_back({{"position", each.position},
                           {"at", tokens[static_cast<std::size_t>(each.position)]},
                           {"token", token.piece},
                           {"id", token.id},
                           {"logit", json_number(token.logit)},
                           {"probability", json_number(token.probability)}});
    }
    Json object = {{"layer", row.layer < 0 ? Json(nullptr) : Json(row.layer)}};
    if (row.head) {
      object["head"] = *row.head;
    } else {
      object["after"] = lens_kind(lens.of).row_name(row);
    }
    object["positions"] = std::move(positions);
    json["layers"].push_back(std::move(object));
  }
  return json;
}

Json grid_json(const std::optional<ImageGrid>& grid) {
  return grid ? Json{grid->rows, grid->columns} : Json(nullptr);
}

// The sound whose frames the tokens are.
Json features_json(const FeatureInput& features) {
  return {{"file", features.path}, {"bands", features.bands}, {"frames", features.frames}};
}

// The image whose patches the tokens are.
Json image_json(const ImageInput& image) {
  return {{"file", image.path},
          {"grid", grid_json(image.grid)},
          {"first_patch", image.leading},
          {"height", image.picture.height},
          {"width", image.picture.width}};
}

// What was captured, and how it fits together.
Json capture_json(const ModelTrace& model) {
  const CaptureReport& report = *model.capture;
  Json json = {{"file", model.name},
               {"layer", report.layer},
               {"weights", report.weights},
               {"scores", report.scores},
               {"query_key", report.query_key},
               {"value", report.value},
               {"causal", report.causal},
               {"mask", report.mask},
               {"mask_left_out", report.mask_left_out},
               {"scale", nullptr},
               {"grid", grid_json(report.grid)},
               {"key_grid", grid_json(report.key_grid)},
               {"row_sums", nullptr},
               {"weights_difference", nullptr},
               {"missing_layers", report.missing},
               {"other_lengths", report.other_lengths}};
  if (report.scale) json["scale"] = json_number(*report.scale);
  if (report.row_sums) {
    json["row_sums"] = {{"rows", report.row_sums->rows},
                        {"off", report.row_sums->off},
                        {"nan_rows", report.row_sums->nan_rows},
                        {"largest_error", json_number(report.row_sums->largest_error)}};
  }
  if (report.weights_difference) json["weights_difference"] = json_number(*report.weights_difference);
  return json;
}

Json metrics_list(const Trace& trace, const CancelToken& cancel) {
  Json list = Json::array();
  for (const HeadMetricsRow& row : metrics_of_all_heads(trace, cancel)) {
    Json json = {{"batch", row.batch}, {"layer", row.layer}, {"head", row.head}};
    for (const HeadMetric metric : all_head_metrics()) {
      json[std::string(metric_key(metric))] = json_number(row.metrics[metric].value);
    }
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace

std::string manifest_json(const Trace& computed, const ManifestContents& contents, const CancelToken& cancel,
                          const std::function<void(double)>& progress) {
  const TraceToExport of = trace_to_export(computed);
  const Trace& trace = of.trace;
  Json json;
  json["version"] = kVersion;
  json["request"] = Json::parse(request_json(kept_request(trace)));
  if (trace.model != nullptr) json["model"] = model_json(*trace.model);
  json["tokens"] = trace.query_labels();
  json["key_tokens"] = trace.key_labels();
  if (trace.inputs->image != nullptr) json["image"] = image_json(*trace.inputs->image);
  if (trace.inputs->features != nullptr) json["features"] = features_json(*trace.inputs->features);
  json["backend"] = trace.backend;
  json["fully_masked_rows"] = trace.fully_masked_rows;
  json["notices"] = contents.notices;
  for (const TraceNotice& notice : trace_notices(computed)) json["notices"].push_back(notice.sentence);
  const LayerWeights& weights = trace.inputs->weights;
  json["weights_sha256"] = weights.empty() ? "" : sha256_of(weights);
  json["seconds"] = json_number(trace.seconds);
  if (trace.model != nullptr && trace.model->capture != nullptr) json["capture"] = capture_json(*trace.model);
  if (!contents.region.empty()) json["region"] = contents.region;
  if (contents.csv_safe) json["csv"] = "safe";
  if (contents.predictions != nullptr) {
    json["predictions"] = predictions_json(*contents.predictions, trace.query_labels());
  }
  if (contents.lens != nullptr) json["lens"] = lens_json(*contents.lens, trace.query_labels());
  if (contents.cost != nullptr) json["cost"] = cost_json(*contents.cost);
  Json stages = Json::object();
  const std::vector<std::optional<Statistics>> statistics =
      stage_statistics(trace, {contents.known, contents.region.empty()}, progress, cancel);
  for (std::size_t index = 0; index < trace.stages.size(); ++index) {
    const Stage& stage = trace.stages[index];
    const auto written = contents.files.find(stage.id);
    Json& json_of_stage = stages[std::string(stage_name(stage.id))] =
        stage_json(stage.tensor.shape(), stage.operation,
                   written == contents.files.end() ? std::vector<std::string>{} : written->second, statistics[index]);
    json_of_stage["seconds"] = json_number(stage.seconds);
    if (of.groups != nullptr && is_shown_stage(stage.id)) add_shown(json_of_stage, *of.groups, trace.request);
  }
  for (const ManifestModelStage& stage : contents.model_stages) {
    stages[stage.name] = stage_json(stage.shape, stage.operation, stage.files, stage.statistics);
    stages[stage.name]["seconds"] = json_number(0);  // computed when read
  }
  json["stages"] = std::move(stages);
  if (contents.metrics) json["metrics"] = metrics_list(AsShown(computed, HiddenColumns::zero).trace(), cancel);
  return json_dump(json, 2) + "\n";
}

}  // namespace headscope
