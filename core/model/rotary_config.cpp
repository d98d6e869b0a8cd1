#include "core/model/rotary_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <string_view>

#include "core/base/message_text.h"

namespace headscope {
namespace {

constexpr std::int64_t kMostPositions = std::int64_t{1} << 40;

// 1 / theta^(2 p / features); every step is rounded as torch rounds it.
std::vector<float> plain_frequencies(double theta, std::int64_t features) {
  std::vector<float> inverse;
  for (std::int64_t p = 0; p < features / 2; ++p) {
    const float exponent = static_cast<float>(2 * p) / static_cast<float>(features);
    inverse.push_back(1.0f / static_cast<float>(std::pow(theta, static_cast<double>(exponent))));
  }
  return inverse;
}

void scale_as_llama3(ConfigReader& scaling, std::vector<float>& inverse) {
  const auto factor = static_cast<float>(scaling.positive("factor"));
  const auto low_factor = static_cast<float>(scaling.positive("low_freq_factor"));
  const auto high_factor = static_cast<float>(scaling.positive("high_freq_factor"));
  const auto original = static_cast<float>(scaling.whole("original_max_position_embeddings", 1, kMostPositions));
  if (scaling.problems().empty() && !(high_factor > low_factor)) {
    scaling.add_problem(
        fmt::format("high_freq_factor is {}, expected more than low_freq_factor, {}", high_factor, low_factor));
  }
  for (float& frequency : inverse) {
    const float wavelength = static_cast<float>(2 * std::numbers::pi) / frequency;
    if (wavelength < original / high_factor) continue;
    if (wavelength > original / low_factor) {
      frequency /= factor;
    } else {
      const float smooth = (original / wavelength - low_factor) / (high_factor - low_factor);
      frequency = (1 - smooth) * frequency / factor + smooth * frequency;
    }
  }
}

// YaRN (Peng et al. 2023): features that turn often keep their frequency, slow ones get 1 / factor of it, those between
// a mixture. Returns what multiplies cos and sin.
double scale_as_yarn(ConfigReader& scaling, double theta, std::int64_t otherwise_original,
                     std::vector<float>& inverse) {
  const double factor = scaling.positive("factor");
  std::optional<std::int64_t> otherwise;
  if (otherwise_original > 0) otherwise = otherwise_original;
  const auto original =
      static_cast<double>(scaling.whole("original_max_position_embeddings", 1, kMostPositions, otherwise));
  if (!(theta > 1)) scaling.add_problem(fmt::format("rope_theta is {}, expected more than 1 with yarn", theta));
  if (!scaling.problems().empty()) return 1;
  const auto features = static_cast<double>(2 * inverse.size());
  // The feature whose angle makes so many turns over the original length.
  const auto feature_of = [&](double turns) {
    return features * std::log(original / (turns * 2 * std::numbers::pi)) / (2 * std::log(theta));
  };
  double low = feature_of(scaling.positive("beta_fast", 32)), high = feature_of(scaling.positive("beta_slow", 1));
  if (scaling.truth("truncate", true)) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, features - 1);
  if (low == high) high += 0.001;
  for (std::size_t p = 0; p < inverse.size(); ++p) {
    const auto ramp = static_cast<float>(std::clamp((static_cast<double>(p) - low) / (high - low), 0.0, 1.0));
    const float kept = 1 - ramp;
    const float power = static_cast<float>(2 * p) / static_cast<float>(2 * inverse.size());
    const auto wave = static_cast<float>(std::pow(theta, static_cast<double>(power)));  // 1 / frequency
    inverse[p] = 1.0F / (static_cast<float>(factor) * wave) * (1 - kept) + inverse[p] * kept;
  }
  const auto length_factor = [factor](double scale) { return factor <= 1 ? 1.0 : 0.1 * scale * std::log(factor) + 1; };
  double attention = length_factor(1);
  if (scaling.find("mscale") != nullptr && scaling.find("mscale_all_dim") != nullptr) {
    attention = length_factor(scaling.positive("mscale")) / length_factor(scaling.positive("mscale_all_dim"));
  }
  return scaling.positive("attention_factor", attention);
}

// The number of tokens that the model was trained with before its context was made longer.
std::int64_t original_positions(ConfigReader& reader, ConfigReader& scaling, std::int64_t max_positions) {
  constexpr const char* kKey = "original_max_position_embeddings";
  const std::int64_t above = reader.whole(kKey, 1, kMostPositions, max_positions);
  return scaling.whole(kKey, 1, kMostPositions, above);
}

// LongRoPE (Ding et al. 2024) as Phi-3 has it: frequencies / short_factor, as long as a text is no longer than the
// original context. Returns what multiplies cos and sin: sqrt(1 + log(max / original) / log(original)).
double scale_as_longrope(ConfigReader& reader, ConfigReader& scaling, std::int64_t max_positions,
                         std::vector<float>& inverse) {
  if (max_positions <= 0) {
    scaling.add_problem("rope_type longrope is read from config.json alone; expected default, linear, llama3 or yarn");
    return 1;
  }
  const std::int64_t original = original_positions(reader, scaling, max_positions);
  const JsonValue* list = scaling.find("short_factor");
  const auto fits = [](const JsonValue& each) { return each.kind == JsonValue::Kind::number; };
  if (list == nullptr || list->kind != JsonValue::Kind::array || list->items.size() != inverse.size() ||
      !std::all_of(list->items.begin(), list->items.end(), fits)) {
    scaling.add_problem(fmt::format("short_factor is {}, expected a list of {} numbers",
                                    list == nullptr ? "missing" : shown_value(*list), inverse.size()));
    return 1;
  }
  for (std::size_t p = 0; p < inverse.size(); ++p) {
    const double divisor = std::strtod(list->items[p].text.c_str(), nullptr);
    if (!(divisor > 0)) {
      scaling.add_problem(fmt::format("short_factor has {}, expected numbers above 0", list->items[p].text));
      return 1;
    }
    inverse[p] = inverse[p] / static_cast<float>(divisor);
  }
  const double longer = original < max_positions ? static_cast<double>(max_positions) / static_cast<double>(original)
                                                 : scaling.positive("factor", 1);
  const double attention =
      longer <= 1 ? 1.0 : std::sqrt(1 + std::log(longer) / std::log(static_cast<double>(original)));
  return scaling.positive("attention_factor", attention);
}

// NTK by length: frequencies change with texts that are longer than the model's positions, which are not opened.
void check_dynamic(ConfigReader& reader, ConfigReader& scaling, std::int64_t max_positions) {
  scaling.positive("factor");
  const std::int64_t original = original_positions(reader, scaling, max_positions);
  if (original >= max_positions) return;
  scaling.add_problem(
      fmt::format("original_max_position_embeddings is {} with rope_type \"dynamic\", which changes the frequencies of "
                  "longer texts and is not implemented; expected max_position_embeddings, {}",
                  original, max_positions));
}

bool is_longrope(std::string_view type) {
  return type == "longrope" || type == "su";
}

// The object that describes the scaling, and its name; null where there is none.
struct Scaling {
  const char* key = "rope_scaling";
  const JsonValue* object = nullptr;
  const JsonValue* base = nullptr;  // what holds the base of the layers with a window beside a scaling of the others
};

Scaling scaling_of(ConfigReader& reader, bool of_window) {
  Scaling scaling;
  if (const JsonValue* parameters = reader.find("rope_parameters")) {
    scaling = {"rope_parameters", parameters};
    const bool nested = parameters->kind == JsonValue::Kind::object && parameters->find("full_attention") != nullptr;
    if (nested) scaling.object = parameters->find(of_window ? "sliding_attention" : "full_attention");
    if (of_window && !nested) {
      scaling.base = parameters->kind == JsonValue::Kind::object ? parameters : nullptr;
      scaling.object = nullptr;
    }
  } else if (!of_window) {
    scaling.object = reader.find("rope_scaling");
  }
  if (scaling.object != nullptr && scaling.object->kind != JsonValue::Kind::object) {
    reader.add_problem(fmt::format("{} is {}, expected an object", scaling.key, shown_value(*scaling.object)));
    scaling.object = nullptr;
  }
  return scaling;
}

// Numbers of a scaling without its type: which it is changes every angle, and libraries read it in different ways.
void check_type_is_said(const Scaling& found, ConfigReader& scaling) {
  if (found.object == nullptr || scaling.find("rope_type") != nullptr || scaling.find("type") != nullptr) return;
  for (const char* key : {"factor", "low_freq_factor", "high_freq_factor", "short_factor", "long_factor", "beta_fast",
                          "beta_slow", "attention_factor"}) {
    if (scaling.find(key) == nullptr) continue;
    scaling.add_problem(
        fmt::format("has {} and no rope_type (formerly type); expected default, linear, llama3, yarn, "
                    "longrope or dynamic",
                    key));
    return;
  }
}

// How many features of a head are turned; 0 after a problem.
std::int64_t features_of(ConfigReader& reader, ConfigReader& scaling, const RotaryAsked& asked) {
  const RotaryKeys& keys = asked.keys;
  std::int64_t features = 0;
  if (*keys.features.key && !reader.holds_null(keys.features.key)) {
    features = reader.whole(keys.features.key, 1, asked.head_dim,
                            static_cast<std::int64_t>(keys.features.otherwise.value_or(1)));
  } else if (*keys.features.key) {
    features = asked.head_dim;  // null: all of them
  } else {
    const double share =
        scaling.positive("partial_rotary_factor", reader.positive(keys.share.key, keys.share.otherwise));
    if (share > 1) reader.add_problem(fmt::format("{} is {}, expected at most 1", keys.share.key, share));
    features = static_cast<std::int64_t>(static_cast<double>(asked.head_dim) * std::min(share, 1.0));
  }
  if (features >= 2 && features % 2 == 0) return features;
  reader.add_problem(fmt::format("heads have {} features, of which {} get rotary positions; expected an even number",
                                 asked.head_dim, features));
  return 0;
}

}  // namespace

