#include "core/model/architecture_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/message_text.h"
#include "core/io/sha256.h"

namespace headscope {
namespace {

// A setting's name and its text.
using Setting = std::pair<std::string, std::string>;
using Settings = std::vector<Setting>;

constexpr std::size_t kNamed = 3;  // settings that differ and are said

// The words of an enumeration, in its order.
template <typename Choice>
std::string_view word_in(std::initializer_list<std::string_view> words, Choice choice) {
  const auto at = static_cast<std::size_t>(choice);
  return at < words.size() ? words.begin()[at] : "?";
}
std::string_view word_of(Architecture::Part part) {
  return word_in({"whole", "encoder", "decoder", "cross", "pool"}, part);
}
std::string_view word_of(Architecture::Norm norm) {
  return word_in({"layer", "rms"}, norm);
}
std::string_view word_of(Architecture::NormPlace place) {
  return word_in({"before", "after_sum", "after", "around"}, place);
}
std::string_view word_of(Architecture::Position position) {
  return word_in({"none", "learned", "rotary"}, position);
}
std::string_view word_of(Architecture::Mlp mlp) {
  return word_in({"none", "plain", "gated"}, mlp);
}
std::string_view word_of(Architecture::FusedRows rows) {
  return word_in({"blocked", "per_head", "grouped"}, rows);
}
std::string_view word_of(Architecture::Activation activation) {
  return activation_name(activation);
}
std::string_view word_of(RotaryRule::Pairs pairs) {
  return word_in({"halves", "neighbours"}, pairs);
}
std::string_view word_of(ImageRule::OtherGrid grid) {
  return word_in({"refused", "bicubic", "bicubic_antialias"}, grid);
}

std::string text_of_value(const std::string& value) {
  return value;
}
std::string text_of_value(std::int64_t value) {
  return std::to_string(value);
}
std::string text_of_value(bool value) {
  return value ? "yes" : "no";
}
std::string text_of_value(double value) {
  return fmt::format("{}", static_cast<float>(value));
}
std::string text_of_value(const std::vector<bool>& flags) {
  std::string text;
  for (const bool flag : flags) text += flag ? '1' : '0';
  return text;
}
std::string text_of_value(const std::vector<double>& numbers) {
  Sha256 sha;
  for (const double number : numbers) sha.add(text_of_value(number) + "\n");
  return fmt::format("{}:{}", numbers.size(), sha.hex().substr(0, 16));
}
template <typename Choice>
requires std::is_enum_v<Choice> std::string text_of_value(Choice choice) {
  return std::string(word_of(choice));
}

// Every setting of a struct.
Settings all_of(const RotaryRule& rule);
Settings all_of(const MixtureRule& rule);
Settings all_of(const MixtureRule::Clamp& clamp);
Settings all_of(const LatentRule& rule);
Settings all_of(const ImageRule& rule);
Settings all_of(const FeatureRule& rule);
Settings all_of(const RelativeRule& rule);
Settings all_of(const DisentangledRule& rule);
Settings all_of(const ConvolutionRule& rule);
Settings all_of(const Architecture& architecture);

// Those of them that a struct that was not filled in has not.
template <typename Struct>
Settings changed_in(const Struct& of) {
  static const Settings otherwise = all_of(Struct{});
  Settings changed = all_of(of);
  std::erase_if(changed, [](const Setting& each) {
    return std::find(otherwise.begin(), otherwise.end(), each) != otherwise.end();
  });
  return changed;
}

template <typename Value>
void add_value(Settings& to, std::string_view name, const Value& value) {
  to.emplace_back(name, text_of_value(value));
}

template <typename Value>
void add_value(Settings& to, std::string_view name, const std::optional<Value>& value) {
  if (!value) return;
  if constexpr (std::is_class_v<Value>) {
    to.emplace_back(name, "yes");
    for (const auto& [part, text] : changed_in(*value)) to.emplace_back(fmt::format("{}.{}", name, part), text);
  } else {
    to.emplace_back(name, text_of_value(*value));
  }
}

// `names` are those of the values, with ", " between two.
template <typename... Values>
Settings named(std::string_view names, const Values&... values) {
  Settings settings;
  const auto add_next = [&](const auto& value) {
    const std::size_t end = std::min(names.find(','), names.size());
    add_value(settings, names.substr(0, end), value);
    names.remove_prefix(end);
    names.remove_prefix(std::min(names.find_first_not_of(", \n"), names.size()));
  };
  (add_next(values), ...);
  return settings;
}
// All members of a struct under their names: the binding does not compile when one is missing.
#define HEADSCOPE_MEMBERS(of, ...) \
  const auto& [__VA_ARGS__] = of;  \
  return named(#__VA_ARGS__, __VA_ARGS__)

Settings all_of(const RotaryRule& rule) {
  HEADSCOPE_MEMBERS(rule, features, begin, pairs, inverse_frequencies, factor);
}

Settings all_of(const MixtureRule& rule) {
  HEADSCOPE_MEMBERS(rule, experts, chosen, width, renormalised, sigmoid, correction, groups, chosen_groups, factor,
                    shared_width, clamp, layers, router_bias, expert_bias);
}

Settings all_of(const MixtureRule::Clamp& clamp) {
  HEADSCOPE_MEMBERS(clamp, limit, slope);
}

Settings all_of(const LatentRule& rule) {
  HEADSCOPE_MEMBERS(rule, query_rank, key_rank, rotary, norm_eps);
}

Settings all_of(const ImageRule& rule) {
  HEADSCOPE_MEMBERS(rule, height, width, patch, class_token, registers, patch_bias, other_grid);
}

Settings all_of(const FeatureRule& rule) {
  HEADSCOPE_MEMBERS(rule, bands);
}

Settings all_of(const RelativeRule& rule) {
  HEADSCOPE_MEMBERS(rule, buckets, most_distance, both_directions);
}

Settings all_of(const DisentangledRule& rule) {
  HEADSCOPE_MEMBERS(rule, c2p, p2c, buckets, most_distance, own_projections, normed);
}

Settings all_of(const ConvolutionRule& rule) {
  HEADSCOPE_MEMBERS(rule, taps, groups, activation);
}

Settings all_of(const Architecture& architecture) {
  HEADSCOPE_MEMBERS(architecture, family, part, vocab_size, d_model, num_layers, num_heads, num_kv_heads, head_dim,
                    value_head_dim, latents, image, features, mlp_width, max_positions, fused_rows, causal,
                    sliding_window, windowed, alibi, alibi_size, relative, disentangled, score_scale, scale_by_layer,
                    score_softcap, sinks, norm, norm_eps, norm_plus_one, norm_place, parallel, layer_scale, shared_norm,
                    bare_first_layer, drops_stream, head_norm, head_norm_whole, head_norm_own, head_norm_kind,
                    head_norm_eps, qkv_clip, position, position_offset, rotary, window_rotary, sinusoidal, token_types,
                    embedding_norm, embedding_width, projected_first, convolution, layer_groups, embedding_scale,
                    final_norm, projection, projection_bias, tied_embeddings, logit_scale, logit_softcap, mlp,
                    activation, mixture, head_activation, transform_bias, transform_norm_bias, decoder_bias, qkv_bias,
                    output_bias, mlp_bias, norm_bias, key_bias);
}
#undef HEADSCOPE_MEMBERS

// Whether no number depends on it.
bool changes_nothing(const Setting& setting) {
  return setting.first == "family" || setting.first == "max_positions";
}

// The settings of a text: what stands before and after each "=".
Settings settings_in(std::string_view text) {
  Settings settings;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    const std::size_t equals = std::min(word.find('='), word.size());
    settings.emplace_back(word.substr(0, equals), word.substr(std::min(equals + 1, word.size())));
  }
  return settings;
}

// Of those of `b` under this name; null: it is not there.
const std::string* found_in(const Settings& settings, const std::string& name) {
  const auto found = std::find_if(settings.begin(), settings.end(), [&](const Setting& s) { return s.first == name; });
  return found == settings.end() ? nullptr : &found->second;
}

std::string said(const std::string* text) {
  return text == nullptr ? "not set" : shortened(*text);
}

}  // namespace

std::string architecture_text(const Architecture& architecture) {
  std::string text;
  Settings settings = changed_in(architecture);
  std::erase_if(settings, changes_nothing);
  for (const auto& [name, value] : settings) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  }
  return text;
}

std::string architecture_difference(const std::string& a, const std::string& b) {
  if (a == b) return "";
  const Settings here = settings_in(a), there = settings_in(b);
  std::vector<std::string> differences;
  const auto compare = [&](const std::string& name) {
    const std::string *x = found_in(here, name), *y = found_in(there, name);
    if (x != nullptr && y != nullptr && *x == *y) return;
    differences.push_back(fmt::format("{} is {}, there {}", shortened(name), said(x), said(y)));
  };
  for (const Setting& each : here) compare(each.first);
  for (const Setting& each : there) {
    if (found_in(here, each.first) == nullptr) compare(each.first);
  }
  if (differences.empty()) return "the same settings stand in another order";
  std::string text;
  for (std::size_t k = 0; k < differences.size() && k < kNamed; ++k) {
    text += (k == 0 ? "" : "; ") + differences[k];
  }
  if (differences.size() > kNamed) text += fmt::format("; and {} more", differences.size() - kNamed);
  return text;
}

}  // namespace headscope
