#include "core/model/opened_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/io/gguf.h"
#include "core/io/mapped_file.h"
#include "core/io/tensor_formats.h"
#include "core/io/vocabulary_bytes.h"
#include "core/model/adapter_folder.h"
#include "core/model/adapters.h"
#include "core/model/gguf_model.h"
#include "core/model/lens_tensors.h"
#include "core/model/meta_folder.h"
#include "core/model/model_map.h"
#include "core/model/own_config.h"

namespace headscope {

namespace fs = std::filesystem;

namespace {

// Some folders hold the encoder of a model alone, or a model without the layer that gathers its result.
bool holds_more_parts(const Family& family, const WeightFiles& files) {
  if (family.more_parts.empty()) return false;
  const std::string probe = family.more_parts.front().names.probe;
  return std::any_of(files.all().begin(), files.all().end(), [&](const auto& entry) {
    if (!probe.empty()) return entry.first.ends_with(probe);
    return entry.first.starts_with("decoder.") || entry.first.find(".decoder.") != std::string::npos;
  });
}

}  // namespace

OpenedModel open_gguf_model(const std::string& path, const std::string& file_path) {
  refuse_adapters(path, "is a GGUF model, whose tensors have other names and other numbers");
  const std::shared_ptr<const GgufFile> file = GgufFile::open(file_path);
  GgufModel model = gguf_model_of(*file);
  return {path,
          file_path,
          std::move(model.config),
          std::make_shared<const WeightFiles>(WeightFiles::of(tensors_of(file))),
          std::move(model.family),
          model.paired_rows};
}

namespace {

[[noreturn]] void refuse_no_folder(const std::string& folder, const fs::file_status& status) {
  if (const std::string unread = unread_format(folder); fs::exists(status) && !unread.empty()) {
    throw Error(folder + ": " + unread);
  }
  std::string seen = fs::exists(status) ? "no folder" : "not there";
  if (fs::is_regular_file(status)) {
    const auto file = MappedFile::open(folder);
    std::string content = describe_bytes(file->bytes());
    if (content.empty()) content = describe_vocabulary(file->bytes());
    if (!content.empty() && content != "empty") seen += " but " + content;
  }
  throw Error(fmt::format(
      "{}: is {}; expected a checkpoint folder with config.json and model.safetensors or pytorch_model.bin, or a "
      "GGUF model (.gguf)",
      folder, seen));
}

OpenedModel open_meta_folder(const std::string& path, const std::string& folder, Tower tower) {
  refuse_adapters(path, "is a folder as Meta ships Llama, whose tensors have other names");
  WeightFiles files = open_meta_weights(folder);
  ModelConfig config = model_config_of(meta_config(folder, files), (fs::path(folder) / "params.json").string(), tower);
  return {path, folder, std::move(config), std::make_shared<const WeightFiles>(std::move(files))};
}

// Of a row that arranges its tensors, and of one whose model TransformerLens took over.
void arrange_tensors(ModelConfig& config, WeightFiles& files, const std::string& what) {
  if (config.family->arrange == nullptr && holds_lens_tensors(files)) read_as_lens(config, files, what);
  if (config.family->arrange != nullptr) config.family->arrange(files, config.architecture, what);
}

// A folder with weights that say themselves what they are of.
OpenedModel open_without_config(const std::string& path, const std::string& folder, Tower tower) {
  std::optional<OwnConfig> own;
  WeightFiles files;
  if (has_own_config(folder)) {
    files = WeightFiles::open(folder);
    own = own_config(folder, files);
  }
  if (!own) throw Error(fmt::format("{}: found no config.json in it; expected a checkpoint folder", folder));
  ModelConfig config = model_config_of(own->json, own->what, tower);
  std::vector<std::string> changed = put_adapters(files, path, config.family->in_out);
  arrange_tensors(config, files, folder);
  OpenedModel opened{path, folder, std::move(config), std::make_shared<const WeightFiles>(std::move(files))};
  opened.changed = std::move(changed);
  return opened;
}

}  // namespace

OpenedModel open_model_folder(const std::string& path, const std::string& folder, Tower tower) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (!fs::is_directory(status)) refuse_no_folder(folder, status);
  if (const std::string adapter = adapter_sentence(folder); !adapter.empty()) throw Error(adapter);
  if (is_meta_folder(folder)) return open_meta_folder(path, folder, tower);
  const fs::path config = fs::path(folder) / "config.json";
  if (!fs::exists(config, error)) return open_without_config(path, folder, tower);
  const fs::path map = fs::path(folder) / kMapName;
  const bool mapped = fs::exists(fs::symlink_status(map, error));
  const JsonValue json = read_config_json(config.string());
  std::optional<ModelConfig> read;
  std::optional<JsonValue> said;
  if (mapped) said = read_model_map(map.string());
  const bool of_family = !mapped || only_ignores(*said);
  if (of_family) read = model_config_of(json, config.string(), tower);
  WeightFiles files = WeightFiles::open(folder);
  std::vector<std::string> changed =
      put_adapters(files, path, read ? std::optional(read->family->in_out) : std::nullopt);
  if (!of_family) read = model_map_of(*said, map.string(), files);
  if (of_family) arrange_tensors(*read, files, folder);
  if (of_family && mapped) read->map.ignored = ignored_of(*said, map.string(), files);
  std::vector<ModelConfig> parts;
  if (holds_more_parts(*read->family, files)) {
    for (const Family& part : read->family->more_parts) {
      parts.push_back(model_config_of(json, part, config.string()));
    }
  }
  return {path,    folder, std::move(*read), std::make_shared<const WeightFiles>(std::move(files)),
          nullptr, false,  std::move(parts), std::move(changed)};
}

}  // namespace headscope
