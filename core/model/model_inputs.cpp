#include "core/model/model_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/model/capture.h"
#include "core/model/checkpoint.h"
#include "core/model/decoder_inputs.h"
#include "core/model/feature_input.h"
#include "core/model/image_input.h"
#include "core/model/input_sizes.h"
#include "core/model/latents.h"
#include "core/model/position_tables.h"
#include "core/model/relative_positions.h"
#include "core/model/row_norm.h"
#include "core/model/stack.h"
#include "core/text/tokenizer.h"

namespace headscope {
namespace {

// A model without token types, or with one, gives every token the same, whatever its tokenizer says (RoBERTa's).
void read_types(const Request& request, const Checkpoint& checkpoint, std::vector<std::int64_t> types, Inputs& inputs) {
  const std::int64_t known = checkpoint.architecture().token_types;
  if (known <= 1) return;
  const auto beyond = std::find_if(types.begin(), types.end(), [known](std::int64_t type) { return type >= known; });
  if (beyond != types.end()) {
    throw Error(fmt::format("{}: its tokenizer gives \"{}\" the type {}, but config.json says {} types", request.model,
                            inputs.tokens[static_cast<std::size_t>(beyond - types.begin())], *beyond, known));
  }
  inputs.token_types = std::move(types);
}

bool is_limited(const Architecture& architecture) {
  return architecture.position != Architecture::Position::none;
}

// A text of which the beginning alone has too many tokens is refused without making them all: they would take forty
// times its memory.
void refuse_long_text(const Request& request, const Architecture& architecture, const Tokenizer& tokenizer) {
  constexpr std::size_t kBeginning = std::size_t{1} << 18;
  constexpr std::int64_t kMarks = 8;  // a tokenizer adds at most so many at the beginning and the end
  if (!is_limited(architecture) || request.phrase.size() <= 2 * kBeginning) return;
  std::size_t end = kBeginning;
  while (end > 0 && (static_cast<unsigned char>(request.phrase[end]) & 0xC0) == 0x80) --end;
  const Tokens tokens = tokenizer.tokenize(std::string_view(request.phrase).substr(0, end));
  if (static_cast<std::int64_t>(tokens.pieces.size()) <= architecture.max_positions + kMarks) return;
  throw UsageError("phrase", fmt::format("these are more than {} tokens, but {} takes at most {}",
                                         architecture.max_positions, request.model, architecture.max_positions));
}

// Of a text. Its ids are the folder's own business: one beyond the vocabulary is the folder's fault.
void read_phrase(const Request& request, const Checkpoint& checkpoint, Inputs& inputs) {
  const std::shared_ptr<const Tokenizer> tokenizer = checkpoint.tokenizer();
  if (tokenizer == nullptr) {
    throw UsageError("phrase", fmt::format("{} has no tokenizer", request.model),
                     fmt::format("--token-ids, ids of its vocabulary of {}", checkpoint.architecture().vocab_size));
  }
  if (request.second_phrase && !tokenizer->knows_pairs()) {
    throw UsageError("second-phrase", fmt::format("the tokenizer of {} joins no pairs", request.model),
                     "a model that reads two texts, such as BERT");
  }
  refuse_long_text(request, checkpoint.architecture(), *tokenizer);
  Tokens tokens = request.second_phrase ? tokenizer->tokenize_pair(request.phrase, *request.second_phrase)
                                        : tokenizer->tokenize(request.phrase);
  inputs.tokens = std::move(tokens.pieces);
  inputs.token_ids = std::move(tokens.ids);
  inputs.offsets = std::move(tokens.offsets);
  inputs.words = std::move(tokens.words);
  if (request.second_phrase) {
    const auto second = std::find(tokens.texts.begin(), tokens.texts.end(), 1);
    if (second == tokens.texts.end()) {
      throw UsageError("second-phrase", fmt::format("{} makes no token of it", request.model), "at least one");
    }
    inputs.second_begin = second - tokens.texts.begin();
    read_types(request, checkpoint, std::move(tokens.types), inputs);
  }
  const std::int64_t vocabulary = checkpoint.architecture().vocab_size;
  for (std::size_t i = 0; i < inputs.token_ids.size(); ++i) {
    if (0 <= inputs.token_ids[i] && inputs.token_ids[i] < vocabulary) continue;
    throw Error(fmt::format("{}: its tokenizer gives \"{}\" the id {}, but config.json says a vocabulary of {}",
                            request.model, inputs.tokens[i], inputs.token_ids[i], vocabulary));
  }
}

void read_ids(const Request& request, const Checkpoint& checkpoint, Inputs& inputs) {
  inputs.token_ids = request.token_ids;
  const std::int64_t vocabulary = checkpoint.architecture().vocab_size;
  for (const std::int64_t id : inputs.token_ids) {
    if (0 <= id && id < vocabulary) continue;
    throw UsageError("token-ids", fmt::format("{} is not in the vocabulary of {}", id, request.model),
                     fmt::format("ids from 0 to {}", vocabulary - 1));
  }
  const std::shared_ptr<const Tokenizer> tokenizer = checkpoint.tokenizer();
  for (const std::int64_t id : inputs.token_ids) {
    inputs.tokens.push_back(tokenizer == nullptr ? std::to_string(id) : tokenizer->piece_of(id));
  }
}

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

void check_text_len(const Request& request, const char* option, const Inputs& inputs) {
  const Architecture& architecture = inputs.checkpoint->architecture();
  const auto len = static_cast<std::int64_t>(inputs.token_ids.size());
  if (len == 0) throw UsageError(option, fmt::format("{} makes no token of it", request.model), "at least one");
  if (is_limited(architecture) && len > architecture.max_positions) {
    throw UsageError(option, fmt::format("these are {} tokens, but {} takes at most {}", len, request.model,
                                         architecture.max_positions));
  }
}

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
  const bool ids = !request.token_ids.empty();
  ids ? read_ids(request, checkpoint, inputs) : read_phrase(request, checkpoint, inputs);
  check_text_len(request, ids ? "token-ids" : "phrase", inputs);
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

}  // namespace

void load_model_inputs(const Request& request, InputCache::State& cache, Inputs& inputs) {
  const std::shared_ptr<const Checkpoint> checkpoint =
      cache.checkpoint(request.model, request.image.empty() ? Tower::text : Tower::image);
  check_source(request, checkpoint->architecture());
  check_decoder_options(request, *checkpoint);
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
  if (inputs.image != nullptr) return repeated(inputs.image->embedded, inputs.batch);
  if (inputs.features != nullptr) return repeated(inputs.features->embedded, inputs.batch);
  return embedded(*inputs.checkpoint, inputs.token_ids, inputs.token_types, inputs.batch);
}

}  // namespace headscope
