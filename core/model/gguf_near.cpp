#include "core/model/gguf_near.h"

#include <fmt/format.h>

#include "core/model/family.h"
#include "core/model/near_family.h"

namespace headscope {
namespace {

// What config.json calls the model of a GGUF architecture; a model_type of families() opens as a folder.
struct GgufModelType {
  std::string_view architecture;
  std::string_view model_type;
};

constexpr GgufModelType kTypes[] = {
    {"bert", "bert"},
    {"bloom", "bloom"},
    {"command-r", "cohere"},
    {"deepseek2", "deepseek_v3"},
    {"falcon", "falcon"},
    {"falcon-h1", "falcon_h1"},
    {"glm4moe", "glm4_moe"},
    {"gptj", "gptj"},
    {"gptneox", "gpt_neox"},
    {"modern-bert", "modernbert"},
    {"mpt", "mpt"},
    {"nomic-bert", "nomic_bert"},
    {"olmo2", "olmo2"},
    {"qwen2moe", "qwen2_moe"},
    {"qwen2vl", "qwen2_vl"},
    {"qwen3next", "qwen3_next"},
    {"qwen3vl", "qwen3_vl"},
    {"qwen3vlmoe", "qwen3_vl_moe"},
    {"rwkv6", "rwkv"},
    {"rwkv7", "rwkv"},
    {"stablelm", "stablelm"},
    {"starcoder", "gpt_bigcode"},
    {"starcoder2", "starcoder2"},
    {"t5", "t5"},
};

bool is_opened(std::string_view model_type) {
  for (const Family& row : families()) {
    for (const std::string_view name : row.model_types) {
      if (name == model_type) return true;
    }
  }
  return false;
}

}  // namespace

std::string gguf_nearest_sentence(const GgufFile& file, std::string_view architecture) {
  std::string_view type = architecture;  // most are called the same
  for (const GgufModelType& row : kTypes) {
    if (row.architecture == architecture) type = row.model_type;
  }
  if (is_opened(type)) {
    return fmt::format(", which is not read from GGUF: the model opens as a folder with config.json, a {} model", type);
  }
  return nearest_sentence(type, [&](std::string_view key) {
    return file.header().find(fmt::format("{}.{}", architecture, key)) != nullptr;
  });
}

}  // namespace headscope
