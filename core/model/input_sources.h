// Where vectors and masks come from: phrases and files. Internal to core/model.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/input_cache_state.h"
#include "core/request/mask.h"
#include "core/request/request.h"
#include "core/tensor/tensor.h"

namespace headscope {

// The tokens of one side, and its vectors when a file gave them.
struct TokenSource {
  std::string option;               // "phrase", "input", ...: for messages
  std::string path;                 // of a file
  std::vector<std::string> tokens;  // words, or "0", "1", ...
  std::vector<Range> offsets;       // in the phrase; empty for a file
  Tensor vectors;                   // [batch, len, input_dim] of a file, else empty
  std::int64_t len() const { return static_cast<std::int64_t>(tokens.size()); }
  bool from_file() const { return !path.empty(); }
};

// Where queries, keys and values come from.
struct Sources {
  TokenSource query;
  std::optional<TokenSource> key;    // cross-attention only
  std::optional<TokenSource> value;  // --value-input only
};

// Reads the sources of a request that is not attention alone. UsageError when they contradict each other.
Sources read_sources(const Request& request, InputCache::State& cache);

// Words of a phrase. UsageError when it is not UTF-8 or holds no word.
TokenSource phrase_source(const std::string& option, const std::string& phrase);

// x of --input, --key-input, --value-input: 3-D, or 2-D as batch 1. UsageError for other shapes and empty axes.
TokenSource vector_file(const std::string& option, const std::string& path, InputCache::State& cache);

// A mask term's file, .csv or .npy, of rank 1 to 4.
MaskFile mask_file(const std::string& path, InputCache::State& cache);

// --dropout-mask: zeros and ones that broadcast to `weights_shape`.
Tensor dropout_mask_file(const std::string& path, const Shape& weights_shape, InputCache::State& cache);

// "0", "1", ...
std::vector<std::string> position_names(std::int64_t count);

// UsageError "--heads: 4 was given, but FILE has 8" unless `given` is nullopt or equals `found`. `where` names the file
// and the part of it.
void check_agreement(std::string_view option, const std::optional<std::int64_t>& given, std::int64_t found,
                     const std::string& where);

}  // namespace headscope
