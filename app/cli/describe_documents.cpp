#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "app/cli/describe.h"
#include "app/cli/output.h"
#include "core/attention/request_text.h"
#include "core/error.h"
#include "core/io/atomic_file.h"
#include "core/io/mapped_file.h"
#include "core/io/png.h"
#include "core/io/session_file.h"
#include "core/io/svg.h"

namespace headscope::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostConfigBytes = std::size_t{16} << 20;

// The facts of a config.json that decide shapes, under the names that the model families give them.
constexpr std::array<std::pair<const char*, const char*>, 18> kConfigFacts = {{
    {"model_type", "model type"},
    {"num_hidden_layers", "layers"},
    {"n_layer", "layers"},
    {"num_attention_heads", "heads"},
    {"n_head", "heads"},
    {"num_key_value_heads", "key and value heads"},
    {"hidden_size", "d_model"},
    {"n_embd", "d_model"},
    {"d_model", "d_model"},
    {"head_dim", "head_dim"},
    {"intermediate_size", "feed-forward width"},
    {"vocab_size", "vocabulary"},
    {"max_position_embeddings", "positions"},
    {"n_positions", "positions"},
    {"position_embedding_type", "position embedding"},
    {"rope_theta", "rope theta"},
    {"sliding_window", "sliding window"},
    {"torch_dtype", "dtype"},
}};

void add_request(const SessionFile& session, Description& description) {
  description.json["request"] = Json::parse(request_json(session.request));
  if (session.view) description.json["view"] = Json::parse(view_json(*session.view));
  const std::string command = shell_command_of(session.request, "headscope-cli run");
  description.json["command"] = command;
  description.text += printable(command) + "\n";
  if (session.view) {
    description.text +=
        fmt::format("view: {}, stage {}\n", view_kind_name(session.view->view), stage_name(session.view->stage));
  }
}

std::string fact_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void add_config(const std::string& path, Description& description) {
  const std::string text = read_small_file(path, kMostConfigBytes);
  Json config;
  try {
    config = Json::parse(text);
  } catch (const Json::exception& error) {
    throw Error(path + " is not valid JSON: " + error.what());
  }
  if (!config.is_object()) throw Error(path + " is not a JSON object; expected a model's configuration");
  Json facts = Json::object();
  for (const auto& [key, title] : kConfigFacts) {
    const auto found = config.find(key);
    if (found == config.end() || found->is_structured() || found->is_null()) continue;
    facts[key] = *found;
    description.text += fmt::format("{} {}\n", title, printable(fact_text(*found)));
  }
  description.json["config"] = facts;
}

}  // namespace

Description describe_session(const std::string& path) {
  Description description;
  description.json = {{"path", path}, {"kind", "session"}};
  description.text = printable(path) + ": a session\n";
  add_request(read_session(path), description);
  return description;
}

namespace {

Description described_recipe(Description description, const std::string& path,
                             const std::optional<std::string>& recipe) {
  description.json["recipe"] = recipe.has_value();
  if (!recipe) {
    description.text += "no recipe: Headscope did not export it, or another program has saved it since\n";
    return description;
  }
  const SessionFile session = parse_session(*recipe, "the recipe in " + path);
  add_request(session, description);
  if (!session.weights_sha256.empty()) {
    description.json["weights_sha256"] = session.weights_sha256;
    description.text += "sha256 of the weights: " + printable(session.weights_sha256) + "\n";
  }
  return description;
}

}  // namespace

Description describe_picture(const std::string& path) {
  const PngInfo info = read_png_info(path);
  Description description;
  description.json = {{"path", path}, {"kind", "picture"}, {"width", info.width}, {"height", info.height}};
  description.text = fmt::format("{}: PNG picture, {} x {} pixels\n", printable(path), info.width, info.height);
  const auto recipe = info.texts.find("headscope");
  return described_recipe(description, path, recipe == info.texts.end() ? std::nullopt : std::optional(recipe->second));
}

Description describe_drawing(const std::string& path) {
  const auto file = MappedFile::open(path);
  const std::string_view text(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  Description description;
  description.json = {{"path", path}, {"kind", "drawing"}, {"bytes", text.size()}};
  description.text = fmt::format("{}: SVG drawing, {}\n", printable(path), size_text(static_cast<double>(text.size())));
  return described_recipe(description, path, svg_recipe(text, path));
}

Description describe_folder(const std::string& path) {
  Description description;
  description.json = {{"path", path}, {"kind", "checkpoint"}};
  description.text = printable(path) + ": a checkpoint folder; running checkpoints comes in a later version\n";
  std::vector<std::pair<std::string, double>> files;
  try {
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      std::error_code error;
      const auto bytes = entry.is_regular_file(error) ? entry.file_size(error) : 0;
      if (entry.is_regular_file(error))
        files.emplace_back(entry.path().filename().string(), static_cast<double>(bytes));
    }
  } catch (const std::filesystem::filesystem_error& error) {
    throw Error(path + ": " + error.code().message() + "; expected a folder that can be read");
  }
  std::sort(files.begin(), files.end());
  const auto named = [&files](const std::string& name) {
    return std::any_of(files.begin(), files.end(), [&name](const auto& file) { return file.first == name; });
  };
  const bool exported = named("manifest.json") && !named("config.json");
  if (exported) {
    description.json["kind"] = "export";
    description.text = printable(path) + ": stages that Headscope exported\n";
    add_request(read_session((std::filesystem::path(path) / "manifest.json").string()), description);
  }
  const bool weights =
      std::any_of(files.begin(), files.end(), [](const auto& file) { return file.first.ends_with(".safetensors"); });
  if (!exported && !named("config.json") && !weights) {
    throw Error(path + ": found a folder without config.json and without .safetensors; expected a checkpoint folder");
  }
  if (named("config.json")) add_config((std::filesystem::path(path) / "config.json").string(), description);
  Json list = Json::array();
  std::vector<std::vector<std::string>> rows = {{"file", "size"}};
  for (const auto& [name, bytes] : files) {
    list.push_back({{"name", name}, {"bytes", static_cast<std::int64_t>(bytes)}});
    rows.push_back({printable(name), size_text(bytes)});
  }
  description.json["files"] = list;
  description.text += "\n" + table_text({{}, {true}}, rows);
  return description;
}

}  // namespace headscope::cli
