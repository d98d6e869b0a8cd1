// Models of tests/golden/models in the layouts of other programs: the same numbers, in another order and by other
// names.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "core/io/safetensors.h"
#include "core/model/layer_weights.h"
#include "core/tensor/tensor.h"
#include "tests/core/io/torch_lists.h"

namespace headscope {

inline const std::string kGoldenModels = HEADSCOPE_SOURCE_DIR "/tests/golden/models/";

using SavedTensors = std::vector<std::pair<std::string, test::SavedTensor>>;

// The tensors of one of these models.
class GoldenTensors {
 public:
  explicit GoldenTensors(const std::string& model)
      : file_(SafetensorsFile::open(kGoldenModels + model + "/model.safetensors")) {}

  Tensor at(const std::string& name) const { return file_.tensor(*file_.find(name)); }
  bool has(const std::string& name) const { return file_.find(name) != nullptr; }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const SafetensorsEntry& entry : file_.entries()) all.push_back(entry.name);
    return all;
  }

 private:
  SafetensorsFile file_;
};

inline test::SavedTensor saved(const Tensor& tensor) {
  std::vector<std::int64_t> shape;
  for (int axis = 0; axis < tensor.rank(); ++axis) shape.push_back(tensor.dim(axis));
  return {shape, tensor.values()};
}

inline test::SavedTensor zeros(std::vector<std::int64_t> shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  return {std::move(shape), std::vector<float>(static_cast<std::size_t>(count), 0.0f)};
}

// A matrix [out, in] as [in, out].
inline test::SavedTensor turned(const Tensor& matrix) {
  return saved(matrix.permuted({1, 0}).dense_copy());
}

// Rows [heads d, in] as [heads, in, d]; a bias [heads d] as [heads, d].
inline test::SavedTensor by_heads(const Tensor& rows, std::int64_t heads) {
  const std::int64_t d = rows.dim(0) / heads;
  const Axes axes{Axis::feature, Axis::feature, Axis::feature};
  if (rows.rank() == 1) return {{heads, d}, rows.values()};
  return saved(rows.dense_copy().reshaped({heads, d, rows.dim(1)}, axes).permuted({0, 2, 1}).dense_copy());
}

// Columns [out, heads d] as [heads, d, out].
inline test::SavedTensor output_by_heads(const Tensor& columns, std::int64_t heads) {
  const std::int64_t d = columns.dim(1) / heads, out = columns.dim(0);
  return {{heads, d, out}, columns.permuted({1, 0}).values()};
}

// A part of the rows of a matrix or bias.
inline Tensor rows(const Tensor& all, std::int64_t begin, std::int64_t end) {
  return all.sliced(0, begin, end).dense_copy();
}

inline void save_tensors(const std::string& path, const SavedTensors& tensors) {
  std::vector<Tensor> kept;
  std::vector<NamedTensorRef> refs;
  kept.reserve(tensors.size());
  for (const auto& [name, tensor] : tensors) {
    Shape shape;
    Axes axes;
    for (const std::int64_t size : tensor.shape) {
      shape.push_back(size);
      axes.push_back(Axis::feature);
    }
    kept.push_back(Tensor::of(shape, axes, tensor.values));
    refs.push_back({name, &kept.back()});
  }
  std::ofstream out(path, std::ios::binary);
  write_safetensors(out, refs, {});
}

// A file of torch.save as training code writes it: the tensors under "model", settings (pickled) under `key`.
inline std::string saved_checkpoint(const SavedTensors& tensors, const std::string& key,
                                    const std::vector<std::pair<std::string, std::string>>& settings) {
  test::PickledStorages storages;
  std::vector<std::pair<std::string, std::string>> items;
  for (const auto& [name, tensor] : tensors) {
    items.emplace_back(name, test::pickled_saved(tensor, std::to_string(items.size()), storages));
  }
  // nanoGPT keeps a number of its training as a tensor.
  const std::string loss = test::pickled_saved({{}, {1.5f}}, "loss", storages);
  return test::torch_archive(test::pickled(test::pickled_dict({{"model", test::pickled_dict(items)},
                                                               {key, test::pickled_dict(settings)},
                                                               {"iter_num", test::pickled_whole(300)},
                                                               {"best_val_loss", loss}})),
                             storages);
}