RotaryRule rotary_rule_of(ConfigReader& reader, const RotaryAsked& asked) {
  RotaryRule rule;
  rule.pairs = asked.pairs;
  const Scaling found = scaling_of(reader, asked.of_window);
  const JsonValue nothing;
  ConfigReader scaling(found.object != nullptr ? *found.object : nothing);
  const ConfigNumber& base = asked.of_window ? asked.keys.window_theta : asked.keys.theta;
  const bool shares_base = found.base != nullptr && std::string_view(base.key) == asked.keys.theta.key;
  ConfigReader based(shares_base ? *found.base : nothing);
  const double theta =
      scaling.positive("rope_theta", based.positive("rope_theta", reader.positive(base.key, base.otherwise)));
  rule.features = features_of(reader, scaling, asked);
  std::vector<float> inverse = plain_frequencies(theta, rule.features);

  const std::string type = scaling.text("rope_type", scaling.text("type", "default"));
  check_type_is_said(found, scaling);
  if (type == "linear") {
    const auto factor = static_cast<float>(scaling.positive("factor"));
    for (float& frequency : inverse) frequency /= factor;
  } else if (type == "llama3") {
    scale_as_llama3(scaling, inverse);
  } else if (type == "yarn") {
    rule.factor = scale_as_yarn(scaling, theta, asked.max_positions, inverse);
  } else if (is_longrope(type)) {
    rule.factor = scale_as_longrope(reader, scaling, asked.max_positions, inverse);
  } else if (type == "dynamic") {
    check_dynamic(reader, scaling, asked.max_positions);
  } else if (type != "default") {
    scaling.add_problem(
        fmt::format("rope_type is {}, which is not implemented; expected default, linear, llama3, yarn, longrope or "
                    "dynamic",
                    in_quotes(type)));
  }
  for (const std::string& problem : scaling.problems()) reader.add_problem(fmt::format("{}: {}", found.key, problem));
  rule.inverse_frequencies.assign(inverse.begin(), inverse.end());
  return rule;
}

std::int64_t rotary_positions(ConfigReader& reader, std::int64_t max_positions) {
  const Scaling found = scaling_of(reader, false);
  if (found.object == nullptr) return max_positions;
  ConfigReader scaling(*found.object);
  if (!is_longrope(scaling.text("rope_type", scaling.text("type", "default")))) return max_positions;
  return std::min(max_positions, original_positions(reader, scaling, max_positions));
}

}  // namespace headscope
