#include "core/model/meta_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/io/tensor_formats.h"
#include "core/model/config_reader.h"
#include "core/model/json_values.h"
#include "core/model/meta_shards.h"
#include "core/model/tensor_names.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr const char* kParams = "params.json";
constexpr std::int64_t kMost = std::int64_t{1} << 31;
constexpr std::int64_t kLongestText = 2048;

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

// A size of a tensor; 0 where there is none.
std::int64_t size_of(const WeightFiles& files, const char* name, std::size_t axis) {
  const WeightFiles::Place* place = files.find(name);
  return place == nullptr || place->entry->shape.size() != 2 ? 0 : place->entry->shape[axis];
}

// consolidated.safetensors, or consolidated.00 and those that follow it, of either format; empty where there are none.
std::vector<fs::path> weights_in(const fs::path& folder) {
  constexpr std::size_t most = 100;
  if (is_there(folder / "consolidated.safetensors")) return {folder / "consolidated.safetensors"};
  std::vector<fs::path> found;
  for (const char* ending : {"pth", "safetensors"}) {
    while (found.size() < most) {
      const fs::path next = folder / fmt::format("consolidated.{:02}.{}", found.size(), ending);
      if (!is_there(next)) break;
      found.push_back(next);
    }
    if (!found.empty()) break;
  }
  return found;
}

std::int64_t layers_of(const WeightFiles& files) {
  std::int64_t layers = 0;
  for (const auto& [name, place] : files.all()) {
    const LayeredName parts = layered_name(name);
    if (parts.before == "layers.") layers = std::max<std::int64_t>(layers, parts.layer + 1);
  }
  return layers;
}

// A size that params.json says, and the same by the tensors.
struct MetaSize {
  const char* key;
  std::int64_t said = 0;   // 0: it says none
  std::int64_t found = 0;  // 0: no tensor tells it
};

std::vector<MetaSize> sizes_of(ConfigReader& params, const WeightFiles& files) {
  const auto said = [&](const char* key) { return std::max<std::int64_t>(params.whole(key, -1, kMost, 0), 0); };
  const std::int64_t heads = said("n_heads"), rows = size_of(files, "layers.0.attention.wq.weight", 0);
  const std::int64_t width = heads > 0 && rows % heads == 0 ? rows / heads : 0;  // of a head
  const std::int64_t key_rows = size_of(files, "layers.0.attention.wk.weight", 0);
  return {{"dim", said("dim"), size_of(files, "tok_embeddings.weight", 1)},
          {"n_layers", said("n_layers"), layers_of(files)},
          {"n_heads", heads, 0},
          {"n_kv_heads", said("n_kv_heads"), width > 0 && key_rows % width == 0 ? key_rows / width : 0},
          {"vocab_size", said("vocab_size"), size_of(files, "tok_embeddings.weight", 0)},
          {"hidden_dim", said("hidden_dim"), size_of(files, "layers.0.feed_forward.w1.weight", 0)},
          {"max_seq_len", said("max_seq_len"), 0}};
}

[[noreturn]] void refuse(const std::string& path, const WeightFiles& files, const std::vector<MetaSize>& sizes,
                         const JsonValue& params) {
  std::vector<std::string> contradictions;
  std::string config = R"({"model_type": "llama2c")";
  for (const MetaSize& size : sizes) {
    if (size.said > 0 && size.found > 0 && size.said != size.found) {
      contradictions.push_back(fmt::format("{} is {} and the tensors have {}", size.key, size.said, size.found));
    }
    const std::int64_t value = size.found > 0 ? size.found : size.said;
    if (value > 0) config += fmt::format(", \"{}\": {}", size.key, value);
  }
  for (const char* key : {"norm_eps", "rope_theta"}) {
    const JsonValue* value = params.find(key);
    if (value != nullptr && value->kind == JsonValue::Kind::number)
      config += fmt::format(R"(, "{}": {})", key, value->text);
  }
  const bool longest = config.find("max_seq_len") == config.npos;
  if (longest) config += fmt::format(", \"max_seq_len\": {}", kLongestText);
  throw Error(
      fmt::format("{}: does not fit {}: {}; expected the params.json of these tensors, or a config.json beside them, "
                  "which is read instead; this one fits them if n_heads is right: {}}}",
                  path, files.names().front(), first_ten(contradictions), config));
}

}  // namespace

bool is_meta_folder(const std::string& folder) {
  const fs::path path = folder;
  return is_there(path / kParams) && !is_there(path / "config.json") && !weights_in(path).empty();
}

WeightFiles open_meta_weights(const std::string& folder) {
  const std::vector<fs::path> paths = weights_in(folder);
  std::vector<TensorFile> files;
  for (const fs::path& path : paths) files.push_back(open_tensor_file(path.string()));
  return WeightFiles::of(files.size() == 1 ? std::move(files.front()) : joined_shards(files));
}

JsonValue meta_config(const std::string& folder, const WeightFiles& files) {
  const std::string path = (fs::path(folder) / kParams).string();
  const JsonValue params = read_config_json(path);
  if (params.kind != JsonValue::Kind::object) throw Error(path + " is no JSON object; expected the sizes of a model");
  ConfigReader reader(params);
  const std::vector<MetaSize> sizes = sizes_of(reader, files);
  if (!reader.problems().empty()) throw Error(fmt::format("{}: {}", path, first_ten(reader.problems(), "; ")));
  const auto contradicts = [](const MetaSize& size) {
    return size.said > 0 && size.found > 0 && size.said != size.found;
  };
  if (std::any_of(sizes.begin(), sizes.end(), contradicts)) refuse(path, files, sizes, params);
  JsonValue config;
  set(config, "model_type", json_text("llama2c"));
  for (const MetaSize& size : sizes) {
    const bool length = std::string_view(size.key) == "max_seq_len";
    const std::int64_t value = size.said > 0 ? size.said : length ? kLongestText : size.found;
    if (value > 0) set(config, size.key, json_number(std::to_string(value)));
  }
  for (std::size_t k = 0; k < params.keys.size(); ++k) {
    if (config.find(params.keys[k]) == nullptr) set(config, params.keys[k], params.items[k]);
  }
  return config;
}

}  // namespace headscope
