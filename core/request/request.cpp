#include "core/request/request.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <type_traits>

#include "core/request/intervention_kinds.h"

namespace headscope {
namespace {

// Combines the hashes of fields in order. std::hash<double> gives 0.0 and -0.0, which are equal, one hash.
class Hash {
 public:
  template <typename T>
  void add(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      mix(static_cast<std::size_t>(value));
    } else if constexpr (requires { value.fields(); }) {
      std::apply([this](const auto&... field) { this->add_all(field...); }, value.fields());
    } else {
      mix(std::hash<T>{}(value));
    }
  }
  template <typename T>
  void add(const std::optional<T>& value) {
    add(value.has_value());
    if (value) add(*value);
  }
  template <typename T>
  void add(const std::vector<T>& values) {
    add(values.size());
    for (const T& value : values) add(value);
  }
  void add(const MaskTerm& term) {
    add(term.kind);
    add(term.size);
    add(term.path);
  }
  void add(const LayerHead& place) { add_all(place.layer, place.head); }
  template <typename... Fields>
  void add_all(const Fields&... fields) {
    (add(fields), ...);
  }
  std::size_t value() const { return value_; }

 private:
  void mix(std::size_t hash) {
    std::uint64_t x = value_ ^ (hash + 0x9e3779b97f4a7c15U + (value_ << 6) + (value_ >> 2));
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    value_ = static_cast<std::size_t>(x ^ (x >> 27));
  }
  std::size_t value_ = 0;
};

}  // namespace

bool has_variant(const Request& request, Variant variant) {
  return std::find(request.variants.begin(), request.variants.end(), variant) != request.variants.end();
}

std::size_t hash_of(const Request& r) {
  Hash hash;
  hash.add_all(r.phrase, r.second_phrase, r.key_phrase, r.token_ids, r.image, r.features);
  hash.add_all(r.decoder_phrase, r.decoder_ids, r.attention);
  hash.add_all(r.input, r.key_input, r.value_input, r.query, r.key, r.value);
  hash.add_all(r.layout, r.lengths);
  hash.add_all(r.past, r.key_past, r.value_past);
  hash.add_all(r.model, r.layer, r.weights, r.qkv_layout);
  hash.add_all(r.heads, r.kv_heads, r.d_model, r.input_dim, r.batch, r.seed, r.init_gain, r.embedding, r.position);
  hash.add_all(r.mask, r.mask_kind, r.causal_align, r.mask_order, r.mask_fill, r.fully_masked);
  hash.add_all(r.scale, r.softcap, r.softcap_order, r.dropout, r.dropout_seed, r.dropout_mask);
  hash.add_all(r.merge, r.variants);
  hash.add_all(r.groups, r.hide_tokens, r.renormalise, r.weighting, r.top_p);
  visit_interventions(r, [&](const auto&, const auto& list) { hash.add(list); });
  hash.add(r.patch_from);
  hash.add_all(r.backend, r.threads);
  return hash.value();
}

}  // namespace headscope
