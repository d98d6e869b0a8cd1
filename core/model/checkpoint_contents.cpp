#include "core/model/checkpoint_contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "core/model/harmless_tensors.h"
#include "core/model/latents.h"
#include "core/model/linear_names.h"
#include "core/model/model_map.h"
#include "core/model/picked_rows.h"
#include "core/model/planned_weights.h"
#include "core/model/position_tables.h"
#include "core/request/model_text.h"
#include "core/text/tokenizer.h"

namespace headscope {
namespace {

const Axes kTable{Axis::position, Axis::feature};

}  // namespace

Checkpoint::Contents::Contents(OpenedModel opened, std::shared_ptr<KeptTokenizer> shared)
    : path(std::move(opened.path)),
      tokenizer_path(std::move(opened.tokenizer_path)),
      own_family(std::move(opened.family)),
      paired_rows(opened.paired_rows),
      config(std::move(opened.config)),
      files(std::move(opened.files)),
      lookup(*files, planned_body(config.architecture, *config.family).first()),
      tokenizer(shared != nullptr ? std::move(shared) : std::make_shared<KeptTokenizer>()) {
  settle_by_files();
  account = checked_weights(*files, lookup, config.architecture, *config.family, path);
  leave_ignored();
  std::shared_ptr<KeptTokenizer> of_decoder = tokenizer;
  if (!opened.more_parts.empty() && has_target_vocabulary(tokenizer_path)) {
    of_decoder = std::make_shared<KeptTokenizer>();
    of_decoder->side = TextSide::target;
  }
  for (ModelConfig& part : opened.more_parts) {
    auto contents = std::make_unique<Contents>(OpenedModel{path, tokenizer_path, std::move(part), files}, of_decoder);
    add_part(std::shared_ptr<const Checkpoint>(new Checkpoint(std::move(contents))));
  }
}

void Checkpoint::Contents::settle_projection() {
  const std::string name = config.family->names.projection;
  if (name.empty()) return;
  const auto found = [&](const std::string& tensor) {
    return lookup.find({.name = tensor, .older_name = "", .shape = {}, .in_head = true});
  };
  const WeightFiles::Place* const weight = found(name + ".weight");
  if (weight == nullptr) return;
  config.architecture.projection = weight->entry->shape.empty() ? 1 : weight->entry->shape.front();
  config.architecture.projection_bias = found(name + ".bias") != nullptr;
}

// What config.json leaves to the tensors that are there.
void Checkpoint::Contents::settle_by_files() {
  Architecture& architecture = config.architecture;
  const PlannedHead head = planned_head(architecture, *config.family);
  if (config.tied_by_file && lookup.find(head.decoder.weight) != nullptr) architecture.tied_embeddings = false;
  // Of the references a bias that is a buffer of zeros, which files need not hold.
  if (*config.family->names.decoder_row && lookup.find(head.decoder.bias) == nullptr) {
    architecture.decoder_bias = false;
  }
  settle_projection();
  if (architecture.sinusoidal) {
    Architecture with_table = architecture;
    with_table.sinusoidal = false;
    if (lookup.find(planned_body(with_table, *config.family).position) != nullptr) architecture.sinusoidal = false;
  }
}

// A tensor has no place in the model where no part knows it; one that several use counts once.
void Checkpoint::Contents::add_part(std::shared_ptr<const Checkpoint> part) {
  const WeightAccount& other = part->contents_->account;
  std::erase_if(account.unexpected, [&](const std::string& name) {
    return !std::binary_search(other.unexpected.begin(), other.unexpected.end(), name);
  });
  std::set<std::string> types(account.dtypes.begin(), account.dtypes.end());
  for (const std::string& name : other.used) {
    if (!account.used.insert(name).second) continue;
    const TensorEntry& entry = *files->find(name)->entry;
    account.bytes += static_cast<std::int64_t>(entry.bytes);
    std::int64_t numbers = 1;
    for (const std::int64_t size : entry.shape) numbers *= size;
    account.parameters += numbers;
    types.insert(entry.dtype);
  }
  account.dtypes.assign(types.begin(), types.end());
  parts.push_back(std::move(part));
}

// Names that a map ignores are as those that are known to be harmless.
void Checkpoint::Contents::leave_ignored() {
  std::erase_if(account.unexpected, [&](const std::string& name) {
    const auto& patterns = config.map.ignored;
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const std::string& pattern) { return fits_pattern(name, pattern); });
  });
}

