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
#include "core/sweep/swept_metric.h"

namespace headscope {

// A metric as metric_words() spells it; A, B and C are tokens as named_token() takes them, "A-B" is split at the first
// dash with a token on either side. "recovered" is that of kl:clean. UsageError of the option "metric".
SweepMetric parse_sweep_metric(const Checkpoint& checkpoint, const std::string& text);

// UsageError of the option `option` for a metric without slopes by logits, or whose slope is 0 because the run that it
// is held against is the run itself (`own_reference`).
void check_slopes(const std::string& option, const SweepMetric& metric, bool own_reference);

// Where a metric is taken: the position given (below 0: counted from the end), else that of the first mask token, else
// the last one. UsageError of the option "at" for a position that the text has not.
std::int64_t metric_position(const Trace& trace, const std::optional<std::int64_t>& given);

// ln softmax of the model's logits at a position of batch item 0, [vocabulary], in double.
std::vector<double> log_probabilities(const ModelTrace& model, std::int64_t position, const CancelToken& cancel);

// Whether the metric is one formula of the logits of one position, and what it is then.
bool is_of_logits(const SweepMetric& metric);
double metric_of_logits(const SweepMetric& metric, std::span<const float> logits, const std::vector<double>& reference);

// The metric of a run of the whole model, at a position of batch item 0; `reference` are the log_probabilities() of the
// run that it is held against (MetricReference), else it does not count:
//   logit        the mean of the logits that are added less the mean of those taken away, as the model's float32 logits
//   probability  the sum of softmax(logits)[A] of those that are added less that of the others
//   rank         the number of tokens whose logit is larger than that of A
//   loss         the mean that prediction_report() takes over the text, in nats; the position does not count
//   cell         that number of that run; the position does not count, and the cell is settled (settled_cell())
//   kl, kl:patched  sum over tokens of p (ln p - ln q), in nats: p the run's softmax(logits), ln q = `reference`
//   kl:clean        sum over tokens of q (ln q - ln p)
// UsageError when no token of the text is predicted (loss), or the model was saved without its head. Throws Cancelled.
double sweep_metric_of(const ModelTrace& model, const SweepMetric& metric, std::int64_t position,
                       const std::vector<double>& reference, const CancelToken& cancel);

// The slopes of the metric by the logits of that run, of one that check_slopes() lets pass: of a logit 1 (and -1), by
// their numbers in sets; of a probability p_A (1 - p_A) and -p_A p_k; of the loss (p_k - 1 at the token that follows) /
// the number of predicted tokens; of kl and kl:patched p_k (ln p_k - ln q_k - kl), of kl:clean p_k - q_k. The model
// must outlive it. UsageError as sweep_metric_of().
LogitSlopes metric_slopes(const ModelTrace& model, const SweepMetric& metric, std::int64_t position,
                          const std::vector<double>& reference);

// "logit of 'box' (6) less that of 'ink' (28)", "mean logit of 'box' (6), 'ink' (28)", "probability of 'box' (6)",
// "loss", "divergence from the unpatched run", "cell 1/weights:0,7,5,1", "share recovered of the logit of 'box' (6)".
std::string sweep_metric_text(const Checkpoint& checkpoint, const SweepMetric& metric);

}  // namespace headscope
