#include "core/model/checkpoint.h"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "core/base/assert.h"
#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/io/gguf.h"
#include "core/model/config_reader.h"
#include "core/model/demo_checkpoints.h"
#include "core/model/image_processor.h"
#include "core/model/latents.h"
#include "core/model/linear_names.h"
#include "core/model/opened_model.h"
#include "core/model/picked_rows.h"
#include "core/model/planned_weights.h"
#include "core/model/weight_lookup.h"
#include "core/model/weight_plan.h"
#include "core/text/tokenizer.h"

namespace headscope {

namespace {

const Axes kTable{Axis::position, Axis::feature};

}  // namespace

struct Checkpoint::Contents {
  explicit Contents(OpenedModel opened)
      : path(std::move(opened.path)),
        tokenizer_path(std::move(opened.tokenizer_path)),
        own_family(std::move(opened.family)),
        paired_rows(opened.paired_rows),
        config(std::move(opened.config)),
        files(std::move(opened.files)),
        lookup(files, planned_body(config.architecture, *config.family).first()) {
    const PlannedTensor decoder = planned_head(config.architecture, *config.family).decoder.weight;
    if (config.tied_by_file && lookup.find(decoder) != nullptr) config.architecture.tied_embeddings = false;
    account = checked_weights(files, lookup, config.architecture, *config.family, path);
  }

  const std::string path, tokenizer_path;
  const std::shared_ptr<const Family> own_family;
  const bool paired_rows;
  Tower tower = Tower::text;
  ModelConfig config;
  const WeightFiles files;
  const WeightLookup lookup;
  WeightAccount account;

  std::mutex mutex;  // of what is read once
  std::optional<std::shared_ptr<const Tokenizer>> tokenizer;
  std::optional<std::shared_ptr<const ImageProcessor>> image_processor;
  std::optional<EmbeddingWeights> embedding;
  std::map<std::int64_t, BlockWeights> blocks;
  std::optional<OutputHead> output_head;

