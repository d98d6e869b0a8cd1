// The tokenizer inside a GGUF file: its keys tokenizer.ggml.*.
#pragma once

#include <optional>

#include "core/io/gguf.h"
#include "core/text/pipeline_tokenizer.h"

namespace headscope {

// Of the model "gpt2": byte-level BPE with its merges, split by the expression that tokenizer.ggml.pre names. Of
// "llama": SentencePiece's BPE, where of two neighbours that make a piece those whose piece has the highest score are
// joined first (Kudo and Richardson 2018), blanks are written U+2581 and unknown characters as bytes. nullopt where the
// file has none. Throws UnknownTokenizer, whose sentence begins with the file's path: another model, a pre-tokenizer
// that is not known here; Error: lists that do not fit each other, pieces that are no UTF-8.
std::optional<TokenizerParts> read_gguf_tokenizer(const GgufFile& file);

}  // namespace headscope
