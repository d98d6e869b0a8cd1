// A demo's folder with another config.json or tokenizer.json, and the same weights.
#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "core/model/demo_checkpoints.h"
#include "tests/app/session/temporary_folder.h"

namespace headscope::test {

// Changes a JSON file by change(json).
template <typename Change>
void change_json(const std::string& path, const Change& change) {
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(bytes_of(path));
  change(json);
  std::ofstream(path, std::ios::binary) << json.dump(1);
}

// A copy of the demo as `to`, which is its path.
inline std::string copied_demo(const std::string& demo, const std::string& to) {
  std::filesystem::copy(demo_folder(demo), to, std::filesystem::copy_options::recursive);
  return to;
}

// The same, with another setting in its config.json.
template <typename Value>
std::string demo_with(const std::string& demo, const std::string& to, const char* key, const Value& value) {
  copied_demo(demo, to);
  change_json(to + "/config.json", [&](auto& config) { config[key] = value; });
  return to;
}

}  // namespace headscope::test
