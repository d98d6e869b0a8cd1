#include "app/session/model_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <vector>

#include "app/session/capture_kind.h"
#include "core/base/error.h"
#include "core/base/system/machine.h"
#include "core/io/tensor_file.h"
#include "core/io/tensor_formats.h"
#include "core/model/adapter_folder.h"
#include "core/model/hub_folder.h"
#include "core/model/meta_folder.h"
#include "core/model/own_config.h"
#include "core/model/weight_files.h"

namespace headscope {

namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

// Whether the folder's model is read from the file of that name. Those of safetensors are told by their names alone, so
// that a shard without the others is refused as the folder is.
bool is_of_model(const fs::path& folder, const std::string& name) {
  if (name.starts_with("consolidated.") && is_meta_folder(folder.string())) return true;
  if (name.ends_with(".safetensors")) return name == "model.safetensors" || name.starts_with("model-");
  if (!name.ends_with(".bin") && !name.ends_with(".pt") && !name.ends_with(".pth")) return false;
  try {
    const WeightFiles files = WeightFiles::open(folder.string());
    return std::find(files.names().begin(), files.names().end(), name) != files.names().end();
  } catch (const Error&) {  // no weights that could be told
    return false;
  }
}

// Whether a name ends as files do that are opened here, so that it is none of the hub's models.
bool is_file_name(const std::string& name) {
  constexpr std::array endings = {".json", ".jsonl", ".safetensors", ".npy",  ".npz",  ".pt",   ".pth",      ".bin",
                                  ".gguf", ".png",   ".jpg",         ".jpeg", ".svg",  ".pdf",  ".html",     ".hsagg",
                                  ".txt",  ".csv",   ".model",       ".spm",  ".onnx", ".ckpt", ".tiktoken", ".wav"};
  return std::any_of(endings.begin(), endings.end(), [&](const char* ending) { return name.ends_with(ending); });
}

// "" where it is not set.
std::string variable(const char* name) {
  return system::environment(name).value_or("");
}

}  // namespace

std::string folder_of_weights(const std::string& path) {
  const fs::path file = path;
  if (!is_file(file)) return "";
  const fs::path folder = file.parent_path().empty() ? "." : file.parent_path();
  const bool configured = is_file(folder / "config.json") || is_meta_folder(folder.string());
  if (!is_of_model(folder, file.filename().string()) || (!configured && !has_own_config(folder.string()))) return "";
  return is_capture(open_tensor_file(path)) ? "" : folder.string();
}

std::string hub_cache() {
  for (const char* whole : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"}) {
    if (const std::string folder = variable(whole); !folder.empty()) return folder;
  }
  if (const std::string home = variable("HF_HOME"); !home.empty()) return (fs::path(home) / "hub").string();
  fs::path caches = variable("XDG_CACHE_HOME");
  if (caches.empty() && system::home_of_user().empty()) return "";
  if (caches.empty()) caches = fs::path(system::home_of_user()) / ".cache";
  return (caches / "huggingface" / "hub").string();
}

ModelPlace place_in_hub(const std::string& given) {
  std::error_code error;
  if (given.empty() || given == "seeded" || given.starts_with("demo:")) return {given, ""};
  if (fs::is_directory(given, error)) {
    if (!is_hub_folder(given)) return {given, ""};
    const std::string snapshot = hub_snapshot(given);
    return {snapshot, fmt::format("{} is a folder of the hub's cache; {} is opened", given, snapshot)};
  }
  const std::string name = hub_folder_name(given), cache = hub_cache();
  if (name.empty() || cache.empty() || fs::exists(fs::symlink_status(given, error))) return {given, ""};
  const std::string folder = (fs::path(cache) / name).string();
  if (!is_hub_folder(folder)) {
    if (is_file_name(given)) return {given, ""};
    throw Error(fmt::format(
        "{}: is not there, and the hub's cache {} holds no {}; expected a checkpoint folder with config.json and "
        "model.safetensors or pytorch_model.bin (for phrases tokenizer.json or its like), a GGUF model (.gguf), or the "
        "name of a model in that cache",
        given, cache, name));
  }
  const std::string snapshot = hub_snapshot(folder);
  return {snapshot, fmt::format("{} lies in the hub's cache; {} is opened", given, snapshot)};
}

ModelPlace model_place(const std::string& given) {
  const fs::path file(given);
  const std::string name = file.filename().string();
  if (name.starts_with("adapter_model.") && is_file(file)) {
    const std::string adapter = adapter_sentence(file.parent_path().empty() ? "." : file.parent_path().string());
    if (!adapter.empty()) throw Error(adapter);
  }
  const std::string folder = folder_of_weights(given);
  if (folder.empty()) return place_in_hub(given);
  return {folder, fmt::format("{} holds weights of the checkpoint {}, which is opened", given, folder)};
}

}  // namespace headscope
