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
#include "core/base/message_text.h"
#include "core/io/gguf.h"
#include "core/io/json_text.h"
#include "core/io/tensor_formats.h"
#include "core/model/config_reader.h"
#include "core/model/demo_checkpoints.h"
#include "core/model/gguf_model.h"
#include "core/model/latents.h"
#include "core/model/linear_names.h"
#include "core/model/model_config.h"
#include "core/model/model_map.h"
#include "core/model/picked_rows.h"
#include "core/model/planned_weights.h"
#include "core/model/weight_files.h"
#include "core/model/weight_lookup.h"
#include "core/model/weight_plan.h"
#include "core/text/tokenizer.h"

namespace headscope {

namespace fs = std::filesystem;

namespace {

// What a path means: configuration and tensors, and where the tokenizer is.
struct Opened {
  std::string path, tokenizer_path;
  ModelConfig config;
  WeightFiles files;
  std::shared_ptr<const Family> family;  // config.family, where it is no row of the table of families
  bool paired_rows = false;              // of queries and keys: Linear::paired_head
};

}  // namespace

struct Checkpoint::Contents {
  explicit Contents(Opened opened)
      : path(std::move(opened.path)),
        tokenizer_path(std::move(opened.tokenizer_path)),
        own_family(std::move(opened.family)),
        paired_rows(opened.paired_rows),
        config(std::move(opened.config)),
        files(std::move(opened.files)),
        lookup(files, planned_body(config.architecture, *config.family).word) {
    const PlannedTensor decoder = planned_head(config.architecture, *config.family).decoder.weight;
    if (config.tied_by_file && lookup.find(decoder) != nullptr) config.architecture.tied_embeddings = false;
    account = checked_weights(files, lookup, config.architecture, *config.family, path);
  }

  const std::string path, tokenizer_path;
  const std::shared_ptr<const Family> own_family;
  const bool paired_rows;
  ModelConfig config;
  const WeightFiles files;
  const WeightLookup lookup;
  WeightAccount account;

  std::mutex mutex;  // of what is read once
  std::optional<std::shared_ptr<const Tokenizer>> tokenizer;
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

Opened open_gguf(const std::string& path, const std::string& file_path) {
  const std::shared_ptr<const GgufFile> file = GgufFile::open(file_path);
  GgufModel model = gguf_model_of(*file);
  return {path,
          file_path,
          std::move(model.config),
          WeightFiles::of(tensors_of(file)),
          std::move(model.family),
          model.paired_rows};
}

// A tensor that a GGUF model's row does not know may change its numbers.
void refuse_unexpected(std::vector<std::string>& unexpected, const std::string& file, const std::string& family) {
  std::erase(unexpected, "rope_freqs.weight");  // gguf_model_of() has read it
  if (unexpected.empty()) return;
  std::vector<std::string> shown;
  for (const std::string& name : unexpected) shown.push_back(shortened(name));
  throw Error(fmt::format("{}: has tensors that a {} model does not have here: {}", file, family, first_ten(shown)));
}

Opened open_folder(const std::string& path, const std::string& folder) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (!fs::is_directory(status)) {
    if (const std::string unread = unread_format(folder); fs::exists(status) && !unread.empty()) {
      throw Error(folder + ": " + unread);
    }
    throw Error(fmt::format(
        "{}: {}; expected a checkpoint folder with config.json and model.safetensors or pytorch_model.bin, or a "
        "GGUF model (.gguf)",
        folder, fs::exists(status) ? "is no folder" : "is not there"));
  }
  const fs::path config = fs::path(folder) / "config.json";
  if (!fs::exists(config, error)) {
    throw Error(fmt::format("{}: found no config.json in it; expected a checkpoint folder", folder));
  }
  const fs::path map = fs::path(folder) / kMapName;
  const bool mapped = fs::exists(fs::symlink_status(map, error));
  const JsonValue json = parse_strict_json(read_json_text(config.string()), config.string());
  std::optional<ModelConfig> read;
  if (!mapped) read = model_config_of(json, config.string());
  WeightFiles files = WeightFiles::open(folder);
  if (mapped) read = read_model_map(map.string(), files);
  return {path, folder, std::move(*read), std::move(files), nullptr, false};
}

}  // namespace

std::shared_ptr<const Checkpoint> Checkpoint::open(const std::string& path_or_demo) {
  const std::string place = path_or_demo.starts_with("demo:") ? demo_folder(path_or_demo.substr(5)) : path_or_demo;
  const std::string gguf = gguf_path_of(place);
  auto contents =
      std::make_unique<Contents>(gguf.empty() ? open_folder(path_or_demo, place) : open_gguf(path_or_demo, gguf));
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
    contents_->embedding = EmbeddingWeights{
        read_matrix(contents_->lookup, planned.word), read_matrix(contents_->lookup, planned.position),
        read_matrix(contents_->lookup, planned.token_type), read_norm(contents_->lookup, planned.embedding_norm),
        read_linear(contents_->lookup, planned.embedding_projection)};
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
