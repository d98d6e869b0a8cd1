// config.json as the draft of a map reads it: it keeps which keys were taken into account.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/io/json_value.h"
#include "core/model/family.h"

namespace headscope {

class DraftConfig {
 public:
  // The keys of a text model inside of a larger one (text_config) are read as those of the file, before them; those of
  // attn_config and ffn_config by their path, "attn_config.alibi". `config` must outlive this.
  explicit DraftConfig(const JsonValue& config);

  // Null where the key is absent or null. The key counts as taken into account by taken() alone.
  const JsonValue* find(const std::string& key) const;
  void taken(const std::string& key);
  // Finds and takes it.
  const JsonValue* take(const std::string& key);
  std::optional<double> number(const std::string& key);
  std::optional<bool> truth(const std::string& key);
  std::string text(const std::string& key) const;  // "" where it is no string

  // What describes the model: text_config where there is one.
  const JsonValue& model() const { return *model_; }
  // The family that the configuration names by its model_type or its keys; null for none, and for those that read
  // images or have a decoder beside an encoder.
  const Family* family() const;
  // A sentence for every key that was not taken into account and may change a number.
  std::vector<std::string> not_taken() const;

 private:
  struct Leaf {
    std::string key;  // its path
    const JsonValue* value;
    bool taken = false;
  };
  void add(const JsonValue& object, const std::string& before);
  std::vector<Leaf> leaves_;
  const JsonValue* model_;
};

}  // namespace headscope
