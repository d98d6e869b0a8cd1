#include "core/heads/token_places.h"

#include <unordered_map>

namespace headscope {

TokenPlaces::TokenPlaces(const Trace& trace) {
  const Inputs& inputs = *trace.inputs;
  positions_agree_ = inputs.query_len == inputs.key_len && !is_cross_attention(trace.request);
  token_len_ = inputs.key_len;
  if (!positions_agree_) return;
  for (std::size_t j = 0; j < inputs.words.size(); ++j) {
    if (inputs.words[j] < 0) special_keys_.push_back(static_cast<std::int64_t>(j));
  }
  // The vocabulary's id where there is one, since two ids may look the same.
  if (inputs.token_ids.size() == inputs.tokens.size()) {
    find_repeats(inputs.token_ids);
  } else {
    find_repeats(inputs.tokens);
  }
}

template <typename Token>
void TokenPlaces::find_repeats(const std::vector<Token>& tokens) {
  std::unordered_map<Token, std::size_t> known;
  for (const Token& token : tokens) {
    const auto [found, is_new] = known.emplace(token, positions_.size());
    if (is_new) positions_.emplace_back();
    positions_[found->second].push_back(static_cast<std::int64_t>(token_of_.size()));
    token_of_.push_back(found->second);
  }
}

std::span<const std::int64_t> TokenPlaces::same_as(std::int64_t i) const {
  if (static_cast<std::size_t>(i) >= token_of_.size()) return {};
  return positions_[token_of_[static_cast<std::size_t>(i)]];
}

}  // namespace headscope
