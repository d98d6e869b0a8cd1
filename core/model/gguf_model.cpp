// A GGUF file's metadata and tensors as a family's configuration.
// Long because it reads every key of the metadata, and each that is not read is refused here.
#include "core/model/gguf_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/model/gguf_names.h"
#include "core/model/json_values.h"

namespace headscope {
namespace {

constexpr const char* kWordEmbedding = "token_embd.weight";
constexpr const char* kDecoder = "output.weight";

class MetadataReader {
 public:
  MetadataReader(const GgufFile& file, const GgufArchitecture& row, const Family& family)
      : file_(file), row_(row), family_(std::make_shared<Family>(gguf_family(family, row))) {}

  GgufModel read() {
    check_keys();
    take_sizes();
    take_rotary();
    take_tensors();
    GgufModel model;
    model.family = family_;
    model.config = model_config_of(config_, *family_, file_.path() + ": its metadata");
    model.paired_rows = row_.paired_rows;
    Architecture& architecture = model.config.architecture;
    check_sizes(architecture);
    divide_frequencies(architecture);
    return model;
  }

 private:
  std::string key(std::string_view name) const { return fmt::format("{}.{}", row_.name, name); }

  [[noreturn]] void refuse(std::string_view name, const std::string& sentence) const {
    file_.refuse(key(name), sentence);
  }

  bool has_tensor(const std::string& name) const { return find_tensor(name) != nullptr; }

  const GgufTensor* find_tensor(const std::string& name) const {
    const auto& all = file_.header().tensors;
    const auto at = std::lower_bound(all.begin(), all.end(), name,
                                     [](const GgufTensor& each, const std::string& of) { return each.name < of; });
    return at != all.end() && at->name == name ? &*at : nullptr;
  }

  void check_keys() const {
    const std::string prefix = key("");
    for (const GgufField& field : file_.header().fields) {
      if (!field.key.starts_with(prefix)) continue;
      const std::string_view name = std::string_view(field.key).substr(prefix.size());
      if (gguf_knows_key(name)) continue;
      refuse(name, fmt::format("is not known; a {} model is computed without it here, which may be another model",
                               row_.name));
    }
    const bool mixture = *family_->names.router != 0;
    for (const char* experts : {"expert_count", "expert_used_count", "expert_feed_forward_length"}) {
      if (const std::int64_t count = file_.whole(key(experts)).value_or(0); count != 0 && !mixture) {
        refuse(experts,
               fmt::format("is {}; expected none, as no family of a {} model here has experts", count, row_.name));
      }
    }
    if (file_.truth(key("attention.causal")).value_or(true) != family_->fixed.causal) {
      refuse("attention.causal", "asks for attention in both directions, which this family does not have");
    }
    if (file_.number(key("rope.scale_linear")).value_or(1) != 1) {
      refuse("rope.scale_linear", "is of the first files and not read; expected rope.scaling.factor");
    }
  }

  // The value of a size; a list of a value a layer counts where all are the same.
  std::optional<std::int64_t> size(std::string_view name) const {
    const GgufField* field = file_.header().find(key(name));
    if (field == nullptr || field->kind != GgufField::Kind::list) return file_.whole(key(name));
    const std::vector<double> values = *file_.numbers(key(name));
    for (const double value : values) {
      if (!(value >= 0 && value < 1e15) || value != values.front()) {
        refuse(name, "differs from layer to layer, which is not implemented");
      }
    }
    if (values.empty()) refuse(name, "is an empty list; expected a number");
    return static_cast<std::int64_t>(values.front());
  }

  void take_sizes() {
    const GgufTensor* word = find_tensor(kWordEmbedding);
    if (word == nullptr) {
      throw Error(fmt::format("{}: found no tensor {}; expected a model (is it a vocabulary alone?)", file_.path(),
                              kWordEmbedding));
    }
    set(config_, "vocab_size", json_number(std::to_string(word->shape.front())));
    for (const GgufSize& each : gguf_sizes()) {
      const std::optional<std::int64_t> found = size(each.gguf);
      if (!found && each.needed) {
        throw Error(fmt::format("{}: found no key {}; expected one", file_.path(), key(each.gguf)));
      }
      if (found) set(config_, each.gguf, json_number(std::to_string(*found)));
    }
    // Every layer has tensors: a lying number would make a plan of as many layers first.
    const auto tensors = static_cast<std::int64_t>(file_.header().tensors.size());
    if (const std::int64_t layers = size("block_count").value_or(0); layers > tensors) {
      throw Error(fmt::format("{}: {} is {}, and the file has {} tensors; expected at least one for every layer",
                              file_.path(), key("block_count"), layers, tensors));
    }
    if (const std::int64_t width = size("embedding_length").value_or(0); width != word->shape.back()) {
      throw Error(fmt::format("{}: {} is {}, and {} has {} features; expected as many", file_.path(),
                              key("embedding_length"), width, kWordEmbedding, word->shape.back()));
    }
    const char* eps = family_->keys.norm_eps.key;
    const std::optional<double> epsilon = file_.number(key(eps));
    if (!epsilon) throw Error(fmt::format("{}: found no key {}; expected one", file_.path(), key(eps)));
    set(config_, eps, json_number(fmt::format("{}", *epsilon)));
    take_window();
    take_experts();
  }

