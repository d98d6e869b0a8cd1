#include "core/model/adapter_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "core/base/message_text.h"
#include "core/io/json_text.h"
#include "core/model/weight_files.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

std::string text_at(const JsonValue& config, const char* key) {
  const JsonValue* value = config.kind == JsonValue::Kind::object ? config.find(key) : nullptr;
  return value != nullptr && value->kind == JsonValue::Kind::string ? value->text : "";
}

}  // namespace

std::string adapter_sentence(const std::string& folder) {
  static constexpr std::array kWhole = {"model.safetensors", "model.safetensors.index.json", "pytorch_model.bin",
                                        "pytorch_model.bin.index.json"};
  const fs::path path = folder, config_path = path / "adapter_config.json";
  if (!is_there(config_path)) return "";
  if (std::any_of(kWhole.begin(), kWhole.end(), [&](const char* name) { return is_there(path / name); })) return "";
  const JsonValue config = read_config_json(config_path.string());
  const std::string kind = text_at(config, "peft_type"), base = text_at(config, "base_model_name_or_path");
  return fmt::format(
      "{}: holds an adapter{} of {}, not a model; expected a whole model: that one as --model, and this folder as "
      "--adapter",
      folder, kind.empty() ? "" : fmt::format(" ({})", shortened(kind)),
      base.empty() ? "a base model that adapter_config.json does not name" : in_quotes(base));
}

}  // namespace headscope
