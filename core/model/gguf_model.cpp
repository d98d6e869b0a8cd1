// A GGUF file's metadata and tensors as a family's configuration.
#include "core/model/gguf_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/model/gguf_metadata.h"
#include "core/model/gguf_names.h"
#include "core/model/gguf_near.h"
#include "core/model/gguf_rotary.h"
#include "core/model/json_values.h"

namespace headscope {
namespace {

constexpr const char* kWordEmbedding = "token_embd.weight";
constexpr const char* kDecoder = "output.weight";

class MetadataReader {
 public:
  MetadataReader(const GgufFile& file, const GgufArchitecture& row, const Family& family)
      : keys_(file, row), file_(file), row_(row), family_(std::make_shared<Family>(gguf_family(family, row))) {}

  GgufModel read() {
    check_keys();
    take_sizes();
    take_own_keys();
    take_gguf_rotary(keys_, *family_, config_);
    take_tensors();
    GgufModel model;
    model.family = family_;
    model.config = model_config_of(config_, *family_, file_.path() + ": its metadata");
    model.paired_rows = row_.paired_rows;
    Architecture& architecture = model.config.architecture;
    check_sizes(architecture);
    divide_gguf_frequencies(keys_, architecture);
    return model;
  }

 private:
  void check_keys() const {
    const std::string prefix = keys_.key("");
    for (const GgufField& field : file_.header().fields) {
      if (!field.key.starts_with(prefix)) continue;
      const std::string_view name = std::string_view(field.key).substr(prefix.size());
      if (gguf_knows_key(row_, name)) continue;
      keys_.refuse(name, fmt::format("is not known; a {} model is computed without it here, which may be another model",
                                     row_.name));
    }
    const bool mixture = *family_->names.router != 0;
    for (const char* experts : {"expert_count", "expert_used_count", "expert_feed_forward_length"}) {
      if (const std::int64_t count = keys_.whole(experts).value_or(0); count != 0 && !mixture) {
        keys_.refuse(experts, fmt::format("is {}; expected none, as no family of a {} model here has experts", count,
                                          row_.name));
      }
    }
    if (keys_.truth("attention.causal").value_or(true) != family_->fixed.causal) {
      keys_.refuse("attention.causal", "asks for attention in both directions, which this family does not have");
    }
    if (keys_.number("rope.scale_linear").value_or(1) != 1) {
      keys_.refuse("rope.scale_linear", "is of the first files and not read; expected rope.scaling.factor");
    }
  }

  void set_whole(const char* name, std::int64_t value) { set(config_, name, json_number(std::to_string(value))); }

  void take_sizes() {
    const GgufTensor* word = keys_.tensor(kWordEmbedding);
    if (word == nullptr) {
      throw Error(fmt::format("{}: found no tensor {}; expected a model (is it a vocabulary alone?)", file_.path(),
                              kWordEmbedding));
    }
    set_whole("vocab_size", word->shape.front());
    for (const GgufSize& each : gguf_sizes()) {
      const std::optional<std::int64_t> found = keys_.size(each.gguf);
      if (!found && each.needed) {
        throw Error(fmt::format("{}: found no key {}; expected one", file_.path(), keys_.key(each.gguf)));
      }
      if (found) set_whole(each.gguf, *found);
    }
    // Every layer has tensors: a lying number would make a plan of as many layers first.
    const auto tensors = static_cast<std::int64_t>(file_.header().tensors.size());
    if (const std::int64_t layers = keys_.size("block_count").value_or(0); layers > tensors) {
      throw Error(fmt::format("{}: {} is {}, and the file has {} tensors; expected at least one for every layer",
                              file_.path(), keys_.key("block_count"), layers, tensors));
    }
    if (const std::int64_t width = keys_.size("embedding_length").value_or(0); width != word->shape.back()) {
      throw Error(fmt::format("{}: {} is {}, and {} has {} features; expected as many", file_.path(),
                              keys_.key("embedding_length"), width, kWordEmbedding, word->shape.back()));
    }
    const char* eps = family_->keys.norm_eps.key;
    const std::optional<double> epsilon = keys_.number(eps);
    if (!epsilon) throw Error(fmt::format("{}: found no key {}; expected one", file_.path(), keys_.key(eps)));
    set(config_, eps, json_number(fmt::format("{}", *epsilon)));
    take_window();
    take_experts();
  }