  // The factors of the chosen experts add up to 1, as readers of these files compute them: no key says it.
  void take_experts() {
    if (!*family_->names.router) return;
    for (const auto& [name, keys] :
         {std::pair<const char*, std::vector<const char*>>{"expert_count", {"num_experts", "num_local_experts"}},
          {"expert_used_count", {"num_experts_per_tok"}},
          {"expert_feed_forward_length", {"moe_intermediate_size"}}}) {
      const std::optional<std::int64_t> found = file_.whole(key(name));
      if (!found && std::string_view(name) == "expert_feed_forward_length") continue;  // feed_forward_length
      if (!found) throw Error(fmt::format("{}: found no key {}; expected one", file_.path(), key(name)));
      for (const char* each : keys) set(config_, each, json_number(std::to_string(*found)));
    }
    set(config_, "norm_topk_prob", json_truth(true));
  }

  void take_window() {
    const std::int64_t window = size("attention.sliding_window").value_or(0);
    const std::int64_t context = size("context_length").value_or(0);
    if (window == 0 || window >= context) {
      family_->window.reset();
      return;
    }
    if (!family_->window) {
      refuse(
          "attention.sliding_window",
          fmt::format("is {} of {} positions; expected none, as a {} model has none here", window, context, row_.name));
    }
    // Which layers have it is the family's: no key says so.
    const WindowKeys& own = *family_->window;
    family_->window = WindowKeys{.layers_differ = own.layers_differ, .full_every = own.full_every};
    set(config_, "sliding_window", json_number(std::to_string(window)));
  }

  void take_rotary() {
    if (family_->fixed.position != Architecture::Position::rotary) return;
    if (const auto base = file_.number(key("rope.freq_base"))) {
      set(config_, "rope_theta", json_number(fmt::format("{}", *base)));
    }
    const double factor = file_.number(key("rope.scaling.factor")).value_or(0);
    const bool scaled = factor != 0 && factor != 1;
    const std::string type(file_.text(key("rope.scaling.type")).value_or(scaled ? "linear" : "none"));
    if (type == "none" || (!scaled && type == "linear")) {
      set(config_, "rope_scaling", JsonValue());
      return;
    }
    JsonValue scaling;
    set(scaling, "rope_type", json_text(type));
    set(scaling, "factor", json_number(fmt::format("{}", scaled ? factor : 1.0)));
    if (type == "yarn") take_yarn(scaling);
    set(config_, "rope_scaling", std::move(scaling));
  }

  // gpt-oss does not round the features between which frequencies change; no key says so.
  void take_yarn(JsonValue& scaling) const {
    if (const auto original = file_.whole(key("rope.scaling.original_context_length"))) {
      set(scaling, "original_max_position_embeddings", json_number(std::to_string(*original)));
    }
    for (const auto& [name, ours] :
         {std::pair{"rope.scaling.yarn_beta_fast", "beta_fast"}, {"rope.scaling.yarn_beta_slow", "beta_slow"}}) {
      if (const auto turns = file_.number(key(name))) set(scaling, ours, json_number(fmt::format("{}", *turns)));
    }
    if (family_->fixed.family == "gpt_oss") set(scaling, "truncate", json_truth(false));
  }

  void take_tensors() {
    Architecture& fixed = family_->fixed;
    const bool fused = *family_->names.qkv != 0;
    fixed.qkv_bias = has_tensor(fused ? "blk.0.attn_qkv.bias" : "blk.0.attn_q.bias");
    fixed.output_bias = has_tensor("blk.0.attn_output.bias");
    fixed.mlp_bias = has_tensor("blk.0.ffn_up.bias");
    fixed.norm_bias = has_tensor("blk.0.attn_norm.bias");
    set(config_, "tie_word_embeddings", json_truth(!has_tensor(kDecoder)));
  }

  void check_sizes(const Architecture& architecture) const {
    const auto equal = [this](std::string_view name, std::int64_t wanted, const char* of) {
      const std::int64_t found = size(name).value_or(wanted);
      if (found != wanted) refuse(name, fmt::format("is {}; expected {}, {}", found, wanted, of));
    };
    equal("attention.value_length", architecture.head_dim, "as keys have");
    if (architecture.position != Architecture::Position::rotary) return;
    equal("rope.dimension_count", architecture.head_dim, "all features of a head");
  }

  // rope_freqs holds a divisor of every frequency: how Llama 3's scaling is stored.
  void divide_frequencies(Architecture& architecture) const {
    const GgufTensor* divisors = find_tensor("rope_freqs.weight");
    if (divisors == nullptr) return;
    if (!architecture.rotary) {
      throw Error(file_.path() + ": has rope_freqs.weight; expected none, as the model has no rotary positions");
    }
    std::vector<double>& frequencies = architecture.rotary->inverse_frequencies;
    const auto count = static_cast<std::int64_t>(frequencies.size());
    if (divisors->shape != std::vector<std::int64_t>{count}) {
      throw Error(fmt::format("{}: rope_freqs.weight has {} axes or another size; expected [{}]", file_.path(),
                              divisors->shape.size(), count));
    }
    const std::vector<float> values = file_.tensor(*divisors).values();
    for (std::size_t p = 0; p < frequencies.size(); ++p) {
      if (!(values[p] > 0)) {
        throw Error(fmt::format("{}: rope_freqs.weight holds {}; expected numbers above 0", file_.path(), values[p]));
      }
      frequencies[p] = static_cast<float>(frequencies[p]) / values[p];
    }
  }

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
  throw Error(fmt::format("{}: general.architecture is {}; expected one of {}", file.path(), in_quotes(*name), known));
}

// What a file may be besides a whole model.
void check_kind(const GgufFile& file) {
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
