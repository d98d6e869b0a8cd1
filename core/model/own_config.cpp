#include "core/model/own_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/base/utf8.h"
#include "core/io/atomic_file.h"
#include "core/io/json_text.h"
#include "core/io/mapped_file.h"
#include "core/model/json_values.h"
#include "core/model/lens_tensors.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostYamlBytes = std::size_t{1} << 20;

// Keys of a dictionary that torch.save wrote beside the tensors, the best first: training settings come last.
constexpr std::array kSettings = {"model_args", "model_config", "hyper_parameters", "hparams", "config"};

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

JsonValue null_value() {
  JsonValue value;
  value.kind = JsonValue::Kind::null;
  return value;
}

// "1.0e-05" is a number in YAML as it is in JSON; "1e-05" is a text to some readers, and a number here.
JsonValue scalar(std::string_view text) {
  if (text.empty() || text == "~" || text == "null") return null_value();
  if (text == "true" || text == "false") return json_truth(text == "true");
  if (text.size() >= 2 && (text.front() == '\'' || text.front() == '"') && text.back() == text.front()) {
    return json_text(std::string(text.substr(1, text.size() - 2)));
  }
  double number = 0;
  const auto [at, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = failure == std::errc() && at == text.data() + text.size() &&
                         text.find_first_not_of("0123456789+-.eE") == text.npos;
  return is_number ? json_number(std::string(text)) : json_text(std::string(text));
}

// What stands behind the value of a line.
std::string_view without_comment(std::string_view value) {
  if (!value.empty() && (value.front() == '"' || value.front() == '\'')) return value;
  return value.substr(0, std::min(value.find(" #"), value.size()));
}

std::optional<OwnConfig> of_other_file(const fs::path& folder) {
  if (const fs::path json = folder / "lit_config.json"; is_there(json)) {
    return OwnConfig{read_config_json(json.string()), json.string()};
  }
  if (const fs::path yaml = folder / "model_config.yaml"; is_there(yaml)) {
    const std::string text = read_small_file(yaml.string(), kMostYamlBytes);
    if (const std::string seen = describe_bytes(std::as_bytes(std::span(text))); !seen.empty()) {
      throw Error(fmt::format("{}: it is {}; expected keys and values, a line each", yaml.string(), seen));
    }
    return OwnConfig{flat_yaml(text, yaml.string()), yaml.string()};
  }
  return std::nullopt;
}

std::optional<OwnConfig> of_settings(const WeightFiles& files) {
  if (files.all().empty()) return std::nullopt;
  const TensorFile& file = *files.all().begin()->second.file;
  for (const char* key : kSettings) {
    const auto found = file.metadata.find(key);
    if (found == file.metadata.end() || !found->second.starts_with('{')) continue;
    const std::string what = fmt::format("{}: {}", file.path, key);
    return OwnConfig{parse_strict_json(found->second, what), what};
  }
  return std::nullopt;
}

}  // namespace

JsonValue flat_yaml(std::string_view text, const std::string& what) {
  if (first_invalid_byte(text) != text.npos) throw Error(what + ": is no UTF-8; expected keys and values, a line each");
  JsonValue object;
  object.kind = JsonValue::Kind::object;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string_view content = trimmed(line);
    if (content.empty() || content.front() == '#' || content == "---") continue;
    if (line.front() == ' ' || line.front() == '\t' || content.starts_with("- ")) {
      if (object.keys.empty()) throw Error(fmt::format("{}: line {} is indented below nothing", what, number));
      JsonValue& above = object.items.back();
      if (above.kind == JsonValue::Kind::null) set(above, "members", null_value());
      continue;
    }
    const std::size_t colon = content.find(':');
    if (colon == content.npos || colon == 0 || (colon + 1 < content.size() && content[colon + 1] != ' ')) {
      throw Error(fmt::format("{}: line {} is {}; expected a key, a colon and a value", what, number,
                              in_quotes(shortened(content))));
    }
    const std::string key(trimmed(content.substr(0, colon)));
    if (object.find(key) != nullptr) throw Error(fmt::format("{}: the key {} stands twice", what, in_quotes(key)));
    set(object, key, scalar(trimmed(without_comment(trimmed(content.substr(colon + 1))))));
  }
  return object;
}

std::optional<OwnConfig> own_config(const std::string& folder, const WeightFiles& files) {
  if (std::optional<OwnConfig> other = of_other_file(folder)) return other;
  if (std::optional<OwnConfig> settings = of_settings(files)) return settings;
  if (!holds_lens_tensors(files)) return std::nullopt;
  return OwnConfig{lens_config(files, files.all().begin()->second.file->path), folder};
}

bool has_own_config(const std::string& folder) {
  const fs::path path = folder;
  if (is_there(path / "config.json")) return false;
  if (is_there(path / "lit_config.json") || is_there(path / "model_config.yaml")) return true;
  try {
    const WeightFiles files = WeightFiles::open(folder);
    return of_settings(files) || holds_lens_tensors(files);
  } catch (const Error&) {  // no weights that could be told
    return false;
  }
}

}  // namespace headscope
