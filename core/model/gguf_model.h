// The metadata of a GGUF file -> the architecture that it describes, and the names of its tensors.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/io/gguf.h"
#include "core/model/family.h"
#include "core/model/model_config.h"

namespace headscope {

struct GgufModel {
  // The row of families() under GGUF's names: config.family.
  std::shared_ptr<const Family> family;
  ModelConfig config;
  bool paired_rows = false;
};

// How many tokens the vocabulary has of a file that holds nothing but one: a tokenizer and no tensors; nullopt of every
// other file.
std::optional<std::uint64_t> tokens_of_vocabulary(const GgufFile& file);

// Reads sizes and switches of `file`, and which biases and heads it has from its tensors. Throws Error that begins with
// the file's path: an architecture that is not in the table, a key of the architecture that is not known, or that asks
// for arithmetic that is not here, a part of a split model, and whatever model_config_of() refuses.
GgufModel gguf_model_of(const GgufFile& file);

}  // namespace headscope
