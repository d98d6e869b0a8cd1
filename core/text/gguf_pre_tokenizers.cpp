#include "core/text/gguf_pre_tokenizers.h"

#include "core/text/split_pattern.h"

namespace headscope {
namespace {

// The released tokenizers' expressions: Llama 3 (cl100k's splits are the same), Mistral's Tekken, o200k_base (GPT-4o,
// gpt-oss and Phi-4-mini), Seed-Coder and DeepSeek's.
constexpr const char* kLlama3Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kTekkenPattern =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kO200kPattern =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kSeedCoderPattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}\r\n]+|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kDeepseek3Pattern =
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

// Falcon: Unicode's punctuation and what ASCII has beside it.
constexpr const char* kFalconPunctuation = R"([\p{P}$+<=>^~|`]+)";

const std::vector<const char*>& deepseek_coder_patterns() {
  static const std::vector<const char*> patterns = {R"([\r\n])", R"(\s?\p{L}+)", R"(\s?\p{P}+)",
                                                    R"([\x{4E00}-\x{9FA5}\x{800}-\x{4E00}\x{AC00}-\x{D7FF}]+)",
                                                    R"(\p{N})"};
  return patterns;
}

std::vector<GgufPreTokenizer> all_rows() {
  const std::vector<const char*> gpt2 = {kGpt2Pattern}, llama3 = {kLlama3Pattern}, qwen2 = {kQwen2Pattern};
  return {
      {.name = "gpt-2", .patterns = gpt2},
      {.name = "phi-2", .patterns = gpt2},
      {.name = "mellum", .patterns = gpt2},
      {.name = "gigachat", .patterns = gpt2},
      {.name = "a.x-4.0", .patterns = gpt2},
      {.name = "olmo", .patterns = gpt2, .nfc = true},
      {.name = "mpt", .patterns = gpt2, .nfc = true},
      {.name = "smollm", .patterns = gpt2, .single_digits = true},
      {.name = "starcoder", .patterns = gpt2, .single_digits = true},
      {.name = "refact", .patterns = gpt2, .single_digits = true},
      {.name = "falcon", .patterns = {kFalconPunctuation, kGpt2Pattern, "[0-9][0-9][0-9]"}},
      {.name = "minerva-7b", .patterns = gpt2, .single_digits = true},
      {.name = "llama-bpe", .patterns = llama3, .ignore_merges = true, .begins = true},
      {.name = "llama3", .patterns = llama3, .ignore_merges = true, .begins = true},
      {.name = "llama-v3", .patterns = llama3, .ignore_merges = true, .begins = true},
      {.name = "falcon3", .patterns = llama3, .ignore_merges = true, .begins = true},
      {.name = "pixtral", .patterns = llama3, .ignore_merges = true, .begins = true},
      {.name = "midm-2.0", .patterns = llama3, .ignore_merges = true, .begins = true},
      {.name = "dbrx", .patterns = llama3},  // Phi-4
      {.name = "smaug-bpe", .patterns = llama3},
      {.name = "qwen2", .patterns = qwen2, .nfc = true},
      {.name = "deepseek-r1-qwen", .patterns = qwen2},
      {.name = "tekken", .patterns = {kTekkenPattern}, .ignore_merges = true, .begins = true},
      {.name = "gpt-4o", .patterns = {kO200kPattern}},
      {.name = "llama4", .patterns = {kO200kPattern}},
      {.name = "seed-coder", .patterns = {kSeedCoderPattern}},
      {.name = "deepseek-coder", .patterns = deepseek_coder_patterns()},
      {.name = "deepseek-v3",
       .patterns = {R"(\p{N}{1,3})", R"([\x{4E00}-\x{9FA5}\x{3040}-\x{30FF}]+)", kDeepseek3Pattern}},
  };
}

}  // namespace

std::span<const GgufPreTokenizer> gguf_pre_tokenizers() {
  static const std::vector<GgufPreTokenizer> rows = all_rows();
  return rows;
}

}  // namespace headscope