  void take_own_keys() {
    for (const GgufOwnKey& own : gguf_own_keys()) {
      if (own.architecture != row_.name || *own.config == '\0') continue;
      if (const auto number = keys_.number(own.gguf)) {
        set(config_, own.config, json_number(fmt::format("{}", *number)));
      }
    }
    if (row_.wide_scale_layers == 0) return;
    const std::int64_t heads = std::max<std::int64_t>(keys_.size("attention.head_count").value_or(1), 1);
    const std::int64_t share = keys_.size("embedding_length").value_or(0) / heads;
    const bool wide = keys_.size("block_count") == row_.wide_scale_layers;
    set_whole("query_pre_attn_scalar", wide ? share : keys_.size("attention.key_length").value_or(share));
  }

  // The factors of the chosen experts add up to 1, as readers of these files compute them: no key says it.
  void take_experts() {
    if (!*family_->names.router) return;
    for (const auto& [name, keys] :
         {std::pair<const char*, std::vector<const char*>>{"expert_count", {"num_experts", "num_local_experts"}},
          {"expert_used_count", {"num_experts_per_tok"}},
          {"expert_feed_forward_length", {"moe_intermediate_size"}}}) {
      const std::optional<std::int64_t> found = keys_.whole(name);
      if (!found && std::string_view(name) == "expert_feed_forward_length") continue;  // feed_forward_length
      if (!found) throw Error(fmt::format("{}: found no key {}; expected one", file_.path(), keys_.key(name)));
      for (const char* each : keys) set(config_, each, json_number(std::to_string(*found)));
    }
    set(config_, "norm_topk_prob", json_truth(true));
  }

  void take_window() {
    const std::int64_t window = keys_.size("attention.sliding_window").value_or(0);
    const std::int64_t context = keys_.size("context_length").value_or(0);
    // Gemma 3's layers with a window have other positions, however long it is.
    const bool own_positions = family_->window && *family_->rotary.window_theta.key != '\0';
    if (window == 0 || (window >= context && !own_positions)) {
      family_->window.reset();
      return;
    }
    if (!family_->window) {
      keys_.refuse("attention.sliding_window",
                   fmt::format("is {} of {} positions; expected none, as a {} model has none "
                               "here",
                               window, context, row_.name));
    }
    // Which layers have it is the family's, where no key says so.
    const WindowKeys& own = *family_->window;
    family_->window = WindowKeys{.layers_differ = own.layers_differ, .full_every = own.full_every};
    set_whole("sliding_window", window);
    take_pattern();
  }

  // A number n: of n layers the last sees everything; or a truth for every layer, true for those with the window.
  void take_pattern() {
    constexpr const char* kPattern = "attention.sliding_window_pattern";
    const GgufField* field = file_.header().find(keys_.key(kPattern));
    if (field == nullptr) return;
    if (field->kind != GgufField::Kind::list) {
      family_->window->full_every = *keys_.whole(kPattern);
      return;
    }
    JsonValue types;
    types.kind = JsonValue::Kind::array;
    const std::vector<double> windows = *file_.numbers(keys_.key(kPattern));
    for (const double windowed : windows) {
      types.items.push_back(json_text(windowed != 0 ? "sliding_attention" : "full_attention"));
    }
    set(config_, "layer_types", std::move(types));
  }

