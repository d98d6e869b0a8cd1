#include "core/model/model_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "core/base/error.h"
#include "core/model/capture.h"
#include "core/model/checkpoint.h"
#include "core/model/decoder_inputs.h"
#include "core/model/feature_input.h"
#include "core/model/image_grid.h"
#include "core/model/image_input.h"
#include "core/model/input_sizes.h"
#include "core/model/latents.h"
#include "core/model/position_tables.h"
#include "core/model/relative_positions.h"
#include "core/model/row_norm.h"
#include "core/model/stack.h"
#include "core/model/text_inputs.h"

namespace headscope {
namespace {

void check_sizes(const Request& request, const Inputs& inputs) {
  const std::string of = " of " + request.model;
  check_agreement("heads", request.heads, inputs.num_heads, "the number of heads" + of);
  check_agreement("kv-heads", request.kv_heads, inputs.num_kv_heads, "the number of key heads" + of);
  check_agreement("d-model", request.d_model, inputs.d_model, "the width" + of);
  check_agreement("input-dim", request.input_dim, inputs.input_dim, "the input width" + of);
  const LayerWeights& weights = inputs.weights;
  if (request.qkv_layout == QkvLayout::automatic) return;
  if (weights.fused() && weights.qkv_layout == request.qkv_layout) return;
  throw UsageError("qkv-layout",
                   fmt::format("{} was given, but the projections of {} {}",
                               request.qkv_layout == QkvLayout::blocked ? "blocked" : "per-head", request.model,
                               !weights.fused()                           ? "are separate"
                               : weights.qkv_layout == QkvLayout::blocked ? "lie in blocks"
                                                                          : "lie per head"));
}

// [1, len, features] for every item of a batch.
Tensor repeated(const Tensor& one, std::int64_t batch) {
  if (batch == 1) return one;
  Tensor x = Tensor::zeros({batch, one.dim(1), one.dim(2)}, {Axis::batch, Axis::position, Axis::feature});
  for (std::int64_t b = 0; b < batch; ++b) std::copy_n(one.data(), one.size(), x.mutable_data() + b * one.size());
  return x;
}

}  // namespace

void use_layer(std::int64_t layer, Inputs& inputs) {
  const Architecture& architecture = inputs.checkpoint->architecture();
  const BlockWeights block = inputs.checkpoint->block(layer);
  inputs.layer = layer;
  inputs.weights = block.attention;
  inputs.own_mask.clear();
  if (architecture.causal) inputs.own_mask.push_back({MaskTerm::Kind::causal, 0, ""});
  if (architecture.has_window(layer)) {
    inputs.own_mask.push_back(
        {MaskTerm::Kind::window, std::max<std::int64_t>(*architecture.sliding_window - 1, 0), ""});
  }
  if (architecture.relative) {
    inputs.own_mask.push_back({MaskTerm::Kind::file, 0, inputs.checkpoint->embedding().relative_name});
  }
  if (architecture.alibi) inputs.own_mask.push_back({MaskTerm::Kind::alibi, architecture.alibi_size, ""});
  inputs.score_scale = architecture.score_scale_of(layer);
  inputs.softcap = architecture.score_softcap;
  inputs.output_norm = nullptr;
  if (block.attention_norm_out.empty()) return;
  RowNorm norm = result_norm_of(architecture, block.attention_norm_out);
  norm.weight_name = block.attention_norm_out_name;
  inputs.output_norm = std::make_shared<const RowNorm>(std::move(norm));
}

namespace {

void use_shown_layer(const Request& request, std::shared_ptr<const Checkpoint> checkpoint, Inputs& inputs) {
  inputs.checkpoint = std::move(checkpoint);
  const Architecture& architecture = inputs.checkpoint->architecture();
  inputs.layer = request.layer.value_or(architecture.num_layers - 1);
  if (inputs.layer < 0 || inputs.layer >= architecture.num_layers) {
    throw UsageError(
        "layer",
        fmt::format("{} was given, but {} has {}", inputs.layer, request.model,
                    architecture.num_layers == 1 ? "one layer" : fmt::format("{} layers", architecture.num_layers)),
        fmt::format("0 to {}", architecture.num_layers - 1));
  }
  use_layer(inputs.layer, inputs);
  inputs.batch = request.batch.value_or(1);
  inputs.num_heads = architecture.num_heads;
  inputs.num_kv_heads = architecture.num_kv_heads;
  inputs.head_dim = architecture.head_dim;
  inputs.value_head_dim = architecture.value_features();
  inputs.input_dim = inputs.d_model = architecture.d_model;
  check_sizes(request, inputs);
}

void use_relative_bias(const Request& request, Inputs& inputs) {
  const Architecture& architecture = inputs.checkpoint->architecture();
  if (!architecture.relative) return;
  if (request.past != 0) {
    throw UsageError(
        "past", fmt::format("{} has biases of relative positions, which count from the first token", request.model),
        "0");
  }
  check_memory({inputs.num_heads + 2, inputs.query_len, inputs.key_len}, "the biases of relative positions");
  inputs.mask_files.push_back(
      relative_bias(*architecture.relative, inputs.checkpoint->embedding(), inputs.query_len, inputs.key_len));
}

void use_relative_positions(const Request& request, Inputs& inputs) {
  const Architecture& architecture = inputs.checkpoint->architecture();
  if (!architecture.disentangled) return;
  if (request.past != 0) {
    throw UsageError("past", fmt::format("{} has relative positions, which count from the first token", request.model),
                     "0");
  }
  check_memory({inputs.batch * (3 * inputs.num_heads + 1), inputs.query_len, inputs.key_len},
               "the scores of relative positions");
  inputs.relative_positions = relative_positions_of(architecture, inputs.checkpoint->embedding(), inputs.query_len);
}

void load_image(const Request& request, std::shared_ptr<const Checkpoint> opened, InputCache::State& cache,
                Inputs& inputs) {
  use_shown_layer(request, std::move(opened), inputs);
  inputs.image = cache.image(request.image, inputs.checkpoint);
  inputs.tokens = inputs.key_tokens = inputs.image->names;
  inputs.words = words_of_patches(inputs.image->leading, inputs.image->grid);
  inputs.query_len = inputs.key_len = std::ssize(inputs.tokens);
  check_memory({inputs.batch, inputs.query_len, inputs.d_model}, "the embeddings");
  inputs.x = embedded_of(inputs);
}

void load_features(const Request& request, std::shared_ptr<const Checkpoint> opened, InputCache::State& cache,
                   Inputs& inputs) {
  use_shown_layer(request, std::move(opened), inputs);
  inputs.features = cache.features(request.features, inputs.checkpoint);
  inputs.tokens = inputs.key_tokens = inputs.features->names;
  inputs.query_len = inputs.key_len = std::ssize(inputs.tokens);
  check_memory({inputs.batch, inputs.query_len, inputs.d_model}, "the embeddings");
  inputs.x = embedded_of(inputs);
}

void load_text_inputs(const Request& request, std::shared_ptr<const Checkpoint> opened, Inputs& inputs) {
  use_shown_layer(request, std::move(opened), inputs);
  const Checkpoint& checkpoint = *inputs.checkpoint;
  const Architecture& architecture = checkpoint.architecture();
  read_text(request, checkpoint, inputs);
  check_text_len(request, request.token_ids.empty() ? "phrase" : "token-ids", inputs);
  inputs.query_len = inputs.key_len = static_cast<std::int64_t>(inputs.token_ids.size());
  inputs.key_tokens = inputs.tokens;
  inputs.key_offsets = inputs.offsets;
  use_relative_bias(request, inputs);
  use_relative_positions(request, inputs);
  check_memory({inputs.batch, inputs.query_len, inputs.d_model}, "the embeddings");
  if (architecture.latents) {
    const Latents shapes = latent_shapes(architecture, inputs.batch, inputs.query_len);
    inputs.x = shapes.query;
    inputs.key_x = shapes.key;
    inputs.value_x = shapes.value;
    inputs.input_dim = inputs.x.dim(2);
  } else {
    inputs.x = embedded_of(inputs);
  }
}

// What a model, or its encoder, reads.
void load_source(const Request& request, const std::shared_ptr<const Checkpoint>& checkpoint, InputCache::State& cache,
                 Inputs& inputs) {
  if (checkpoint->architecture().image) return load_image(request, checkpoint, cache, inputs);
  if (checkpoint->architecture().features) return load_features(request, checkpoint, cache, inputs);
  load_text_inputs(request, checkpoint, inputs);
}

// The layer that gathers what a model gives: its one query is learned, its keys are the model's own tokens.
void load_pool(const Request& request, const std::shared_ptr<const Checkpoint>& checkpoint, InputCache::State& cache,
               Inputs& inputs) {
  const auto tower = std::make_shared<Inputs>();
  load_source(request_of_encoder(request), checkpoint, cache, *tower);
  use_shown_layer(request, checkpoint->part(Architecture::Part::pool), inputs);
  inputs.tokens = {"[PROBE]"};
  inputs.query_len = 1;
  inputs.image = tower->image;
  attend_to(*tower, inputs);
  inputs.x = embedded_of(inputs);
  inputs.encoder = tower;
}

}  // namespace

void load_model_inputs(const Request& request, InputCache::State& cache, Inputs& inputs) {
  const std::shared_ptr<const Checkpoint> checkpoint =
      cache.checkpoint(request.model, request.image.empty() ? Tower::text : Tower::image);
  check_source(request, checkpoint->architecture());
  check_decoder_options(request, *checkpoint);
  if (shows_pool(request)) return load_pool(request, checkpoint, cache, inputs);
  if (!shows_decoder(request)) return load_source(request, checkpoint, cache, inputs);
  const auto encoder = std::make_shared<Inputs>();
  load_source(request_of_encoder(request), checkpoint, cache, *encoder);
  const bool cross = attention_list(request) == AttentionList::cross;
  use_shown_layer(request, checkpoint->part(cross ? Architecture::Part::cross : Architecture::Part::decoder), inputs);
  read_decoder_text(request, inputs);
  check_text_len(request, request.decoder_phrase ? "decoder-phrase" : "decoder-ids", inputs);
  inputs.query_len = inputs.key_len = static_cast<std::int64_t>(inputs.token_ids.size());
  inputs.key_tokens = inputs.tokens;
  inputs.key_offsets = inputs.offsets;
  if (cross) attend_to(*encoder, inputs);
  use_relative_bias(request, inputs);
  check_memory({inputs.batch, inputs.query_len, inputs.d_model}, "the embeddings");
  inputs.x = embedded_of(inputs);
  inputs.encoder = encoder;
}

Tensor embedded_of(const Inputs& inputs) {
  if (inputs.checkpoint->architecture().part == Architecture::Part::pool) {
    const Tensor probe = inputs.checkpoint->embedding().probe;
    const Axes axes{Axis::batch, Axis::position, Axis::feature};
    return repeated(Tensor::of({1, 1, probe.size()}, axes, probe.values()), inputs.batch);
  }
  if (inputs.image != nullptr) return repeated(inputs.image->embedded, inputs.batch);
  if (inputs.features != nullptr) return repeated(inputs.features->embedded, inputs.batch);
  return embedded(*inputs.checkpoint, inputs.token_ids, inputs.token_types, inputs.batch);
}

}  // namespace headscope
