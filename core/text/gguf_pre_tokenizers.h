// The names that GGUF files give to the ways of splitting a text before its words are spelled.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace headscope {

// A name of tokenizer.ggml.pre, and what the tokenizer that it means does.
struct GgufPreTokenizer {
  std::string_view name;
  // Regular expressions one after the other: what one matches is a word, the next splits every word further.
  std::vector<const char*> patterns;
  bool single_digits = false;  // every digit is a word, before the patterns
  bool nfc = false;
  bool ignore_merges = false;  // a word that is a piece is that piece
  bool begins = false;         // with the begin token, unless add_bos_token says otherwise
};

std::span<const GgufPreTokenizer> gguf_pre_tokenizers();

}  // namespace headscope
