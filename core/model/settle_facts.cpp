// settle_facts: which facts of a capture's file are whose, and whether they fit.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/model/capture_facts.h"

namespace headscope {
namespace {

using Names = std::vector<std::string>;

std::int64_t count(const Names& names) {
  return static_cast<std::int64_t>(names.size());
}

template <typename Fact>
Fact own_or_all(const Fact& own, const Fact& all) {
  return own ? own : all;
}

void check_mask(const CapturedMask& mask, const Shape& scores) {
  const Shape& shape = mask.values.shape();
  bool fits = shape.count >= 1 && shape.count <= 4 && mask.values.size() > 0;
  for (int axis = 0; axis < shape.count && fits; ++axis) {
    fits = shape[axis] == 1 || shape[axis] == scores[4 - shape.count + axis];
  }
  if (!fits) {
    throw Error(fmt::format("{} is {}; expected a shape that broadcasts to [batch, heads, q, k] = {}", mask.where,
                            to_string(shape), to_string(scores)));
  }
  for (const float value : mask.values.values()) {
    const bool taken = mask.is_whole ? value == 0.0F || value == 1.0F : !std::isnan(value) && value != INFINITY;
    if (taken) continue;
    throw Error(fmt::format("{} holds {}; expected {}", mask.where, value,
                            mask.is_whole ? "0 or 1, where 1 may attend"
                                          : "numbers that are added to scores, or -inf where a key is hidden"));
  }
}

bool fits(const std::optional<ImageGrid>& grid, std::int64_t length) {
  return grid && grid->rows * grid->columns <= length;
}

// The image of a layer's tokens: its own, else that of all layers where it has no more patches than there are tokens.
std::optional<ImageGrid> grid_in(const std::optional<ImageGrid>& own, const std::optional<ImageGrid>& all,
                                 std::int64_t length, const std::string& where) {
  if (own && !fits(own, length)) {
    throw Error(fmt::format("{} is {} x {}, {} patches; expected at most the layer's {} positions", where, own->rows,
                            own->columns, own->rows * own->columns, length));
  }
  if (own) return own;
  return fits(all, length) ? all : std::nullopt;
}

// Patches come last; before them stand class tokens and the like.
Names patch_names(const ImageGrid& grid, std::int64_t length) {
  Names names;
  for (std::int64_t i = 0; i < length - grid.rows * grid.columns; ++i) names.push_back(std::to_string(i));
  for (std::int64_t row = 0; row < grid.rows; ++row) {
    for (std::int64_t column = 0; column < grid.columns; ++column) names.push_back(fmt::format("r{}c{}", row, column));
  }
  return names;
}

Names numbered(std::int64_t length) {
  Names names;
  for (std::int64_t i = 0; i < length; ++i) names.push_back(std::to_string(i));
  return names;
}

void check_own(const std::optional<Names>& names, std::int64_t length, const std::string& where,
               const char* positions) {
  if (!names || count(*names) == length) return;
  throw Error(fmt::format("{}: {} for the {} {}; expected as many", where, count(*names), length, positions));
}

// The names of one layer: its own, else those of all layers that are as many as its positions.
CapturedNames names_of(const CapturedLayer& layer, const CaptureFacts& own, const CaptureFacts& all,
                       const std::string& where) {
  const std::int64_t queries = layer.query_len(), keys = layer.key_len();
  check_own(own.tokens.queries, queries, where + ".tokens", "queries");
  check_own(own.tokens.keys, keys, where + ".key_tokens", "keys");
  const auto fitting = [](const std::optional<Names>& names, std::int64_t length) {
    return names && count(*names) == length ? names : std::nullopt;
  };
  std::optional<Names> of_queries = own.tokens.queries, of_keys = own.tokens.keys;
  if (!of_queries) of_queries = fitting(all.tokens.queries, queries);
  // Of two lists, the other one names an encoder's own layers.
  if (!of_queries && all.tokens.queries) of_queries = fitting(all.tokens.keys, queries);
  CapturedNames names;
  names.named_tokens = of_queries.has_value();
  const bool same = own.tokens.queries && queries == keys;
  if (!of_keys && !same) of_keys = fitting(all.tokens.keys, keys);
  names.named_keys = of_keys.has_value();
  if (!of_keys && queries == keys) of_keys = of_queries;
  if (!of_keys) of_keys = fitting(all.tokens.queries, keys);
  const std::optional<ImageGrid> key_grid = layer.key_grid    ? layer.key_grid
                                            : queries == keys ? layer.grid
                                                              : std::nullopt;
  names.queries = of_queries ? *of_queries : layer.grid ? patch_names(*layer.grid, queries) : numbered(queries);
  names.keys = of_keys ? *of_keys : key_grid ? patch_names(*key_grid, keys) : numbered(keys);
  return names;
}

// Names of all layers fit one of them at least.
void check_used(const Capture& capture, const std::optional<Names>& names, bool of_keys,
                const std::string& tokens_path) {
  if (!names) return;
  for (const CapturedLayer& layer : capture.layers) {
    if (layer.captured() && count(*names) == (of_keys ? layer.key_len() : layer.query_len())) return;
  }
  throw Error(fmt::format("{}: {} {} for the {} {} of {}; expected as many", tokens_path, count(*names),
                          of_keys ? "key_tokens" : "tokens", of_keys ? capture.key_len : capture.query_len,
                          of_keys ? "keys" : "queries", capture.path));
}

// A grid of all layers fits one of them at least.
void check_used(const Capture& capture, const std::optional<ImageGrid>& grid, bool of_keys) {
  if (!grid) return;
  std::int64_t longest = 0;
  for (const CapturedLayer& layer : capture.layers) {
    if (layer.captured()) longest = std::max(longest, of_keys ? layer.key_len() : layer.query_len());
  }
  grid_in(grid, {}, longest, fmt::format("{}: {}", capture.path, of_keys ? "key_grid" : "grid"));
}

}  // namespace

void settle_facts(Capture& capture, const LayerFacts& facts, const std::string& tokens_path) {
  const CaptureFacts& all = facts.all;
  check_used(capture, all.tokens.queries, false, tokens_path);
  check_used(capture, all.tokens.keys, true, tokens_path);
  check_used(capture, all.grid, false);
  check_used(capture, all.key_grid, true);
  for (std::size_t number = 0; number < capture.layers.size(); ++number) {
    CapturedLayer& layer = capture.layers[number];
    if (!layer.captured()) continue;
    const auto found = facts.layers.find(static_cast<std::int64_t>(number));
    const CaptureFacts own = found == facts.layers.end() ? CaptureFacts{} : found->second;
    layer.mask = own.mask.values.empty() && own.mask.where.empty() ? all.mask : own.mask;
    if (!layer.mask.where.empty()) {
      check_mask(layer.mask, {capture.batch, layer.num_heads(), layer.query_len(), layer.key_len()});
    }
    layer.scale = own_or_all(own.scale, all.scale);
    layer.causal = own_or_all(own.causal, all.causal);
    const std::string where = fmt::format("{}: layers.{}", capture.path, number);
    layer.grid = grid_in(own.grid, all.grid, layer.query_len(), where + ".grid");
    layer.key_grid = grid_in(own.key_grid, all.key_grid, layer.key_len(), where + ".key_grid");
    layer.names = names_of(layer, own, all, where);
  }
  const CapturedNames last = *capture.layers.back().names;
  capture.tokens = last.queries;
  capture.key_tokens = last.keys;
  capture.named_tokens = last.named_tokens;
  capture.named_keys = last.named_keys;
  for (CapturedLayer& layer : capture.layers) {
    if (layer.names && layer.names->queries == last.queries && layer.names->keys == last.keys) layer.names.reset();
  }
}

}  // namespace headscope
