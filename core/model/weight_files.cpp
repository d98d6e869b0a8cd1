#include "core/model/weight_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/io/atomic_file.h"
#include "core/io/json_text.h"
#include "core/model/config_reader.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWhole = "model.safetensors";
constexpr const char* kIndex = "model.safetensors.index.json";
constexpr std::size_t kMostJsonBytes = std::size_t{16} << 20;
constexpr std::size_t kMostShards = 2000;

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

// A shard lies in the folder: an index from elsewhere must not make us open other files.
bool is_plain_file_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find_first_of(std::string_view("/\\\0", 3)) == name.npos;
}

// What to do about files of weights that are no safetensors.
std::string advice_for(const std::string& name) {
  if (name.ends_with(".bin") || name.ends_with(".pt") || name.ends_with(".pth") || name.ends_with(".ckpt")) {
    return ", a PyTorch pickle: save its state_dict with safetensors.torch.save_file as model.safetensors";
  }
  if (name.ends_with(".gguf")) return ", a GGUF model, which is not read";
  if (name.ends_with(".h5") || name.ends_with(".msgpack") || name.ends_with(".onnx")) {
    return ", weights of another framework, which are not read";
  }
  if (name.ends_with(".safetensors")) return ", which only an index could name: rename it if it is the whole model";
  return "";
}

[[noreturn]] void refuse_without_weights(const std::string& folder) {
  std::vector<std::string> names;
  std::string telling;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end && names.size() < 1000; at.increment(error)) {
    const std::string name = at->path().filename().string();
    const std::string advice = advice_for(name);
    if (!advice.empty() && telling.empty()) telling = shortened(name) + advice;
    names.push_back(shortened(name));
  }
  std::sort(names.begin(), names.end());
  throw Error(fmt::format("{}: found neither {} nor {}; it holds {}", folder, kWhole, kIndex,
                          !telling.empty() ? telling
                          : names.empty()  ? "nothing"
                                           : first_ten(names)));
}

}  // namespace

std::vector<std::pair<std::string, std::string>> parse_weight_index(std::string_view json, const std::string& what) {
  const JsonValue index = parse_strict_json(json, what);
  const JsonValue* map = index.kind == JsonValue::Kind::object ? index.find("weight_map") : nullptr;
  if (map == nullptr || map->kind != JsonValue::Kind::object) {
    throw Error(fmt::format("{}: weight_map is {}; expected an object of tensor and file names", what,
                            map == nullptr ? "missing" : json_kind_name(map->kind)));
  }
  std::vector<std::pair<std::string, std::string>> files;
  for (std::size_t i = 0; i < map->keys.size(); ++i) {
    const JsonValue& file = map->items[i];
    if (file.kind != JsonValue::Kind::string || !is_plain_file_name(file.text)) {
      throw Error(fmt::format("{}: {} is said to be in {}; expected the name of a file in the same folder", what,
                              in_quotes(map->keys[i]), shown_value(file)));
    }
    files.emplace_back(map->keys[i], file.text);
  }
  if (files.empty()) throw Error(fmt::format("{}: weight_map names no tensor", what));
  return files;
}

std::string read_json_text(const std::string& path) {
  std::string text = read_small_file(path, kMostJsonBytes);
  const std::string seen = describe_bytes(std::as_bytes(std::span(text)));
  if (!seen.empty() && seen != "JSON text") throw Error(fmt::format("{}: not JSON: it is {}", path, seen));
  return text;
}

void WeightFiles::add(const std::string& folder, const std::string& name) {
  files_.push_back(std::make_unique<const SafetensorsFile>(SafetensorsFile::open((fs::path(folder) / name).string())));
  names_.push_back(name);
  const SafetensorsFile* file = files_.back().get();
  for (const SafetensorsEntry& entry : file->entries()) places_.try_emplace(entry.name, Place{file, &entry});
}

WeightFiles WeightFiles::open(const std::string& folder) {
  WeightFiles files;
  const fs::path path(folder);
  if (is_there(path / kWhole)) {
    files.add(folder, kWhole);
    return files;
  }
  if (!is_there(path / kIndex)) refuse_without_weights(folder);
  const std::string index = (path / kIndex).string();
  const auto map = parse_weight_index(read_json_text(index), index);
  std::vector<std::string> shards;
  for (const auto& [tensor, shard] : map) shards.push_back(shard);
  std::sort(shards.begin(), shards.end());
  shards.erase(std::unique(shards.begin(), shards.end()), shards.end());
  if (shards.size() > kMostShards) {
    throw Error(fmt::format("{}: names {} files; at most {} are read", index, shards.size(), kMostShards));
  }
  std::vector<std::string> missing;
  for (const std::string& shard : shards) {
    if (!is_there(path / shard)) missing.push_back(shortened(shard));
  }
  if (!missing.empty()) {
    throw Error(fmt::format("{}: {} of {} files that it names are missing: {}", index, missing.size(), shards.size(),
                            first_ten(missing)));
  }
  std::map<std::string, const SafetensorsFile*> opened;
  for (const std::string& shard : shards) {
    files.add(folder, shard);
    opened[shard] = files.files_.back().get();
  }
  std::vector<std::string> broken_promises;
  for (const auto& [tensor, shard] : map) {
    const SafetensorsFile* file = opened.at(shard);
    const SafetensorsEntry* entry = file->find(tensor);
    if (entry == nullptr) {
      broken_promises.push_back(fmt::format("{} in {}", shortened(tensor), shortened(shard)));
    } else {
      files.places_.insert_or_assign(tensor, Place{file, entry});
    }
  }
  if (!broken_promises.empty()) {
    throw Error(fmt::format("{}: promises tensors that are not there: {}", index, first_ten(broken_promises)));
  }
  return files;
}

const WeightFiles::Place* WeightFiles::find(const std::string& name) const {
  const auto at = places_.find(name);
  return at == places_.end() ? nullptr : &at->second;
}

}  // namespace headscope
