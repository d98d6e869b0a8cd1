// Lists of tiktoken: a piece in base64 and its rank, a line each. How a text is split before is not in the file; it is
// that of the encoding whose list has as many pieces.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/text/pipeline_tokenizer.h"

namespace headscope {

// An encoding that is known by the number of its ranks: r50k_base (GPT-2), p50k_base, cl100k_base, o200k_base, Llama
// 3's and Qwen's.
struct TiktokenEncoding {
  std::string_view name;
  std::int64_t ranks = 0;
  std::string_view splits;  // a row of gguf_pre_tokenizers()
  bool nfc = false;
  // Special tokens by their ids, which texts are searched for; the first begins a text where `begins`.
  std::vector<PostProcessor::Special> special = {};
  bool begins = false;
};

const std::vector<TiktokenEncoding>& tiktoken_encodings();

// A text's words are split as the encoding does it; a word that is a piece is that piece, and else the neighbours that
// are a piece together are joined, the lowest rank first, of equal ones the leftmost, as tiktoken does it. `framed`:
// with the token that begins a text, where the encoding has one. Throws Error, which begins with `file`, for lines that
// are none, ranks that stand twice, bytes without a piece, and for a number of ranks that no encoding has.
TokenizerParts read_tiktoken_file(std::string_view text, const std::string& file, bool framed);

}  // namespace headscope
