// One number of a run of a model, by which patches are compared.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/attention/model_trace.h"
#include "core/base/cancel.h"
#include "core/gradient/logit_slopes.h"
#include "core/model/checkpoint.h"
#include "core/sweep/measured_cell.h"

namespace headscope {

struct SweepMetric {
  enum class Kind { logit, probability, loss, kl, cell };
  Kind kind = Kind::logit;
  std::vector<std::int64_t> ids;          // of logit one, or two whose difference it is; of probability one
  std::optional<MeasuredCell> cell = {};  // of a cell
  // Whether it is taken at one position of the prediction.
  bool has_position() const { return kind != Kind::loss && kind != Kind::cell; }
};

// "logit:A", "logit:A-B", "prob:A", "loss", "kl" or "cell:[L/]STAGE:B,H,I,J"; A and B are tokens as named_token() takes
// them, "A-B" is split at the first dash with a token on either side. UsageError of the option "metric".
SweepMetric parse_sweep_metric(const Checkpoint& checkpoint, const std::string& text);

// Where a metric is taken: the position given (below 0: counted from the end), else that of the first mask token, else
// the last one. UsageError of the option "at" for a position that the text has not.
std::int64_t metric_position(const Trace& trace, const std::optional<std::int64_t>& given);

// ln softmax of the model's logits at a position of batch item 0, [vocabulary], in double.
std::vector<double> log_probabilities(const ModelTrace& model, std::int64_t position, const CancelToken& cancel);

// Whether the metric is made of the logits of one position alone, and what it is then: logit and kl.
bool is_of_logits(const SweepMetric& metric);
double metric_of_logits(const SweepMetric& metric, std::span<const float> logits, const std::vector<double>& unpatched);

// The metric of a run of the whole model, at a position of batch item 0:
//   logit        logit(A), or logit(A) - logit(B), as the model's float32 logits
//   probability  softmax(logits)[A]
//   loss         the mean that prediction_report() takes over the text, in nats; the position does not count
//   cell         that number of that run; the position does not count, and the cell is settled (settled_cell())
//   kl           sum over tokens of p (ln p - ln q), in nats: p the run's softmax(logits), ln q = `unpatched`
// UsageError when no token of the text is predicted (loss), or the model was saved without its head. Throws Cancelled.
double sweep_metric_of(const ModelTrace& model, const SweepMetric& metric, std::int64_t position,
                       const std::vector<double>& unpatched, const CancelToken& cancel);

// The slopes of the metric by the logits of that run: of a logit 1 (and -1); of a probability p_A (1 - p_A) and -p_A
// p_k; of the loss (p_k - 1 at the token that follows) / the number of predicted tokens; of kl p_k (ln p_k - ln q_k -
// kl). Of a cell there are none (asserted). The model and `unpatched` must outlive it. UsageError as sweep_metric_of().
LogitSlopes metric_slopes(const ModelTrace& model, const SweepMetric& metric, std::int64_t position,
                          const std::vector<double>& unpatched);

// "logit of 'box' (6) less that of 'ink' (28)", "probability of 'box' (6)", "loss", "divergence from the unpatched
// run", "cell 1/weights:0,7,5,1".
std::string sweep_metric_text(const Checkpoint& checkpoint, const SweepMetric& metric);

}  // namespace headscope
