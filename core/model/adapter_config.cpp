#include "core/model/adapter_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/io/json_text.h"
#include "core/model/config_reader.h"
#include "core/model/weight_files.h"
#include "core/text/split_pattern.h"

namespace headscope {
namespace {

using Kind = JsonValue::Kind;

constexpr std::int64_t kMostRank = std::int64_t{1} << 20;

// Keys of PEFT's LoraConfig that are read here, or that say how the adapter was trained and change none of its numbers.
constexpr std::array<std::string_view, 33> kKnownKeys = {"alpha_pattern",
                                                         "auto_mapping",
                                                         "base_model_name_or_path",
                                                         "bias",
                                                         "corda_config",
                                                         "eva_config",
                                                         "exclude_modules",
                                                         "fan_in_fan_out",
                                                         "inference_mode",
                                                         "init_lora_weights",
                                                         "layers_pattern",
                                                         "layers_to_transform",
                                                         "loftq_config",
                                                         "lora_alpha",
                                                         "lora_dropout",
                                                         "lora_dtype",
                                                         "megatron_config",
                                                         "megatron_core",
                                                         "merge_weights",
                                                         "modules_to_save",
                                                         "peft_type",
                                                         "peft_version",
                                                         "qalora_group_size",
                                                         "r",
                                                         "rank_pattern",
                                                         "revision",
                                                         "runtime_config",
                                                         "target_modules",
                                                         "task_type",
                                                         "use_dora",
                                                         "use_rslora",
                                                         "lora_ga_config",
                                                         "trainable_token_indices"};

// Ways to begin that leave the base as it is: those that change it (PiSSA, OLoRA, CorDA, LoftQ) train against weights
// that the base's files do not hold.
constexpr std::array<std::string_view, 3> kHarmlessBeginnings = {"gaussian", "eva", "orthogonal"};

// Whether a value asks for nothing: null, false, an empty text, list or object.
bool says_nothing(const JsonValue& value) {
  switch (value.kind) {
    case Kind::null:
      return true;
    case Kind::boolean:
      return !value.truth;
    case Kind::string:
      return value.text.empty();
    case Kind::array:
    case Kind::object:
      return value.items.empty();
    default:
      return false;
  }
}

// Throws Error that begins with `what` where the key is no expression.
SplitPattern module_expression(const std::string& key, const std::string& what) {
  return SplitPattern(fmt::format("^(?:.*\\.)?(?:{})$", key), what);
}

AdapterConfig::Pattern pattern_of(ConfigReader& reader, const char* key, const std::string& file) {
  AdapterConfig::Pattern pattern;
  const JsonValue* value = reader.find(key);
  if (value == nullptr) return pattern;
  if (value->kind != Kind::object) {
    reader.add_problem(fmt::format("{} is {}, expected an object of names and numbers", key, shown_value(*value)));
    return pattern;
  }
  for (std::size_t k = 0; k < value->keys.size(); ++k) {
    const double number = value->items[k].kind == Kind::number ? std::strtod(value->items[k].text.c_str(), nullptr) : 0;
    module_expression(value->keys[k], fmt::format("{}: {}", file, key));
    if (number > 0 && std::isfinite(number)) {
      pattern.emplace_back(value->keys[k], number);
    } else {
      reader.add_problem(fmt::format("{} has {} for {}, expected a number above 0", key, shown_value(value->items[k]),
                                     in_quotes(shortened(value->keys[k]))));
    }
  }
  return pattern;
}

// What asks for arithmetic that is not here.
void refuse_keys(const JsonValue& json, ConfigReader& reader) {
  for (std::size_t k = 0; k < json.keys.size(); ++k) {
    const bool known = std::find(kKnownKeys.begin(), kKnownKeys.end(), json.keys[k]) != kKnownKeys.end();
    if (known || says_nothing(json.items[k])) continue;
    reader.add_problem(fmt::format("{} is {}, which may change the numbers and is not known here",
                                   shortened(json.keys[k]), shown_value(json.items[k])));
  }
  if (const JsonValue* tokens = reader.find("trainable_token_indices"); tokens != nullptr && !says_nothing(*tokens)) {
    reader.add_problem("trainable_token_indices names tokens, whose vectors are not put in here");
  }
  const JsonValue* begun = reader.find("init_lora_weights");
  if (begun == nullptr || begun->kind == Kind::boolean) return;
  const bool harmless = begun->kind == Kind::string && std::find(kHarmlessBeginnings.begin(), kHarmlessBeginnings.end(),
                                                                 begun->text) != kHarmlessBeginnings.end();
  if (harmless) return;
  reader.add_problem(
      fmt::format("init_lora_weights is {}, with which the base's own weights are others, expected true, false, {}",
                  shown_value(*begun), fmt::join(kHarmlessBeginnings, ", ")));
}

[[noreturn]] void refuse_problems(const std::string& file, const std::vector<std::string>& problems) {
  throw Error(fmt::format("{}: {}", file, first_ten(problems, "; ")));
}

AdapterConfig mlx_config(const JsonValue& json, const std::string& file) {
  AdapterConfig config;
  config.kind = AdapterConfig::Kind::mlx;
  config.file = file;
  ConfigReader outer(json);
  const std::string type = outer.text("fine_tune_type", "lora");
  if (type != "lora" && type != "dora") {
    outer.add_problem(fmt::format("fine_tune_type is {}, expected lora or dora", in_quotes(shortened(type))));
  }
  const JsonValue* parameters = outer.find("lora_parameters");
  config.dora = type == "dora" || outer.truth("use_dora", false);
  ConfigReader reader(*parameters);
  config.rank = reader.whole("rank", 1, kMostRank);
  config.scale = reader.positive("scale");
  // Older versions of MLX divide by the rank as well, newer ones pass alpha over.
  if (reader.find("alpha") != nullptr)
    reader.add_problem("alpha is there, expected a scale alone, as MLX writes it now");
  std::vector<std::string> problems = outer.problems();
  problems.insert(problems.end(), reader.problems().begin(), reader.problems().end());
  if (!problems.empty()) refuse_problems(file, problems);
  return config;
}

AdapterConfig peft_config(const JsonValue& json, const std::string& file) {
  AdapterConfig config;
  config.file = file;
  ConfigReader reader(json);
  config.base = reader.text("base_model_name_or_path", "");
  config.rank = reader.whole("r", 1, kMostRank);
  config.alpha = reader.positive("lora_alpha");
  config.dora = reader.truth("use_dora", false);
  config.root_of_rank = reader.truth("use_rslora", false);
  config.fan_in_fan_out = reader.truth("fan_in_fan_out", false);
  config.ranks = pattern_of(reader, "rank_pattern", file);
  config.alphas = pattern_of(reader, "alpha_pattern", file);
  refuse_keys(json, reader);
  if (!reader.problems().empty()) refuse_problems(file, reader.problems());
  return config;
}

// Whether PEFT takes `key` for the module: an expression that fits all of its name, or what follows a dot in it.
bool fits_module(const std::string& key, const std::string& module, const std::string& what) {
  if (key == module || module.ends_with("." + key)) return true;
  const SplitPattern expression = module_expression(key, what);
  std::vector<Match> matches;
  expression.find(module, 0, module.size(), matches);
  return !matches.empty() && matches.front().begin == 0 && matches.front().end == module.size();
}

double by_pattern(const AdapterConfig::Pattern& pattern, const std::string& module, double otherwise,
                  const std::string& what) {
  for (const auto& [key, value] : pattern) {
    if (fits_module(key, module, what)) return value;
  }
  return otherwise;
}

}  // namespace

AdapterConfig read_adapter_config(const std::string& folder) {
  const std::string file = (std::filesystem::path(folder) / "adapter_config.json").string();
  const JsonValue json = read_config_json(file);
  if (json.kind != Kind::object) {
    throw Error(fmt::format("{}: holds {}, expected an object", file, json_kind_name(json.kind)));
  }
  ConfigReader reader(json);
  const JsonValue* type = reader.find("peft_type");
  const JsonValue* parameters = reader.find("lora_parameters");
  if (type == nullptr && parameters != nullptr && parameters->kind == Kind::object) return mlx_config(json, file);
  if (type == nullptr || type->kind != Kind::string || type->text != "LORA") {
    throw Error(fmt::format("{}: peft_type is {}, expected \"LORA\" (LoRA or DoRA)", file,
                            type == nullptr ? "missing" : shown_value(*type)));
  }
  return peft_config(json, file);
}

double adapter_scaling(const AdapterConfig& config, const std::string& module, std::int64_t rank,
                       const std::string& what) {
  const double expected = by_pattern(config.ranks, module, static_cast<double>(config.rank), config.file);
  if (static_cast<double>(rank) != expected) {
    throw Error(fmt::format("{}: its tensors of {} are of rank {}, expected {}, as adapter_config.json says", what,
                            shortened(module), rank, expected));
  }
  if (config.kind == AdapterConfig::Kind::mlx) return config.scale;
  const double alpha = by_pattern(config.alphas, module, config.alpha, config.file);
  return alpha / (config.root_of_rank ? std::sqrt(expected) : expected);
}

}  // namespace headscope
