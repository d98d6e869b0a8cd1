// Who made a logit: the exact sum of what every component of a model wrote into the residual stream.
#pragma once

#include <cstdint>
#include <vector>

#include "core/attention/model_trace.h"
#include "core/base/cancel.h"
#include "core/explain/attribution_part.h"

namespace headscope {

constexpr std::int64_t kMostSources = std::int64_t{1} << 20;

// The logit of one token, or of the first less that of the second; or the loss of one.
struct LogitQuestion {
  std::int64_t position = 0;
  std::vector<std::int64_t> ids;  // one or two; of a loss one
  AttributionBy by = AttributionBy::components;
  std::int64_t most_sources = kMostSources;  // layers * heads * keys that are taken apart at most
  bool loss = false;                         // -ln softmax(logits)[id] at the position, in nats
};

struct AttributedToken {
  std::int64_t id = 0;
  double logit = 0;   // the model's own, a float32
  double factor = 1;  // of what its decoder gives: logit_scale, times the secant of a logit_softcap
};

struct Attribution {
  std::vector<AttributedToken> tokens;  // of the question's ids
  double total = 0;                     // their logit, difference or loss
  double sum = 0;                       // of the parts
  std::vector<AttributionPart> parts;   // in the order of computation: embeddings, layer by layer, biases at the end
};

// Direct logit attribution (Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits"), for batch item 0.
// The stream that the final norm reads is a sum: embeddings, and what every layer's attention and MLP add. With every
// norm that the sum passes (HeldNorm: the final one, that of the embeddings, those after the sums of
// NormPlace::after_sum, that of an attention's result) held at the mean and scale that it has here,
//   logit = sum of (direction . what a part wrote) + biases,   direction = factor * decoder row, back through the norms
// where `factor` is Architecture::logit_scale, with a logit_softcap C times C tanh(l / C) / l at this logit l (its
// secant). The parts add up to the logit exactly but for the rounding of the model's float32; `sum` and the parts are
// double. Interventions, masks, dropout and edits count as they were computed.
//
// A loss is a sum, too, with p = softmax(logits) held as the model has it:
//   -ln p_A = (sum over k of p_k logit_k - logit_A) + H(p),   H(p) = - sum over k of p_k ln p_k
// the logits by their parts as above, and the entropy as a part "entropy of the prediction".
//
// In a decoder beside an encoder every layer adds twice, by its self-attention and by its cross-attention, whose parts
// are named "cross ..." and read the encoder's tokens; which of its lists is shown makes no difference.
//
// The model must have been computed whole. UsageError, which names the option as headscope-cli has it: a model without
// output head; a masked head with a transform, whose f(transform x) is no sum; a position or an id that is not there;
// layers that were not kept; a patched stream; more than most_sources. Throws Cancelled.
Attribution attribution(const ModelTrace& model, const LogitQuestion& question, const CancelToken& cancel);

}  // namespace headscope
