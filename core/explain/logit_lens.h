// The logit lens: what a model would say if its layers ended after each of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/attention/output_head.h"
#include "core/attention/trace.h"
#include "core/base/cancel.h"

namespace headscope {

// What the model says after some of its layers: the most probable tokens at every position.
struct LensLayer {
  std::int64_t layer = -1;            // -1: before layer 0, of the embeddings alone
  std::vector<Prediction> positions;  // [len]
};

struct LogitLens {
  bool next_token = false;        // else a masked head
  std::vector<LensLayer> layers;  // [layers + 1]
};

// "embeddings", "layer 0", "layer 1": a row of the lens.
std::string lens_row_name(std::int64_t layer);

// For every layer l and position i of batch item `batch`, with stream[l] of core/attention/model_stages.h,
//   probabilities = softmax(logits of final_norm(stream[l][i])), logits as core/attention/output_head.h has them
// and of these the `top_n` largest (nostalgebraist 2020, "interpreting GPT: the logit lens"). The last row is what the
// model says, bit for bit as predictions(). UsageError, which names `option`: a result that is no whole model's, a
// model without output head, a batch item that is not there, layers that were not kept or whose streams are too large.
// Asserts that the model was computed whole. Throws Cancelled.
LogitLens logit_lens(const std::string& option, const Trace& trace, std::int64_t batch, std::int64_t top_n,
                     const CancelToken& cancel);

// Throws the UsageError of a trace whose lens cannot be made; without computing.
void check_lens(const std::string& option, const Trace& trace);

}  // namespace headscope