  Linear query_or_key(const PlannedModule& planned) const;
  void read_projections(const PlannedBlock& planned, LayerWeights& attention) const;
  BlockWeights read_block(std::int64_t layer) const;
  OutputHead read_output_head() const;
};

Linear Checkpoint::Contents::query_or_key(const PlannedModule& planned) const {
  Linear read = read_linear(lookup, planned);
  if (!paired_rows || read.empty()) return read;
  read.paired_head = config.architecture.head_dim;
  read.weight = rows_as_used(read, read.weight);
  if (!read.bias.empty()) read.bias = rows_as_used(read, read.bias).dense_copy();
  return read;
}

// Of queries, keys and values.
void Checkpoint::Contents::read_projections(const PlannedBlock& planned, LayerWeights& attention) const {
  using Rows = Architecture::FusedRows;
  const Architecture& architecture = config.architecture;
  attention.query = query_or_key(planned.query);
  attention.key = query_or_key(planned.key);
  attention.value = read_linear(lookup, planned.value);
  if (architecture.latents) {
    const Linear stored = read_linear(lookup, planned.key_value_of_latent);
    attention.key = latent_key_projection(architecture, stored);
    attention.value = latent_value_projection(architecture, stored);
  }
  const Linear fused = read_linear(lookup, planned.qkv);
  if (fused.empty()) return;
  if (architecture.fused_rows == Rows::grouped) {
    UngroupedRows rows = ungrouped_rows(fused, architecture.num_kv_heads, architecture.head_dim);
    attention.query = std::move(rows.query);
    attention.key = std::move(rows.key);
    attention.value = std::move(rows.value);
    return;
  }
  attention.qkv = fused;
  const bool per_head = architecture.fused_rows == Rows::per_head;
  attention.qkv_layout = per_head ? QkvLayout::per_head : QkvLayout::blocked;
  if (!per_head) attention.fused_key_rows = architecture.num_kv_heads * architecture.head_dim;
}

BlockWeights Checkpoint::Contents::read_block(std::int64_t layer) const {
  const Architecture& architecture = config.architecture;
  const PlannedBlock planned = planned_block(architecture, *config.family, layer);
  BlockWeights block;
  block.attention_norm = read_norm(lookup, planned.attention_norm);
  block.mlp_norm = read_norm(lookup, planned.mlp_norm);
  block.attention_norm_out = read_norm(lookup, planned.attention_norm_out);
  if (const WeightFiles::Place* place = lookup.find(planned.attention_norm_out.weight)) {
    block.attention_norm_out_name = place->entry->name;
  }
  block.mlp_norm_out = read_norm(lookup, planned.mlp_norm_out);
  LayerWeights& attention = block.attention;
  read_projections(planned, attention);
  block.latents = read_latents(lookup, planned);
  attention.output = read_linear(lookup, planned.output);
  if (!planned.sinks.empty()) {
    attention.sinks = read_vector(lookup, planned.sinks);
    attention.sinks_name = lookup.find(planned.sinks)->entry->name;
  }
  attention.num_heads = architecture.num_heads;
  attention.source = fmt::format("{}, layer {}", path, layer);
  block.query_norm = read_flat(lookup, planned.query_norm.weight);
  block.key_norm = read_flat(lookup, planned.key_norm.weight);
  block.gate = read_linear(lookup, planned.gate);
  block.up = read_linear(lookup, planned.up);
  if (const Linear both = read_linear(lookup, planned.gate_up); !both.empty()) {
    const std::int64_t width = architecture.mlp_width;
    block.gate = rows_of(both, 0, width);
    block.up = rows_of(both, width, 2 * width);
  }
  block.down = read_linear(lookup, planned.down);
  block.experts = read_experts(lookup, planned);
  return block;
}

OutputHead Checkpoint::Contents::read_output_head() const {
  OutputHead head;
  head.final_norm = read_norm(lookup, planned_body(config.architecture, *config.family).final_norm);
  head.kind = account.head;
  if (head.kind == OutputHead::Kind::none) return head;
  PlannedHead planned = planned_head(config.architecture, *config.family);
  head.transform = read_linear(lookup, planned.transform);
  head.transform_norm = read_norm(lookup, planned.transform_norm);
  if (config.architecture.tied_embeddings) {
    planned.decoder.weight = planned_body(config.architecture, *config.family).word;
  }
  head.decoder = read_linear(lookup, planned.decoder);
  return head;
}

Checkpoint::Checkpoint(std::unique_ptr<Contents> contents) : contents_(std::move(contents)) {}
Checkpoint::~Checkpoint() = default;

namespace {

// A tensor that a GGUF model's row does not know may change its numbers.
void refuse_unexpected(std::vector<std::string>& unexpected, const std::string& file, const std::string& family) {
  std::erase(unexpected, "rope_freqs.weight");  // gguf_model_of() has read it
  if (unexpected.empty()) return;
  std::vector<std::string> shown;
  for (const std::string& name : unexpected) shown.push_back(shortened(name));
  throw Error(fmt::format("{}: has tensors that a {} model does not have here: {}", file, family, first_ten(shown)));
}

}  // namespace

std::shared_ptr<const Checkpoint> Checkpoint::open(const std::string& path_or_demo, Tower tower) {
  const std::string place = path_or_demo.starts_with("demo:") ? demo_folder(path_or_demo.substr(5)) : path_or_demo;
  const std::string gguf = gguf_path_of(place);
  auto contents = std::make_unique<Contents>(gguf.empty() ? open_model_folder(path_or_demo, place, tower)
                                                          : open_gguf_model(path_or_demo, gguf));
  contents->tower = tower;
  if (!gguf.empty()) refuse_unexpected(contents->account.unexpected, gguf, contents->config.architecture.family);
  return std::shared_ptr<const Checkpoint>(new Checkpoint(std::move(contents)));
}

const std::string& Checkpoint::path() const {
  return contents_->path;
}

const Architecture& Checkpoint::architecture() const {
  return contents_->config.architecture;
}

EmbeddingWeights Checkpoint::embedding() const {
  const std::lock_guard lock(contents_->mutex);
  if (!contents_->embedding) {
    const PlannedBody planned = planned_body(architecture(), *contents_->config.family);
    contents_->embedding = EmbeddingWeights{read_matrix(contents_->lookup, planned.word),
                                            read_matrix(contents_->lookup, planned.position),
                                            read_matrix(contents_->lookup, planned.token_type),
                                            read_norm(contents_->lookup, planned.embedding_norm),
                                            read_linear(contents_->lookup, planned.embedding_projection),
                                            read_patches(contents_->lookup, planned)};
    Tensor& position = contents_->embedding->position;  // [1, positions, width] where images are read
    if (position.rank() == 3) position = position.reshaped({position.dim(1), position.dim(2)}, kTable);
  }
  return *contents_->embedding;
}

BlockWeights Checkpoint::block(std::int64_t layer) const {
  HEADSCOPE_ASSERT(layer >= 0 && layer < architecture().num_layers,
                   fmt::format("layer {} of {}", layer, architecture().num_layers));
  const std::lock_guard lock(contents_->mutex);
  const auto found = contents_->blocks.find(layer);
  if (found != contents_->blocks.end()) return found->second;
  return contents_->blocks.emplace(layer, contents_->read_block(layer)).first->second;
}

OutputHead Checkpoint::output_head() const {
  const std::lock_guard lock(contents_->mutex);
  if (!contents_->output_head) contents_->output_head = contents_->read_output_head();
  return *contents_->output_head;
}

std::shared_ptr<const Tokenizer> Checkpoint::tokenizer() const {
  const std::lock_guard lock(contents_->mutex);
  if (!contents_->tokenizer) contents_->tokenizer = load_tokenizer(contents_->tokenizer_path);
  return *contents_->tokenizer;
}

std::shared_ptr<const ImageProcessor> Checkpoint::image_processor() const {
  const std::lock_guard lock(contents_->mutex);
  if (!contents_->image_processor) {
    contents_->image_processor = read_image_processor(contents_->tokenizer_path, architecture());
  }
  return *contents_->image_processor;
}

Tower Checkpoint::tower() const {
  return contents_->tower;
}

const char* Checkpoint::why_no_head() const {
  if (architecture().image) return "reads images and has no vocabulary";
  return contents_->config.family->makes_vectors ? "makes vectors of texts and predicts no tokens"
                                                 : "was saved without its output head";
}

const std::vector<std::int64_t>& Checkpoint::end_tokens() const {
  return contents_->config.end_tokens;
}

const std::vector<std::string>& Checkpoint::unexpected() const {
  return contents_->account.unexpected;
}

std::int64_t Checkpoint::bytes() const {
  return contents_->account.bytes;
}

std::int64_t Checkpoint::parameters() const {
  return contents_->account.parameters;
}

const std::vector<std::string>& Checkpoint::dtypes() const {
  return contents_->account.dtypes;
}

const std::vector<std::string>& Checkpoint::files() const {
  return contents_->files.names();
}

bool Checkpoint::holds(const std::string& tensor) const {
  return contents_->files.find(tensor) != nullptr;
}

}  // namespace headscope
