#include "core/attention/capture_trace.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <utility>
#include <vector>

#include "core/attention/capture_axes.h"
#include "core/attention/captured_layer.h"
#include "core/attention/model_trace.h"
#include "core/attention/stage_sizes.h"
#include "core/base/assert.h"
#include "core/base/error.h"
#include "core/model/image_grid.h"
#include "core/model/input_sources.h"
#include "core/model/token_names.h"
#include "core/request/memory.h"
#include "core/request/request_text.h"

namespace headscope {
namespace {

constexpr std::int64_t kBlock = std::int64_t{1} << 18;  // numbers read at once

// Calls `see(rows, region)` with blocks of whole rows of a 4-D stage, until it returns false.
template <typename See>
void for_row_blocks(const Tensor& stage, const CancelToken& cancel, const See& see) {
  const std::int64_t block = std::clamp<std::int64_t>(kBlock / stage.dim(3), 1, stage.dim(2));
  for (std::int64_t b = 0; b < stage.dim(0); ++b) {
    for (std::int64_t h = 0; h < stage.dim(1); ++h) {
      for (std::int64_t first = 0; first < stage.dim(2); first += block) {
        cancel.check();
        const Range rows{first, std::min(first + block, stage.dim(2))};
        if (!see(rows, Region{{b, b + 1}, {h, h + 1}, rows, {0, stage.dim(3)}})) return;
      }
    }
  }
}

std::vector<float> read(const Tensor& stage, const Region& region) {
  std::vector<float> values(static_cast<std::size_t>(element_count(region)));
  stage.read(region, values);
  return values;
}

// Whether every query gives exactly 0 to all keys behind it. One query says nothing.
bool looks_causal(const Tensor& weights, const CancelToken& cancel) {
  const std::int64_t keys = weights.dim(3);
  bool causal = weights.dim(2) == keys && keys > 1;
  if (!causal) return false;
  for_row_blocks(weights, cancel, [&](const Range& rows, const Region& region) {
    const std::vector<float> values = read(weights, region);
    for (std::int64_t i = rows.begin; causal && i < rows.end; ++i) {
      const float* row = values.data() + (i - rows.begin) * keys;
      causal = std::all_of(row + i + 1, row + keys, [](float weight) { return weight == 0.0F; });
    }
    return causal;
  });
  return causal;
}

double largest_difference(const Tensor& a, const Tensor& b, const CancelToken& cancel) {
  double largest = 0;
  for_row_blocks(a, cancel, [&](const Range&, const Region& region) {
    const std::vector<float> left = read(a, region);
    const std::vector<float> right = read(b, region);
    for (std::size_t at = 0; at < left.size(); ++at) {
      if (std::isnan(left[at]) && std::isnan(right[at])) continue;
      const double difference = std::abs(static_cast<double>(left[at]) - static_cast<double>(right[at]));
      largest = std::isnan(difference) ? std::numeric_limits<double>::infinity() : std::max(largest, difference);
    }
    return true;
  });
  return largest;
}

// Sizes, which every layer has.
Inputs inputs_of(const Capture& capture, const CapturedLayer& layer, std::int64_t number) {
  Inputs inputs;
  inputs.batch = capture.batch;
  inputs.query_len = layer.query_len();
  inputs.key_len = layer.key_len();
  inputs.num_heads = layer.num_heads();
  inputs.num_kv_heads = !layer.key.empty()     ? layer.key.dim(1)
                        : !layer.value.empty() ? layer.value.dim(1)
                                               : inputs.num_heads;
  inputs.head_dim = layer.query.empty() ? (layer.value.empty() ? 0 : layer.value.dim(3)) : layer.query.dim(3);
  inputs.value_head_dim = layer.value.empty() ? inputs.head_dim : layer.value.dim(3);
  inputs.d_model = inputs.num_heads * inputs.value_head_dim;
  inputs.layer = number;
  inputs.score_scale = layer.scale;
  return inputs;
}

// The mask that the layer was computed with.
void add_mask(Inputs& inputs, const CapturedLayer& layer, bool causal) {
  if (causal) inputs.own_mask.push_back({MaskTerm::Kind::causal, 0, ""});
  if (layer.mask.values.empty()) return;
  inputs.own_mask.push_back({MaskTerm::Kind::file, 0, layer.mask.where});
  inputs.mask_files.push_back({layer.mask.where, layer.mask.values, layer.mask.is_whole, true});
}

bool same_lengths(const CapturedLayer& a, const CapturedLayer& b) {
  return a.query_len() == b.query_len() && a.key_len() == b.key_len();
}

// Sizes may be repeated, not contradicted.
void check_sizes(const Request& request, const Inputs& inputs, const std::string& path) {
  check_agreement("batch", request.batch, inputs.batch, "the batch of " + path);
  check_agreement("heads", request.heads, inputs.num_heads, "the number of heads in " + path);
  check_agreement("kv-heads", request.kv_heads, inputs.num_kv_heads, "the number of key heads in " + path);
  if (inputs.d_model == 0 && request.d_model) {
    throw UsageError("d-model", path + " holds neither queries nor values, and so no width", "no such option");
  }
  check_agreement("d-model", request.d_model, inputs.d_model, "heads * head_dim in " + path);
}

// Weights without scores, queries and keys cannot answer to what changes scores.
void check_weights_stay(const Request& request, const Capture& capture, std::int64_t number) {
  const Request plain;
  for (const RequestOption& option : request_options()) {
    if (changes_weights(option.name) && option.get(request) != option.get(plain)) {
      throw UsageError(
          option.name,
          fmt::format("{} holds weights of layer {} without queries and keys, which stay as they were captured",
                      capture.path, number),
          "no such option");
    }
  }
}

// Value norms are those of the values that were captured, and heads are merged of the context that values make.
void check_has_values(const Request& request, const Capture& capture, std::int64_t number) {
  if (!capture.layers[static_cast<std::size_t>(number)].value.empty()) return;
  const auto refuse = [&](const char* option, const char* found, const char* missed, const char* instead) {
    throw UsageError(
        option, fmt::format("found {}, and {} holds no values of layer {}, {}", found, capture.path, number, missed),
        fmt::format("{}, or a capture that holds layers.N.value", instead));
  };
  if (request.weighting == Weighting::value_norm) {
    refuse("weighting", "value-norm", "whose lengths weights could be multiplied by", "weights");
  }
  if (request.merge == Merge::direct) {
    refuse("merge", "direct", "of which heads that could be merged are made", "transpose");
  }
}

std::int64_t shown_layer(const Request& request, const Capture& capture) {
  const std::int64_t layers = static_cast<std::int64_t>(capture.layers.size());
  const std::int64_t number = request.layer.value_or(layers - 1);
  if (0 <= number && number < layers && capture.layers[static_cast<std::size_t>(number)].captured()) return number;
  std::vector<std::int64_t> there;
  for (std::int64_t each = 0; each < layers; ++each) {
    if (capture.layers[static_cast<std::size_t>(each)].captured()) there.push_back(each);
  }
  const bool all = static_cast<std::int64_t>(there.size()) == layers;
  throw UsageError("layer",
                   fmt::format("{} holds no layer {}{}", capture.path, number,
                               capture.reading.empty() ? "" : ": " + capture.reading),
                   all ? fmt::format("0 to {}", layers - 1) : fmt::format("{}", fmt::join(there, ", ")));
}

// Bytes of the stages of all captured layers together.
double bytes_of_all(const Request& request, const Capture& capture) {
  double bytes = 0;
  for (const CapturedLayer& layer : capture.layers) {
    if (!layer.query.empty()) {
      Inputs inputs = inputs_of(capture, layer, 0);
      inputs.query = layer.query;
      bytes += stage_bytes(request, stage_sizes_of(inputs));
    } else if (!layer.scores.empty()) {
      bytes += 8.0 * static_cast<double>(layer.scores.size());  // masked_scores and weights
    } else if (!layer.value.empty()) {
      bytes += 8.0 * static_cast<double>(layer.weights.size() / layer.weights.dim(3) * layer.value.dim(3));
    }
  }
  return bytes;
}

// The trace from what the layer holds: query and key, else scores, else weights.
std::shared_ptr<Trace> held_trace(const CaptureRun& run, const CapturedLayer& layer, Inputs inputs) {
  if (!layer.query.empty()) return computed_layer(run, layer, std::move(inputs));
  if (!layer.scores.empty()) return scored_layer(run, layer, std::move(inputs));
  return captured_layer(run, layer, std::move(inputs));
}

// The layer's trace, before it is the model's.
std::shared_ptr<Trace> layer_trace(const CaptureRun& run, const CapturedLayer& layer, Inputs inputs, bool causal) {
  add_mask(inputs, layer, causal);
  const std::shared_ptr<Trace> made = held_trace(run, layer, std::move(inputs));
  const std::int64_t number = made->inputs->layer;
  made->request = run.request;
  made->request.layer = number;
  std::erase_if(made->request.ablate, [&](const AblatedHead& head) { return head.on && head.place.layer != number; });
  made->seeded_weights = false;
  return made;
}

// How the file was read where it could have been read otherwise, and weights that are none.
void add_readings(const Capture& capture, const CapturedLayer& layer, const CaptureReport& report, Trace& trace,
                  const CancelToken& cancel) {
  if (!capture.reading.empty()) trace.readings.push_back(capture.reading);
  if (!report.row_sums || report.row_sums->off == 0) return;
  if (const std::string other = other_softmax_axis(layer.weights, cancel); !other.empty()) {
    trace.readings.push_back(fmt::format("{} is read as weights, whose last axis adds up to 1; {}: {}", capture.path,
                                         row_sums_text(*report.row_sums), other));
    return;
  }
  trace.readings.push_back(fmt::format(
      "{} is read as weights, and {}: entropies and patterns are of rows that are no shares; scores would be "
      "named layers.{}.scores, in an .npz or .safetensors",
      capture.path, row_sums_text(*report.row_sums), report.layer));
}

// What is said of the shown layer; of the others `missing` and `other_lengths`.
std::shared_ptr<CaptureReport> report_of(const Capture& capture, const CapturedLayer& layer, const Trace& made,
                                         bool causal, const CancelToken& cancel) {
  const auto report = std::make_shared<CaptureReport>();
  report->missing = missing_layers(capture);
  for (std::size_t number = 0; number < capture.layers.size(); ++number) {
    const CapturedLayer& other = capture.layers[number];
    if (other.captured() && !same_lengths(other, layer)) {
      report->other_lengths.push_back(static_cast<std::int64_t>(number));
    }
  }
  report->layer = made.inputs->layer;
  report->named_tokens = layer.names ? layer.names->named_tokens : capture.named_tokens;
  report->weights = !layer.weights.empty();
  report->scores = !layer.scores.empty();
  report->query_key = !layer.query.empty();
  report->value = !layer.value.empty();
  report->causal = causal;
  report->says_causal = layer.causal.has_value();
  report->mask = !layer.mask.values.empty();
  report->mask_left_out = (causal || report->mask) && made.inputs->own_mask.empty();
  report->scale = layer.scale;
  report->grid = layer.grid;
  report->key_grid = layer.key_grid;
  if (report->weights) report->row_sums = row_sums_of(layer.weights, cancel);
  if (made.find(StageId::captured_weights) != nullptr) {
    report->weights_difference = largest_difference(layer.weights, made.tensor(StageId::weights), cancel);
  }
  return report;
}

}  // namespace

std::shared_ptr<const Trace> capture_trace(const Request& request, const std::shared_ptr<const Capture>& capture,
                                           const std::shared_ptr<const Backend>& backend, const CancelToken& cancel,
                                           const ForwardOptions& options) {
  const std::int64_t shown = shown_layer(request, *capture);
  const CapturedLayer& shown_one = capture->layers[static_cast<std::size_t>(shown)];
  const TokenNames names = token_names_of(*capture, shown_one, request);
  const auto model = std::make_shared<ModelTrace>();
  model->name = std::filesystem::path(capture->path).filename().string();
  model->layer = shown;
  model->captured = true;
  model->layers.resize(capture->layers.size());
  const bool all = bytes_of_all(request, *capture) <= static_cast<double>(options.stage_memory);
  const CaptureRun run{
      .request = request, .capture = *capture, .backend = backend, .cancel = cancel, .options = options};
  std::shared_ptr<Trace> trace;
  for (std::size_t index = 0; index < capture->layers.size(); ++index) {
    const CapturedLayer& layer = capture->layers[index];
    const bool is_shown = static_cast<std::int64_t>(index) == shown;
    if (!layer.captured() || (!is_shown && (!all || !same_lengths(layer, shown_one)))) continue;
    Inputs inputs = inputs_of(*capture, layer, static_cast<std::int64_t>(index));
    inputs.tokens = names.queries;
    inputs.key_tokens = names.keys;
    // What stands before the patches of an image is its class token and registers.
    const std::int64_t leading = layer.grid ? inputs.query_len - layer.grid->patches() : -1;
    if (leading >= 0 && inputs.query_len == inputs.key_len) inputs.words = words_of_patches(leading, *layer.grid);
    check_sizes(request, inputs, capture->path);
    const bool computed = !layer.query.empty() || !layer.scores.empty();
    if (is_shown && !computed) check_weights_stay(request, *capture, shown);
    if (is_shown) check_has_values(request, *capture, shown);
    // Where the file does not say it, the weights do.
    const bool guessed =
        !layer.causal && layer.mask.values.empty() && !layer.weights.empty() && looks_causal(layer.weights, cancel);
    const bool causal = layer.causal.value_or(guessed);
    const std::shared_ptr<Trace> made = layer_trace(run, layer, std::move(inputs), causal);
    if (is_shown) {
      model->capture = report_of(*capture, layer, *made, causal, cancel);
      trace = std::make_shared<Trace>(*made);
      trace->request = request;
      add_readings(*capture, layer, *model->capture, *trace, cancel);
    }
    model->layers[index] = made;
  }
  HEADSCOPE_ASSERT(trace != nullptr, std::to_string(shown));
  trace->model = model;
  return trace;
}

}  // namespace headscope
