#include "core/heads/text_weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

#include "core/attention/shown_mask.h"
#include "core/base/assert.h"

namespace headscope {

namespace {

constexpr std::string_view kBlanks = " \t\r\n";

// One row, or one column, of every head.
Tensor read_by_head(const Trace& trace, const TextWeightsRequest& request, const CancelToken& cancel) {
  const Tensor& weights = trace.tensor(StageId::weights);
  const bool row = request.along == TextAlong::row;
  const std::int64_t heads = weights.dim(1), tokens = weights.dim(row ? 3 : 2);
  HEADSCOPE_ASSERT(request.token >= 0 && request.token < weights.dim(row ? 2 : 3), "a token that the trace lacks");
  std::vector<float> values(static_cast<std::size_t>(heads * tokens));
  constexpr std::int64_t kAtOnce = 64;  // rows of a column, which may have to be computed
  for (std::int64_t h = 0; h < heads; ++h) {
    const Range one{request.token, request.token + 1}, batch{request.batch, request.batch + 1};
    const std::span<float> of_head = std::span(values).subspan(static_cast<std::size_t>(h * tokens));
    for (std::int64_t begin = 0; begin < tokens; begin += row ? tokens : kAtOnce) {
      cancel.check();
      const Range part{begin, row ? tokens : std::min(begin + kAtOnce, tokens)};
      weights.read(Region{batch, {h, h + 1}, row ? one : part, row ? part : one},
                   of_head.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(part.size())));
    }
  }
  return Tensor::of({heads, tokens}, {Axis::head, row ? Axis::key : Axis::query}, std::move(values));
}

float largest_of(std::span<const float> values) {
  float largest = 0;
  for (const float value : values) {
    if (std::isfinite(value)) largest = std::max(largest, value);
  }
  return largest;
}

std::vector<std::uint8_t> hidden_tokens(const Trace& trace, const TextWeightsRequest& request, std::size_t tokens) {
  std::vector<std::uint8_t> hidden(tokens, 0);
  const std::shared_ptr<const Mask> mask = shown_mask(trace, StageId::weights);
  if (mask == nullptr || request.heads.empty()) return hidden;
  const HiddenCells& cells = mask->hidden;
  for (std::size_t k = 0; k < tokens; ++k) {
    const auto at = static_cast<std::int64_t>(k);
    const bool row = request.along == TextAlong::row;
    const std::int64_t i = row ? request.token : at, j = row ? at : request.token;
    hidden[k] = std::all_of(request.heads.begin(), request.heads.end(),
                            [&](std::int64_t head) { return cells.hidden(request.batch, head, i, j); })
                    ? 1
                    : 0;
  }
  return hidden;
}

std::string letters_of(std::string_view label) {
  const std::size_t begin = label.find_first_not_of(kBlanks);
  if (begin != std::string_view::npos) {
    return std::string(label.substr(begin, label.find_last_not_of(kBlanks) - begin + 1));
  }
  return label.find('\n') != std::string_view::npos ? "⏎" : "␣";
}

}  // namespace

TextWeights text_weights(const Trace& trace, const TextWeightsRequest& request, const CancelToken& cancel) {
  TextWeights result;
  result.by_head = read_by_head(trace, request, cancel);
  const std::int64_t heads = result.by_head.dim(0);
  const auto tokens = static_cast<std::size_t>(result.by_head.dim(1));
  const std::vector<float> values = result.by_head.values();
  const std::span<const float> all(values);
  for (std::int64_t h = 0; h < heads; ++h) {
    result.largest_by_head.push_back(largest_of(all.subspan(static_cast<std::size_t>(h) * tokens, tokens)));
  }
  std::vector<double> sums(tokens, 0.0);
  for (const std::int64_t head : request.heads) {
    HEADSCOPE_ASSERT(head >= 0 && head < heads, "a head that the trace lacks");
    for (std::size_t k = 0; k < tokens; ++k) {
      sums[k] += static_cast<double>(all[static_cast<std::size_t>(head) * tokens + k]);
    }
  }
  const bool mean = request.combined == HeadsCombined::mean && !request.heads.empty();
  const double share = mean ? 1.0 / static_cast<double>(request.heads.size()) : 1.0;
  for (const double sum : sums) result.values.push_back(static_cast<float>(sum * share));
  result.hidden = hidden_tokens(trace, request, tokens);
  result.largest = static_cast<double>(largest_of(result.values));
  std::vector<std::int64_t> order(tokens);
  std::iota(order.begin(), order.end(), 0);
  const auto value = [&](std::int64_t token) { return result.values[static_cast<std::size_t>(token)]; };
  std::erase_if(order, [&](std::int64_t token) { return !(value(token) > 0); });
  const std::size_t most = std::min<std::size_t>(order.size(), TextWeights::kMostStrongest);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most), order.end(),
                    [&](std::int64_t a, std::int64_t b) { return value(a) != value(b) ? value(a) > value(b) : a < b; });
  order.resize(most);
  result.strongest = std::move(order);
  return result;
}

std::string text_weights_words(const TextWeightsRequest& request, std::int64_t num_heads) {
  const std::vector<std::int64_t>& heads = request.heads;
  if (heads.empty()) return "no head is chosen";
  if (heads.size() == 1) return fmt::format("weights of head {}", heads.front());
  const char* const how = request.combined == HeadsCombined::sum ? "sum" : "mean";
  if (std::ssize(heads) == num_heads) return fmt::format("{} of the weights of all {} heads", how, num_heads);
  const std::span<const std::int64_t> but_last(heads.data(), heads.size() - 1);
  return fmt::format("{} of the weights of heads {} and {}", how, fmt::join(but_last, ", "), heads.back());
}

std::vector<std::int64_t> combined_heads(const std::optional<std::vector<std::int64_t>>& chosen,
                                         std::int64_t num_heads) {
  std::vector<std::int64_t> heads;
  if (chosen) {
    heads = *chosen;
    std::erase_if(heads, [&](std::int64_t head) { return head >= num_heads; });
    return heads;
  }
  heads.resize(static_cast<std::size_t>(num_heads));
  std::iota(heads.begin(), heads.end(), 0);
  return heads;
}

std::vector<TextToken> text_tokens(const Trace& trace, bool of_keys) {
  const std::vector<std::string> labels = of_keys ? trace.key_labels() : trace.query_labels();
  const bool same_text = !of_keys || trace.inputs->key_tokens == trace.inputs->tokens;
  // Words of the keys are known where they are those of the queries.
  const std::vector<std::int64_t> words = same_text ? trace.inputs->words : std::vector<std::int64_t>();
  std::vector<TextToken> tokens;
  for (std::size_t k = 0; k < labels.size(); ++k) {
    TextToken token{letters_of(labels[k]), false};
    token.joined = k > 0 && k < words.size() && words[k] >= 0 && words[k] == words[k - 1];
    if (token.joined && token.letters.starts_with("##") && token.letters.size() > 2) token.letters.erase(0, 2);
    tokens.push_back(std::move(token));
  }
  return tokens;
}

}  // namespace headscope