  void take_tensors() {
    Architecture& fixed = family_->fixed;
    TensorNames& names = family_->names;
    // Files of the first converters join what a family has apart.
    if (*names.qkv == '\0' && !row_.paired_rows && keys_.has_tensor("blk.0.attn_qkv.weight")) {
      names.qkv = "attn_qkv";
      names.query = names.key = names.value = "";
    }
    const bool fused = *names.qkv != '\0';
    fixed.qkv_bias = keys_.has_tensor(fused ? "blk.0.attn_qkv.bias" : "blk.0.attn_q.bias");
    fixed.output_bias = keys_.has_tensor("blk.0.attn_output.bias");
    fixed.mlp_bias = keys_.has_tensor("blk.0.ffn_up.bias");
    fixed.norm_bias = keys_.has_tensor("blk.0.attn_norm.bias");
    set(config_, "tie_word_embeddings", json_truth(!keys_.has_tensor(kDecoder)));
  }

  void check_sizes(const Architecture& architecture) const {
    const auto equal = [this](std::string_view name, std::int64_t wanted, const char* of) {
      const std::int64_t found = keys_.size(name).value_or(wanted);
      if (found != wanted) keys_.refuse(name, fmt::format("is {}; expected {}, {}", found, wanted, of));
    };
    equal("attention.value_length", architecture.head_dim, "as keys have");
    // Which rows stand in pairs depends on all features of a head.
    if (row_.paired_rows) equal("rope.dimension_count", architecture.head_dim, "all features of a head");
  }

  const GgufMetadata keys_;
  const GgufFile& file_;
  const GgufArchitecture& row_;
  std::shared_ptr<Family> family_;
  JsonValue config_;
};

const GgufArchitecture& row_of(const GgufFile& file) {
  const std::optional<std::string_view> name = file.text("general.architecture");
  if (!name) throw Error(file.path() + ": found no key general.architecture; expected a model");
  std::string known;
  for (const GgufArchitecture& row : gguf_architectures()) {
    if (*name == row.name) return row;
    known += (known.empty() ? "" : ", ") + std::string(row.name);
  }
  throw Error(fmt::format("{}: general.architecture is {}{}; expected one of {}", file.path(), in_quotes(*name),
                          gguf_nearest_sentence(file, *name), known));
}

// What a file may be besides a whole model.
void check_kind(const GgufFile& file) {
  if (const std::optional<std::uint64_t> tokens = tokens_of_vocabulary(file)) {
    throw Error(
        fmt::format("{}: holds a vocabulary alone, of {} tokens, and no tensors; expected a model (tokenize reads "
                    "such a file)",
                    file.path(), *tokens));
  }
  const std::string_view type = file.text("general.type").value_or("model");
  if (type != "model") {
    throw Error(fmt::format("{}: general.type is {}; expected a model", file.path(), in_quotes(type)));
  }
  if (const std::int64_t parts = file.whole("split.count").value_or(1); parts > 1) {
    throw Error(fmt::format("{}: is one of {} files of a split model; expected one file (llama-gguf-split --merge)",
                            file.path(), parts));
  }
  const std::int64_t version = file.whole("general.quantization_version").value_or(2);
  if (version != 2) {
    throw Error(fmt::format("{}: general.quantization_version is {}; expected 2", file.path(), version));
  }
}

}  // namespace

std::optional<std::uint64_t> tokens_of_vocabulary(const GgufFile& file) {
  const GgufField* tokens = file.header().find("tokenizer.ggml.tokens");
  if (!file.header().tensors.empty() || tokens == nullptr || tokens->kind != GgufField::Kind::list) return std::nullopt;
  return tokens->count;
}

GgufModel gguf_model_of(const GgufFile& file) {
  check_kind(file);
  const GgufArchitecture& row = row_of(file);
  const std::int64_t experts = file.whole(fmt::format("{}.expert_count", row.name)).value_or(0);
  const std::string_view wanted = experts != 0 && *row.mixture ? row.mixture : row.family;
  for (const Family& family : families()) {
    if (family.fixed.family == wanted) return MetadataReader(file, row, family).read();
  }
  throw Error(fmt::format("{}: general.architecture is {}, whose family is not known here", file.path(), row.name));
}

}  // namespace headscope