// GPT-2 as HookedTransformer's state_dict, with its masks; `prefix` before every name.
inline SavedTensors lens_of_gpt2(const std::string& model, std::int64_t heads, const std::string& prefix = "") {
  const GoldenTensors from(model);
  SavedTensors to;
  const auto add = [&](const std::string& name, test::SavedTensor tensor) { to.emplace_back(prefix + name, tensor); };
  const Tensor words = from.at("transformer.wte.weight");
  add("embed.W_E", saved(words));
  add("pos_embed.W_pos", saved(from.at("transformer.wpe.weight")));
  add("ln_final.w", saved(from.at("transformer.ln_f.weight")));
  add("ln_final.b", saved(from.at("transformer.ln_f.bias")));
  add("unembed.W_U", turned(words));
  add("unembed.b_U", zeros({words.dim(0)}));
  for (const char* layer : {"0", "1"}) {
    const std::string theirs = std::string("transformer.h.") + layer + ".", ours = std::string("blocks.") + layer + ".";
    for (const char* number : {"1", "2"}) {
      add(ours + "ln" + number + ".w", saved(from.at(theirs + "ln_" + number + ".weight")));
      add(ours + "ln" + number + ".b", saved(from.at(theirs + "ln_" + number + ".bias")));
    }
    const Tensor fused = from.at(theirs + "attn.c_attn.weight").permuted({1, 0}).dense_copy();
    const Tensor bias = from.at(theirs + "attn.c_attn.bias");
    const std::int64_t width = fused.dim(0) / 3;
    for (std::int64_t part = 0; part < 3; ++part) {
      const std::string letter(1, "QKV"[part]);
      add(ours + "attn.W_" + letter, by_heads(rows(fused, part * width, (part + 1) * width), heads));
      add(ours + "attn.b_" + letter, by_heads(rows(bias, part * width, (part + 1) * width), heads));
    }
    const Tensor output = from.at(theirs + "attn.c_proj.weight").permuted({1, 0});
    add(ours + "attn.W_O", output_by_heads(output, heads));
    add(ours + "attn.b_O", saved(from.at(theirs + "attn.c_proj.bias")));
    add(ours + "attn.mask", zeros({4, 4}));
    add(ours + "attn.IGNORE", {{1}, {-1e5f}});
    add(ours + "mlp.W_in", saved(from.at(theirs + "mlp.c_fc.weight")));
    add(ours + "mlp.b_in", saved(from.at(theirs + "mlp.c_fc.bias")));
    add(ours + "mlp.W_out", saved(from.at(theirs + "mlp.c_proj.weight")));
    add(ours + "mlp.b_out", saved(from.at(theirs + "mlp.c_proj.bias")));
  }
  return to;
}

// Llama with keys that heads share (_W_K, _W_V), and biases of zeros, as HookedTransformer has them.
inline SavedTensors lens_of_llama(const std::string& model, std::int64_t heads, std::int64_t key_heads) {
  const GoldenTensors from(model);
  SavedTensors to;
  const Tensor words = from.at("model.embed_tokens.weight");
  to.emplace_back("embed.W_E", saved(words));
  to.emplace_back("ln_final.w", saved(from.at("model.norm.weight")));
  to.emplace_back("unembed.W_U", turned(from.at("lm_head.weight")));
  to.emplace_back("unembed.b_U", zeros({words.dim(0)}));
  for (const char* layer : {"0", "1"}) {
    const std::string theirs = std::string("model.layers.") + layer + ".", ours = std::string("blocks.") + layer + ".";
    const std::string attention = theirs + "self_attn.";
    to.emplace_back(ours + "ln1.w", saved(from.at(theirs + "input_layernorm.weight")));
    to.emplace_back(ours + "ln2.w", saved(from.at(theirs + "post_attention_layernorm.weight")));
    to.emplace_back(ours + "attn.W_Q", by_heads(from.at(attention + "q_proj.weight"), heads));
    to.emplace_back(ours + "attn._W_K", by_heads(from.at(attention + "k_proj.weight"), key_heads));
    to.emplace_back(ours + "attn._W_V", by_heads(from.at(attention + "v_proj.weight"), key_heads));
    to.emplace_back(ours + "attn.W_O", output_by_heads(from.at(attention + "o_proj.weight"), heads));
    const std::int64_t d = words.dim(1) / heads, inner = from.at(theirs + "mlp.up_proj.weight").dim(0);
    to.emplace_back(ours + "attn.b_Q", zeros({heads, d}));
    to.emplace_back(ours + "attn._b_K", zeros({key_heads, d}));
    to.emplace_back(ours + "attn._b_V", zeros({key_heads, d}));
    to.emplace_back(ours + "attn.b_O", zeros({words.dim(1)}));
    to.emplace_back(ours + "attn.rotary_sin", zeros({8, d}));
    to.emplace_back(ours + "mlp.W_gate", turned(from.at(theirs + "mlp.gate_proj.weight")));
    to.emplace_back(ours + "mlp.W_in", turned(from.at(theirs + "mlp.up_proj.weight")));
    to.emplace_back(ours + "mlp.W_out", turned(from.at(theirs + "mlp.down_proj.weight")));
    to.emplace_back(ours + "mlp.b_in", zeros({inner}));
    to.emplace_back(ours + "mlp.b_out", zeros({words.dim(1)}));
  }
  return to;
}

}  // namespace headscope