std::vector<LayerList> Checkpoint::Contents::layer_lists() const {
  const Architecture& architecture = config.architecture;
  const std::int64_t stored = architecture.layer_groups > 0 ? architecture.layer_groups : architecture.num_layers;
  std::vector<LayerList> lists;
  if (config.own_family != nullptr) {
    for (const std::string& before : config.map.before_layer) lists.push_back({before, stored});
  } else if (architecture.part != Architecture::Part::pool) {
    lists.push_back({lookup.prefix() + config.family->names.layer, stored});
  }
  for (const std::shared_ptr<const Checkpoint>& part : parts) {
    for (LayerList& list : part->contents_->layer_lists()) lists.push_back(std::move(list));
  }
  return lists;
}

void Checkpoint::Contents::refuse_leftovers() const {
  Leftovers leftovers{.path = path,
                      .family = config.architecture.family,
                      .mapped = config.own_family != nullptr,
                      .layers = layer_lists(),
                      .unexpected = account.unexpected,
                      .named = config.map.tensors,
                      .body = config.map.body,
                      .all = {}};
  if (leftovers.mapped) leftovers.path = (std::filesystem::path(base_of_model(path)) / kMapName).string();
  for (const auto& [name, place] : files->all()) {
    if (!is_harmless(*place.entry)) leftovers.all.push_back(name);
  }
  headscope::refuse_leftovers(leftovers);
}

EmbeddingWeights Checkpoint::Contents::read_embedding() const {
  const Architecture& architecture = config.architecture;
  const PlannedBody planned = planned_body(architecture, *config.family);
  Tensor position = architecture.sinusoidal ? sinusoidal_table(architecture.max_positions, architecture.d_model)
                                            : read_matrix(lookup, planned.position);
  // [1, positions, width] where images are read
  if (position.rank() == 3) position = position.reshaped({position.dim(1), position.dim(2)}, kTable);
  return {read_matrix(lookup, planned.word),
          std::move(position),
          read_matrix(lookup, planned.token_type),
          read_norm(lookup, planned.embedding_norm),
          read_linear(lookup, planned.embedding_projection),
          read_patches(lookup, planned),
          read_matrix(lookup, planned.relative),
          planned.relative.empty() ? std::string() : lookup.find(planned.relative)->entry->name,
          read_matrix(lookup, planned.relative_positions),
          read_norm(lookup, planned.relative_norm),
          read_convolutions(lookup, planned),
          read_flat(lookup, planned.probe)};
}

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
  attention.position_key = read_linear(lookup, planned.position_key);
  attention.position_query = read_linear(lookup, planned.position_query);
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
  block.convolution = read_convolution(lookup, planned.convolution);
  block.convolution_norm = read_norm(lookup, planned.convolution_norm);
  return block;
}

OutputHead Checkpoint::Contents::read_output_head() const {
  OutputHead head;
  const PlannedBody body = planned_body(config.architecture, *config.family);
  head.final_norm = read_norm(lookup, body.final_norm);
  head.projection = read_linear(lookup, body.projection);
  head.kind = account.head;
  if (head.kind == OutputHead::Kind::none) return head;
  PlannedHead planned = planned_head(config.architecture, *config.family);
  head.transform = read_linear(lookup, planned.transform);
  head.transform_norm = read_norm(lookup, planned.transform_norm);
  if (config.architecture.tied_embeddings) {
    planned.decoder.weight = body.word;
  }
  head.decoder = read_linear(lookup, planned.decoder);
  if (head.decoder.bias.rank() == 2) {
    head.decoder.bias = head.decoder.bias.reshaped({config.architecture.vocab_size}, {Axis::feature});
  }
  return head;
}

}  // namespace headscope
