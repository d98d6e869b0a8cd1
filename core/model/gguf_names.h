// How GGUF calls kinds of models, sizes and tensors: tables from its names to those of the families' table.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/model/family.h"

namespace headscope {

// A kind of model as GGUF files name it. What it computes is that of a row of families(); how its sizes and tensors are
// called is GGUF's, the same for all.
struct GgufArchitecture {
  const char* name;    // general.architecture, which also begins the keys of its sizes
  const char* family;  // Architecture::family of the row in families()
  // The rows of queries and keys stand pair by pair within a head: those that rotary positions turn together are
  // neighbours in the file (rows p and p + head_dim / 2 here are 2 p and 2 p + 1 there).
  bool paired_rows = false;
  bool one_added = false;    // norm weights are 1 + w of a family whose norms multiply by 1 + w
  const char* mixture = "";  // the family of a file whose expert_count is not 0; "": there is none
  const char* mlp_norm = "ffn_norm";
  // Above 0: queries are scaled by 1 / sqrt(head_dim), of models with so many layers by 1 / sqrt(d_model / num_heads),
  // rounded down: no key says query_pre_attn_scalar, and readers of these files take it from the number of layers.
  std::int64_t wide_scale_layers = 0;
};
std::span<const GgufArchitecture> gguf_architectures();

// A number of the metadata of one architecture that config.json says under another key.
struct GgufOwnKey {
  std::string_view architecture;
  std::string_view gguf;  // without the architecture's name and the dot
  const char* config;     // "": it is read by name
};
std::span<const GgufOwnKey> gguf_own_keys();

// What stands for a size of config.json, without the architecture's name and the dot in front of it.
struct GgufSize {
  ConfigNumber ConfigKeys::*ours;
  const char* gguf;
  bool needed;
};
std::span<const GgufSize> gguf_sizes();

// Whether a key of this name, without the architecture's name, is read of its files, or changes nothing here.
bool gguf_knows_key(const GgufArchitecture& row, std::string_view name);

// A row of families() as a GGUF file of `row` spells it: its keys without the architecture's name, its tensors' names,
// all matrices [out, in]; which biases it has is left to the tensors.
Family gguf_family(const Family& family, const GgufArchitecture& row);

}  // namespace headscope
