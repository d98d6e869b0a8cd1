// What a capture says of its layers beside their tensors: in a safetensors file by metadata, in an .npz by arrays.
// Internal to core/model.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/io/npz.h"
#include "core/model/capture.h"
#include "core/model/capture_tokens.h"

namespace headscope {

struct CaptureFacts {
  CaptureTokens tokens;
  std::optional<double> scale;
  std::optional<bool> causal;
  std::optional<ImageGrid> grid, key_grid;
  CapturedMask mask;
};

// The facts of all layers, and those that a layer has of its own, which come first.
struct LayerFacts {
  CaptureFacts all;
  std::map<std::int64_t, CaptureFacts> layers;
  // Where a fact of `layers.N.` (or, without a number, of all layers) is kept.
  CaptureFacts& of(std::optional<std::int64_t> layer) { return layer ? layers[*layer] : all; }
};

// The layer and part of "layers.3.weights"; nullopt for other names.
std::optional<std::pair<std::int64_t, std::string_view>> layer_part_of(std::string_view name);

// Puts the metadata `name` ("scale", "layers.3.causal", ...: JSON) where it belongs; other names are left out. Throws
// Error that names `path`, what was found and what was expected.
void put_fact(LayerFacts& facts, const std::string& path, const std::string& name, std::string_view json);

// The same from an array of an .npz; false for names that are no fact.
bool put_fact(LayerFacts& facts, const NpzEntry& array);

// Whether a tensor is called `mask` or `layers.N.mask`.
bool is_mask(std::string_view name);

// Keeps such a tensor; `is_whole`: of booleans or integers. `where` names it in messages.
void put_mask(LayerFacts& facts, std::string_view name, const std::string& where, const Tensor& values, bool is_whole);

// Gives every captured layer its facts: own ones, or those of all layers; tokens become names. Throws Error for a mask
// that does not broadcast to a layer's scores or holds what a mask cannot, for a grid of more patches than there are
// tokens, and for tokens that fit no layer; `tokens_path` is the file that lists them.
void settle_facts(Capture& capture, const LayerFacts& facts, const std::string& tokens_path);

}  // namespace headscope
