#include "app/cli/describe_config.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "app/cli/output.h"
#include "core/base/error.h"
#include "core/base/grouped_digits.h"
#include "core/io/json_text.h"
#include "core/model/model_config.h"
#include "core/model/planned_size.h"
#include "core/model/weight_files.h"

namespace headscope::cli {

namespace {

using Json = nlohmann::ordered_json;

// The facts of a config.json that decide shapes, under the names that the model families give them.
constexpr std::array kConfigFacts = {"model_type",
                                     "num_hidden_layers",
                                     "n_layer",
                                     "n_layers",
                                     "num_attention_heads",
                                     "n_head",
                                     "n_heads",
                                     "hidden_size",
                                     "n_embd",
                                     "dim",
                                     "d_model",
                                     "num_key_value_heads",
                                     "n_kv_heads",
                                     "head_dim",
                                     "vocab_size",
                                     "intermediate_size",
                                     "n_positions",
                                     "max_position_embeddings",
                                     "position_embedding_type",
                                     "rope_theta",
                                     "sliding_window",
                                     "torch_dtype"};

}  // namespace

void add_sizes(const Architecture& model, Description& description) {
  Json& json = description.json;
  json["architecture"] = model.family;
  json["num_layers"] = model.num_layers;
  json["num_heads"] = model.num_heads;
  json["num_kv_heads"] = model.num_kv_heads;
  json["d_model"] = model.d_model;
  json["head_dim"] = model.head_dim;
  description.text += fmt::format("architecture {}: {}, {}{}, d_model {}, head_dim {}\n", model.family,
                                  counted(model.num_layers, "layer"), counted(model.num_heads, "head"),
                                  model.num_kv_heads == model.num_heads
                                      ? ""
                                      : fmt::format(" ({})", counted(model.num_kv_heads, "key and value head")),
                                  model.d_model, model.head_dim);
}

namespace {

// Adds how much a model of these sizes holds and takes, by formulas of its sizes; nothing is read.
void add_planned_size(const PlannedSize& size, const Architecture& model, Description& description) {
  constexpr double kFloat = 4, kHalf = 2;
  const auto bytes = [](std::int64_t numbers, double each) { return size_text(static_cast<double>(numbers) * each); };
  Json& json = description.json;
  json["parameters"] = size.parameters;
  json["multiply_adds_per_token"] = size.multiply_adds;
  json["cached_numbers_per_token"] = size.cached;
  json["vocab_size"] = model.vocab_size;
  json["max_positions"] = model.max_positions;
  json["mlp_width"] = model.mlp_width;
  description.text += fmt::format("{} parameters: {} in F32, {} in F16 or BF16\n", grouped_digits(size.parameters),
                                  bytes(size.parameters, kFloat), bytes(size.parameters, kHalf));
  description.text +=
      fmt::format("a token takes {} multiply-adds in its matrices; its keys and values are {} numbers, {} in float32\n",
                  grouped_digits(size.multiply_adds), grouped_digits(size.cached), bytes(size.cached, kFloat));
}

}  // namespace

// Adds what config.json alone says, or why a model of it cannot be run.
void add_configured_sizes(const std::string& path, Description& description) {
  try {
    const ModelConfig config = model_config_of(read_config_json(path), path);
    add_sizes(config.architecture, description);
    add_planned_size(planned_size(config), config.architecture, description);
  } catch (const Error& error) {
    description.json["unknown_architecture"] = error.what();
    description.text += "no architecture that is known: " + printable(error.what()) + "\n";
  }
}

bool is_model_config(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  if (name != "config.json" && name != "lit_config.json") return false;
  const JsonValue config = read_config_json(path);
  return config.kind == JsonValue::Kind::object;
}

Description describe_model_config(const std::string& path) {
  Description description;
  description.json = {{"path", path}, {"kind", "configuration"}, {"architecture", nullptr}};
  description.text = printable(path) + ": the configuration of a model\n";
  add_configured_sizes(path, description);
  add_config(path, description);
  return description;
}

void add_config(const std::string& path, Description& description) {
  const JsonValue config = read_config_json(path);
  if (config.kind != JsonValue::Kind::object)
    throw Error(path + " is not a JSON object; expected a model's configuration");
  Json facts = Json::object();
  for (const char* key : kConfigFacts) {
    const JsonValue* value = config.find(key);
    if (value == nullptr) continue;
    if (value->kind == JsonValue::Kind::number) facts[key] = Json::parse(value->text);
    if (value->kind == JsonValue::Kind::string) facts[key] = value->text;
    if (value->kind == JsonValue::Kind::boolean) facts[key] = value->truth;
  }
  description.json["config"] = facts;
}

}  // namespace headscope::cli
