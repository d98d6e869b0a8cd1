#include "core/model/checkpoint.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

#include "core/base/assert.h"
#include "core/base/error.h"
#include "core/io/json_text.h"
#include "core/model/demo_checkpoints.h"
#include "core/model/model_config.h"
#include "core/model/weight_files.h"
#include "core/model/weight_lookup.h"
#include "core/model/weight_plan.h"
#include "core/text/tokenizer.h"

namespace headscope {

namespace fs = std::filesystem;

struct Checkpoint::Contents {
  Contents(std::string given_path, std::string given_folder, ModelConfig given_config, WeightFiles given_files)
      : path(std::move(given_path)),
        folder(std::move(given_folder)),
        config(std::move(given_config)),
        files(std::move(given_files)),
        lookup(files, planned_body(config.architecture, *config.family).word) {
    const PlannedTensor decoder = planned_head(config.architecture, *config.family).decoder.weight;
    if (config.tied_by_file && lookup.find(decoder) != nullptr) config.architecture.tied_embeddings = false;
    account = checked_weights(files, lookup, config.architecture, *config.family, path);
  }
  Contents(const Contents&) = delete;
  Contents& operator=(const Contents&) = delete;

  const std::string path, folder;
  ModelConfig config;
  const WeightFiles files;
  const WeightLookup lookup;
  WeightAccount account;

  std::mutex mutex;  // of what is read once
  std::optional<std::shared_ptr<const Tokenizer>> tokenizer;
  std::optional<EmbeddingWeights> embedding;
  std::map<std::int64_t, BlockWeights> blocks;
  std::optional<OutputHead> output_head;

  Tensor vector(const PlannedTensor& planned) const;
  Tensor matrix(const PlannedTensor& planned) const;
  NormWeights norm(const PlannedModule& planned) const;
  Linear linear(const PlannedModule& planned) const;
  BlockWeights read_block(std::int64_t layer) const;
  OutputHead read_output_head() const;
};

Tensor Checkpoint::Contents::vector(const PlannedTensor& planned) const {
  const WeightFiles::Place* place = lookup.find(planned);
  return place == nullptr ? Tensor() : place->file->tensor(*place->entry);
}

Tensor Checkpoint::Contents::matrix(const PlannedTensor& planned) const {
  const WeightFiles::Place* place = lookup.find(planned);
  if (place == nullptr) return {};
  const Tensor as_stored = place->file->weight(*place->entry);
  return planned.kind == PlannedTensor::Kind::matrix_in_out ? as_stored.permuted({1, 0}) : as_stored;
}

NormWeights Checkpoint::Contents::norm(const PlannedModule& planned) const {
  return {vector(planned.weight), vector(planned.bias)};
}

Linear Checkpoint::Contents::linear(const PlannedModule& planned) const {
  const auto name_of = [this](const PlannedTensor& tensor) {
    const WeightFiles::Place* place = lookup.find(tensor);
    return place == nullptr ? std::string() : place->entry->name;
  };
  return {matrix(planned.weight), vector(planned.bias), name_of(planned.weight), name_of(planned.bias)};
}

BlockWeights Checkpoint::Contents::read_block(std::int64_t layer) const {
  const Architecture& architecture = config.architecture;
  const PlannedBlock planned = planned_block(architecture, *config.family, layer);
  BlockWeights block;
  block.attention_norm = norm(planned.attention_norm);
  block.mlp_norm = norm(planned.mlp_norm);
  LayerWeights& attention = block.attention;
  attention.qkv = linear(planned.qkv);
  if (attention.fused()) {
    attention.qkv_layout = QkvLayout::blocked;
    attention.fused_key_rows = architecture.num_kv_heads * architecture.head_dim;
  }
  attention.query = linear(planned.query);
  attention.key = linear(planned.key);
  attention.value = linear(planned.value);
  attention.output = linear(planned.output);
  attention.num_heads = architecture.num_heads;
  attention.source = fmt::format("{}, layer {}", path, layer);
  block.query_norm = vector(planned.query_norm.weight);
  block.key_norm = vector(planned.key_norm.weight);
  block.gate = linear(planned.gate);
  block.up = linear(planned.up);
  block.down = linear(planned.down);
  return block;
}

OutputHead Checkpoint::Contents::read_output_head() const {
  OutputHead head;
  head.final_norm = norm(planned_body(config.architecture, *config.family).final_norm);
  head.kind = account.head;
  if (head.kind == OutputHead::Kind::none) return head;
  PlannedHead planned = planned_head(config.architecture, *config.family);
  head.transform = linear(planned.transform);
  head.transform_norm = norm(planned.transform_norm);
  if (config.architecture.tied_embeddings) {
    planned.decoder.weight = planned_body(config.architecture, *config.family).word;
  }
  head.decoder = linear(planned.decoder);
  return head;
}

Checkpoint::Checkpoint(std::unique_ptr<Contents> contents) : contents_(std::move(contents)) {}
Checkpoint::~Checkpoint() = default;

std::shared_ptr<const Checkpoint> Checkpoint::open(const std::string& path_or_demo) {
  const std::string folder = path_or_demo.starts_with("demo:") ? demo_folder(path_or_demo.substr(5)) : path_or_demo;
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (!fs::is_directory(status)) {
    throw Error(fmt::format("{}: {}; expected a checkpoint folder with config.json and model.safetensors", folder,
                            fs::exists(status) ? "is no folder" : "is not there"));
  }
  const fs::path config = fs::path(folder) / "config.json";
  if (!fs::exists(config, error)) {
    throw Error(fmt::format("{}: found no config.json in it; expected a checkpoint folder", folder));
  }
  ModelConfig read =
      model_config_of(parse_strict_json(read_json_text(config.string()), config.string()), config.string());
  auto contents = std::make_unique<Contents>(path_or_demo, folder, std::move(read), WeightFiles::open(folder));
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
    contents_->embedding =
        EmbeddingWeights{contents_->matrix(planned.word), contents_->matrix(planned.position),
                         contents_->matrix(planned.token_type), contents_->norm(planned.embedding_norm)};
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
  if (!contents_->tokenizer) contents_->tokenizer = load_tokenizer(contents_->folder);
  return *contents_->tokenizer;
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
