// The parts that a logit is a sum of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/explain/attribution_by.h"

namespace headscope {

struct AttributionPart {
  // "embedding" (word * scale), "token types", "positions", "embedding norm bias", "embedding projection bias"; of a
  // layer "attention", or "head" or "source" (a head and a key) with "attention bias" (of W_O) and "edited"; "attention
  // norm bias", "mlp", "mlp norm bias", "convolution", "convolution norm bias", and "array", what --set, --add and
  // --project-out change in the stream that enters it; "final norm bias", "decoder bias"; of a loss "entropy of the
  // prediction". Those of the cross-attention of a decoder begin with "cross ".
  const char* name = "";
  std::optional<std::int64_t> layer, head, key;  // key: position of the token that is read
  double value = 0;
};

// The names of what an attention adds: its own, or those of cross-attention.
struct AttentionPartNames {
  const char *attention, *head, *source, *bias, *norm_bias, *edited;
};
const AttentionPartNames& attention_part_names(const Trace& layer);

// What the parts of an attribution read, by name: the keys of the model's layers, and those of its cross-attention.
struct ReadTokens {
  std::vector<std::string> own, cross;
  const std::string& of(const AttributionPart& part) const;  // asserts that it has a key
};
ReadTokens read_tokens(const Trace& trace);  // of a layer of the model
bool is_of_cross(const AttributionPart& part);

// What a layer's attention adds to a logit, where `direction` [d_model] . (what is added to the stream at `position`)
// is that logit. With w = W_O^T direction (after the norm of the result, where there is one, held as HeldNorm), all in
// double:
//   components: direction . attention                            one part "attention"
//   heads:      w_h . context[h, position]                       a part a head, and the biases' own
//   sources:    weights[h, position, j] (w_h . value[g, j])      a part a head and key, hidden keys too (0)
// Where numbers behind the weights were changed by hand, "edited" is what that adds: of a head (an edit of context
// or concat, by sources), of a layer (output, attention_norm_out, by heads and sources). An ablated head adds 0.
struct AttentionQuestion {
  const Trace& layer;
  std::int64_t position = 0;
  AttributionBy by = AttributionBy::components;
};
std::vector<AttributionPart> attention_parts(const AttentionQuestion& question, const std::vector<double>& direction,
                                             const CancelToken& cancel);

}  // namespace headscope
