#include "core/model/harmless_tensors.h"

#include <algorithm>
#include <string_view>

#include "core/model/tensor_names.h"

namespace headscope {
namespace {

// What a tensor of that name must be to be what the name says.
enum class Kind {
  anything,
  mask,     // true or false for every query and key, or the one number that hides: a bias of a layer is neither
  of_model  // of the whole model, not of a layer
};

struct Row {
  std::string_view ending;  // of its name
  Kind kind;
};

constexpr Row kRows[] = {
    // GPT-2, GPT-J, GPT-NeoX, nanoGPT and minGPT keep their causal mask beside the weights.
    {".attn.bias", Kind::mask},
    {".attn.masked_bias", Kind::mask},
    {".attention.bias", Kind::mask},
    {".attention.masked_bias", Kind::mask},
    {".attn.mask", Kind::mask},
    {".self_attn.mask", Kind::mask},
    {".attention.mask", Kind::mask},
    {"causal_mask", Kind::mask},
    {".attn.IGNORE", Kind::mask},  // TransformerLens: what is written where the mask hides
    {".tril", Kind::mask},
    // Tables of rotary positions.
    {".inv_freq", Kind::anything},
    {"rope.freqs", Kind::anything},
    {"freqs_cos", Kind::anything},
    {"freqs_sin", Kind::anything},
    {"freqs_cis", Kind::anything},
    {".attn.rotary_sin", Kind::anything},
    {".attn.rotary_cos", Kind::anything},
    {".cos_cached", Kind::anything},
    {".sin_cached", Kind::anything},
    {".attn.embed_positions", Kind::anything},
    {".position_ids", Kind::anything},
    {".token_type_ids", Kind::anything},
    // What containers of weights add.
    {".num_batches_tracked", Kind::anything},
    {"._extra_state", Kind::anything},
    // T5's first files hold it, and its code reads positions of self-attention alone.
    {"decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight", Kind::anything},
    {"pooler.dense.weight", Kind::of_model},
    {"pooler.dense.bias", Kind::of_model},
    {"cls.seq_relationship.weight", Kind::of_model},
    {"cls.seq_relationship.bias", Kind::of_model},
    {"pooler.weight", Kind::of_model},
    {"pooler.bias", Kind::of_model},
    {"sop_classifier.classifier.weight", Kind::of_model},
    {"sop_classifier.classifier.bias", Kind::of_model},
};

bool is_of_kind(const TensorEntry& entry, Kind kind) {
  if (kind == Kind::of_model) return layered_name(entry.name).layer < 0;
  if (kind == Kind::anything) return true;
  const std::size_t axes = entry.shape.size();
  if (axes < 2) return axes == 0 || entry.shape[0] == 1;
  return entry.shape[axes - 1] == entry.shape[axes - 2];
}

}  // namespace

bool is_mask_of_layer(const TensorEntry& entry) {
  TensorEntry whole = entry;  // of a layer alone no prefix says that it is one of attention
  whole.name.insert(0, "layer.attn.");
  return std::any_of(std::begin(kRows), std::end(kRows), [&](const Row& row) {
    return row.kind == Kind::mask && row.ending.starts_with(".attn.") && whole.name.ends_with(row.ending) &&
           is_of_kind(whole, row.kind);
  });
}

bool is_harmless(const TensorEntry& entry) {
  const std::string_view name = entry.name;
  return std::any_of(std::begin(kRows), std::end(kRows),
                     [&](const Row& row) { return name.ends_with(row.ending) && is_of_kind(entry, row.kind); });
}

}  // namespace headscope
