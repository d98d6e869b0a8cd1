// Reads the keys of a JSON object into fields that have their defaults already.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/request/stage.h"

namespace headscope {

// The largest index that a file may name.
constexpr std::int64_t kMostIndex = std::int64_t{1} << 40;

// Throws Error: "'key' is not <expected>".
[[noreturn]] void refuse_json(const char* key, const char* expected);

// A key that is missing, or null, leaves its field alone. One of the wrong type throws Error that names it. Numbers are
// clamped to [low, high].
class JsonReader {
 public:
  // Throws Error when the text is not a JSON object as JsonCursor takes it, each key once.
  explicit JsonReader(const std::string& text);

  void read(const char* key, bool& value) const;
  void read(const char* key, double& value, double low, double high) const;
  void read(const char* key, float& value, float low, float high) const;
  void read(const char* key, std::int64_t& value, std::int64_t low, std::int64_t high) const;
  void read(const char* key, int& value, int low, int high) const;
  void read(const char* key, std::string& value) const;
  void read(const char* key, std::vector<std::string>& value) const;
  // One of `names`, as the index; an unknown name is refused.
  int read_choice(const char* key, const std::vector<std::string>& names, int value) const;
  // The name of a stage; an unknown name is refused.
  StageId read_stage(const char* key, StageId value) const;
  // Null when the key is missing or null. Valid as long as the reader.
  const nlohmann::json* find(const char* key) const;

 private:
  nlohmann::json object_;
};

}  // namespace headscope
