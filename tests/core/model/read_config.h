// Configurations of models as tests write and change them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/base/error.h"
#include "core/model/model_config.h"

namespace headscope {

using Json = nlohmann::json;

inline ModelConfig read(const Json& config) {
  return model_config_of(parse_strict_json(config.dump(), "config.json"), "config.json");
}

// What is wrong with it; "opened" where nothing is.
inline std::string refusal_of(const Json& config) {
  try {
    read(config);
  } catch (const Error& error) {
    return error.what();
  }
  return "opened";
}

inline Json with(Json config, const std::string& key, const Json& value) {
  config[key] = value;
  return config;
}

// Sizes by the keys that most families have.
inline Json sized(const char* type, std::int64_t layers = 4) {
  return {{"model_type", type},          {"vocab_size", 32},         {"hidden_size", 16},
          {"num_hidden_layers", layers}, {"num_attention_heads", 2}, {"num_key_value_heads", 2},
          {"intermediate_size", 24}};
}

}  // namespace headscope
