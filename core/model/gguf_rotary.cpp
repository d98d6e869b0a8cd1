#include "core/model/gguf_rotary.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/model/json_values.h"

namespace headscope {
namespace {

constexpr const char* kFeatures = "rope.dimension_count";
constexpr const char* kOriginal = "rope.scaling.original_context_length";
constexpr const char* kFactor = "rope.scaling.attn_factor";
constexpr const char* kShort = "rope_factors_short.weight";
constexpr const char* kLong = "rope_factors_long.weight";
constexpr const char* kDivisors = "rope_freqs.weight";

JsonValue shortest(double number) {
  return json_number(fmt::format("{}", number));
}

void take_original(const GgufMetadata& metadata, JsonValue& scaling) {
  if (const auto original = metadata.whole(kOriginal)) {
    set(scaling, "original_max_position_embeddings", json_number(std::to_string(*original)));
  }
}

// gpt-oss does not round the features between which frequencies change; no key says so.
void take_yarn(const GgufMetadata& metadata, const Family& family, JsonValue& scaling) {
  take_original(metadata, scaling);
  for (const auto& [name, ours] :
       {std::pair{"rope.scaling.yarn_beta_fast", "beta_fast"}, {"rope.scaling.yarn_beta_slow", "beta_slow"}}) {
    if (const auto turns = metadata.number(name)) set(scaling, ours, shortest(*turns));
  }
  if (family.fixed.family == "gpt_oss") set(scaling, "truncate", json_truth(false));
}

// Phi-3's divisors of frequencies; null where the file has none.
const GgufTensor* longrope_divisors(const GgufMetadata& metadata) {
  const GgufTensor* divisors = metadata.tensor(kShort);
  if (divisors == nullptr && !metadata.has_tensor(kLong)) return nullptr;
  if (divisors != nullptr && gguf_knows_key(metadata.row(), kFactor)) return divisors;
  throw Error(fmt::format("{}: has {}; expected none, or both it and {} of a phi3 model", metadata.file().path(),
                          divisors == nullptr ? kLong : kShort, divisors == nullptr ? kShort : kLong));
}

JsonValue longrope(const GgufMetadata& metadata, const GgufTensor& divisors) {
  JsonValue list;
  list.kind = JsonValue::Kind::array;
  for (const float divisor : metadata.file().tensor(divisors).values()) {
    list.items.push_back(json_number(fmt::format("{}", divisor)));
  }
  JsonValue scaling;
  set(scaling, "rope_type", json_text("longrope"));
  set(scaling, "short_factor", std::move(list));
  set(scaling, "attention_factor", shortest(metadata.number(kFactor).value_or(1)));
  take_original(metadata, scaling);
  return scaling;
}

}  // namespace

void take_gguf_rotary(const GgufMetadata& metadata, const Family& family, JsonValue& config) {
  const GgufTensor* divisors = longrope_divisors(metadata);
  if (family.fixed.position != Architecture::Position::rotary) return;
  if (const auto base = metadata.number("rope.freq_base")) set(config, "rope_theta", shortest(*base));
  const auto features = metadata.size(kFeatures);
  set(config, kFeatures, features ? json_number(std::to_string(*features)) : JsonValue());
  if (divisors != nullptr) return set(config, "rope_scaling", longrope(metadata, *divisors));
  const double factor = metadata.number("rope.scaling.factor").value_or(0);
  const bool scaled = factor != 0 && factor != 1;
  const std::string type(metadata.text("rope.scaling.type").value_or(scaled ? "linear" : "none"));
  if (type == "none" || (!scaled && type == "linear")) {
    set(config, "rope_scaling", JsonValue());
    return;
  }
  JsonValue scaling;
  set(scaling, "rope_type", json_text(type));
  set(scaling, "factor", shortest(scaled ? factor : 1.0));
  if (type == "yarn") take_yarn(metadata, family, scaling);
  set(config, "rope_scaling", std::move(scaling));
}

void divide_gguf_frequencies(const GgufMetadata& metadata, Architecture& architecture) {
  const GgufTensor* divisors = metadata.tensor(kDivisors);
  if (divisors == nullptr) return;
  const std::string& path = metadata.file().path();
  if (!architecture.rotary) {
    throw Error(fmt::format("{}: has {}; expected none, as the model has no rotary positions", path, kDivisors));
  }
  std::vector<double>& frequencies = architecture.rotary->inverse_frequencies;
  const auto count = static_cast<std::int64_t>(frequencies.size());
  if (divisors->shape != std::vector<std::int64_t>{count}) {
    throw Error(fmt::format("{}: {} has {} axes or another size; expected [{}]", path, kDivisors,
                            divisors->shape.size(), count));
  }
  const std::vector<float> values = metadata.file().tensor(*divisors).values();
  for (std::size_t p = 0; p < frequencies.size(); ++p) {
    if (!(values[p] > 0)) {
      throw Error(fmt::format("{}: {} holds {}; expected numbers above 0", path, kDivisors, values[p]));
    }
    frequencies[p] = static_cast<float>(frequencies[p]) / values[p];
  }
}

}  // namespace headscope
