#include "core/model/weight_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/base/system/files.h"
#include "core/io/atomic_file.h"
#include "core/io/json_text.h"
#include "core/io/mapped_file.h"
#include "core/io/npz.h"
#include "core/io/python_json.h"
#include "core/io/torch_file.h"
#include "core/model/config_reader.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

// How save_pretrained lays weights out; the first row of which a file is there is taken.
struct WeightLayout {
  const char* whole;
  const char* index;  // names the shards
  TensorFile (*open)(const std::string& path);
};

constexpr WeightLayout kLayouts[] = {
    {"model.safetensors", "model.safetensors.index.json", open_safetensors},
    {"pytorch_model.bin", "pytorch_model.bin.index.json", open_torch},
};

constexpr std::size_t kMostJsonBytes = std::size_t{16} << 20;
constexpr std::size_t kMostShards = 2000;

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

// A shard lies in the folder: an index from elsewhere must not make us open other files.
bool is_plain_file_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\\\0", 3)) == name.npos && !system::leads_elsewhere(name);
}

// What to do about files of weights that are not read, by the ends of their names.
struct WeightAdvice {
  const char* ending;
  std::string advice;
};

const std::vector<WeightAdvice>& advice_rows() {
  static const std::vector<WeightAdvice> rows = {
      {".bin", ", which is no pytorch_model.bin: rename it if it is the whole model"},
      {".ckpt", ", a checkpoint of training code: rename it to model.pt if torch.save wrote it"},
      {".gguf", ", a GGUF model: give its own path"},
      {".onnx", ", an ONNX model, whose weights are not read: open the model that it was exported from"},
      {".npz", std::string(", ") + kNpzAdvice},
      {".h5", ", weights of another framework, which are not read"},
      {".msgpack", ", weights of another framework, which are not read"},
      {".safetensors", ", which only an index could name: rename it if it is the whole model"},
  };
  return rows;
}

std::string advice_for(const std::string& name) {
  for (const WeightAdvice& row : advice_rows()) {
    if (name.ends_with(row.ending)) return row.advice;
  }
  return "";
}

std::vector<std::string> sorted_names(const std::string& folder) {
  constexpr std::size_t most = 4096;
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end && names.size() < most; at.increment(error)) {
    names.push_back(at->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// The .pt and .pth files that may be the model's; those of an optimizer, a schedule or a generator are none.
std::vector<std::string> torch_names(const std::vector<std::string>& names) {
  std::vector<std::string> found;
  for (const std::string& name : names) {
    const bool beside = name.starts_with("optimizer") || name.starts_with("scheduler") || name.starts_with("scaler") ||
                        name.starts_with("rng_state");
    if (!beside && (name.ends_with(".pt") || name.ends_with(".pth"))) found.push_back(name);
  }
  return found;
}

[[noreturn]] void refuse_without_weights(const std::string& folder, const std::vector<std::string>& names) {
  std::string telling;
  std::vector<std::string> shown;
  for (const std::string& name : names) {
    const std::string advice = advice_for(name);
    if (!advice.empty() && telling.empty()) telling = shortened(name) + advice;
    shown.push_back(shortened(name));
  }
  throw Error(fmt::format("{}: found neither {} nor {} nor the same of {} nor one .pt or .pth; it holds {}", folder,
                          kLayouts[0].whole, kLayouts[0].index, kLayouts[1].whole,
                          !telling.empty() ? telling
                          : names.empty()  ? "nothing"
                                           : first_ten(shown)));
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

JsonValue read_config_json(const std::string& path) {
  return parse_strict_json(without_python_numbers(read_json_text(path)), path);
}

void WeightFiles::add(const std::string& folder, const std::string& name, Open open_file) {
  files_.push_back(std::make_unique<const TensorFile>(open_file((fs::path(folder) / name).string())));
  names_.push_back(name);
  const TensorFile* file = files_.back().get();
  for (const TensorEntry& entry : file->entries) places_.try_emplace(entry.name, Place{file, &entry});
}

WeightFiles WeightFiles::open(const std::string& folder) {
  WeightFiles files;
  const fs::path path(folder);
  for (const WeightLayout& layout : kLayouts) {
    if (is_there(path / layout.whole)) {
      files.add(folder, layout.whole, layout.open);
      return files;
    }
    if (is_there(path / layout.index)) {
      files.add_shards(folder, layout.index, layout.open);
      return files;
    }
  }
  const std::vector<std::string> names = sorted_names(folder);
  const std::vector<std::string> torch = torch_names(names);
  if (torch.empty()) refuse_without_weights(folder, names);
  if (torch.size() > 1) {
    std::vector<std::string> shown;
    for (const std::string& name : torch) shown.push_back(shortened(name));
    throw Error(fmt::format("{}: found {} files that may hold the model: {}; expected one, or one called {}", folder,
                            torch.size(), first_ten(shown), kLayouts[1].whole));
  }
  files.add(folder, torch.front(), open_torch);
  return files;
}

void WeightFiles::add_shards(const std::string& folder, const std::string& index_name, Open open_file) {
  const fs::path path(folder);
  const std::string index = (path / index_name).string();
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
  std::map<std::string, const TensorFile*> opened;
  for (const std::string& shard : shards) {
    add(folder, shard, open_file);
    opened[shard] = files_.back().get();
  }
  std::vector<std::string> broken_promises;
  for (const auto& [tensor, shard] : map) {
    const TensorFile* file = opened.at(shard);
    const TensorEntry* entry = file->find(tensor);
    if (entry == nullptr) {
      broken_promises.push_back(fmt::format("{} in {}", shortened(tensor), shortened(shard)));
    } else {
      places_.insert_or_assign(tensor, Place{file, entry});
    }
  }
  if (!broken_promises.empty()) {
    throw Error(fmt::format("{}: promises tensors that are not there: {}", index, first_ten(broken_promises)));
  }
}

WeightFiles WeightFiles::of(TensorFile file) {
  WeightFiles files;
  files.names_.push_back(file.path);
  files.files_.push_back(std::make_unique<const TensorFile>(std::move(file)));
  for (const TensorEntry& entry : files.files_[0]->entries) {
    files.places_.try_emplace(entry.name, Place{files.files_[0].get(), &entry});
  }
  return files;
}

bool WeightFiles::name_also(const std::string& name, const std::string& tensor) {
  const auto at = places_.find(tensor);
  if (at == places_.end()) return false;
  other_names_.insert_or_assign(name, at->second);
  return true;
}

void WeightFiles::put(Made made, const std::string& known_as) {
  TensorFile file;
  const Place* first = made.of.empty() ? nullptr : find(made.of.front());
  file.path = first != nullptr ? first->file->path : files_.front()->path;
  file.format = first != nullptr ? first->file->format : files_.front()->format;
  for (const std::string& name : made.of) places_.erase(name);
  const std::string name = made.entry.name;
  file.entries.push_back(std::move(made.entry));
  file.read = [read = std::move(made.read)](std::size_t, bool two_bytes) { return read(two_bytes); };
  files_.push_back(std::make_unique<const TensorFile>(std::move(file)));
  const TensorFile* kept = files_.back().get();
  places_.insert_or_assign(name, Place{kept, &kept->entries.front()});
  if (!known_as.empty()) name_also(known_as, name);
}

const WeightFiles::Place* WeightFiles::find(const std::string& name) const {
  if (const auto at = other_names_.find(name); at != other_names_.end()) return &at->second;
  const auto at = places_.find(name);
  return at == places_.end() ? nullptr : &at->second;
}

}  // namespace headscope
