// Which model and which tokenizer numbers come from.
#pragma once

#include <string>

#include "core/text/tokenizer.h"

namespace headscope {

// "demo:NAME" as it is; of a folder or file its own name, without the folders above it. With adapters: theirs behind
// it, with their scales (core/request/model_text.h).
std::string model_name(const std::string& model);

// Kind, size of the vocabulary, and a digest of all pieces, the special tokens and the ids of a fixed text in many
// scripts: "BPE, 50257 pieces, 0123456789abcdef". Equal for tokenizers that do the same, whatever files they come from.
std::string tokenizer_identity(const Tokenizer& tokenizer);

}  // namespace headscope
