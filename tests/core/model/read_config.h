// Configurations of models as tests write and change them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/base/error.h"
#include "core/model/model_config.h"

namespace headscope {

using ConfigJson = nlohmann::json;

inline ModelConfig config_of_json(const ConfigJson& config) {
  return model_config_of(parse_strict_json(config.dump(), "config.json"), "config.json");
}

// What is wrong with it; "opened" where nothing is.
inline std::string config_refusal_of(const ConfigJson& config) {
  try {
    config_of_json(config);
  } catch (const Error& error) {
    return error.what();
  }
  return "opened";
}

inline ConfigJson json_with(ConfigJson config, const std::string& key, const ConfigJson& value) {
  config[key] = value;
  return config;
}

// Sizes by the keys that most families have.
inline ConfigJson sized_json(const char* type, std::int64_t layers = 4) {
  return {{"model_type", type},          {"vocab_size", 32},         {"hidden_size", 16},
          {"num_hidden_layers", layers}, {"num_attention_heads", 2}, {"num_key_value_heads", 2},
          {"intermediate_size", 24}};
}

}  // namespace headscope
