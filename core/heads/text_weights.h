// The weights of one query on every key, or of every query on one key, of some heads together: what shades a text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/heads/text_weights_kind.h"
#include "core/tensor/tensor.h"

namespace headscope {

struct TextWeightsRequest {
  std::int64_t batch = 0;
  std::vector<std::int64_t> heads;  // combined, increasing, each at most once
  std::int64_t token = 0;           // the query of a row, the key of a column
  TextAlong along = TextAlong::row;
  HeadsCombined combined = HeadsCombined::sum;
  friend bool operator==(const TextWeightsRequest&, const TextWeightsRequest&) = default;
};

struct TextWeights {
  Tensor by_head;                       // [num_heads, tokens]: w[h, token, :] of a row, w[h, :, token] of a column
  std::vector<float> largest_by_head;   // of the finite weights of each head; 0 when there is none
  std::vector<float> values;            // of each token: the sum, or the mean, over the chosen heads
  std::vector<std::uint8_t> hidden;     // 1: the mask hides this cell in every chosen head
  std::vector<std::int64_t> strongest;  // tokens by value, the largest first, kMostStrongest at most; all above 0
  double largest = 0;                   // of the finite values; 0 when there is none

  static constexpr int kMostStrongest = 12;
};

// From the stage `weights`, before dropout: reads one row, or one column, of every head. `token` and `heads` must exist
// (asserted). Throws Cancelled.
TextWeights text_weights(const Trace& trace, const TextWeightsRequest& request, const CancelToken& cancel = {});

// What the values are, in words: "weights of head 7", "sum of the weights of heads 2 and 3", "mean of the weights of
// all 8 heads", "no head is chosen".
std::string text_weights_words(const TextWeightsRequest& request, std::int64_t num_heads);

// All heads, or those of `chosen` that the trace has.
std::vector<std::int64_t> combined_heads(const std::optional<std::vector<std::int64_t>>& chosen,
                                         std::int64_t num_heads);

// The tokens of a text as words are written: whether each is joined to the one before it, as the pieces of one word
// are, and its letters without the blanks around them ("␣" for a token of blanks alone, "⏎" for a line's end).
struct TextToken {
  std::string letters;
  bool joined = false;
};
// Of the queries, or of the keys.
std::vector<TextToken> text_tokens(const Trace& trace, bool of_keys);

}  // namespace headscope
