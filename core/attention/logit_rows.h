// Logits of several runs of one model at once: the decoder is read once for all of them. And their logarithms of
// probabilities.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/attention/model_trace.h"
#include "core/base/cancel.h"

namespace headscope {

// visit(row, logits [vocabulary]) for every row of `hidden` [1, rows, d_model], rows of final_hidden of runs of the
// model of `model`, on its backend. The bits of each are those of logits_at() (output_head.h). Throws as that does.
void visit_logit_rows(const ModelTrace& model, const Tensor& hidden, const CancelToken& cancel,
                      const std::function<void(std::int64_t row, std::span<const float> logits)>& visit);

// ln softmax(logits), [vocabulary], in double. There is one logit at least.
std::vector<double> log_softmax(std::span<const float> logits);

}  // namespace headscope
