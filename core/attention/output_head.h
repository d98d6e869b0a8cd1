// A model's predictions: probabilities of tokens, and the loss of the tokens in the text.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/attention/model_trace.h"
#include "core/backend/backend.h"
#include "core/base/cancel.h"

namespace headscope {

struct TokenProbability {
  std::int64_t id = 0;
  std::string piece;  // as shown; the id where the model has no tokenizer
  double logit = 0, probability = 0;
};

struct Prediction {
  std::int64_t position = 0;
  std::vector<TokenProbability> top;  // most probable first, equal ones by id
  // -log of the probability of the token in the text, in nats: of a next-token head the one after `position` (nullopt
  // for the last position), of a masked head the one at `position` (nullopt for a mask token).
  std::optional<double> loss;
};

// For batch item `batch` and each of `positions`: the `top_n` most probable tokens (fewer when the vocabulary is
// smaller) and the loss. With x a row of model.final_hidden,
//   logits = decoder(x), of masked heads with a transform decoder(norm(f(transform x))); then times the model's
//   logit_scale and C tanh(logits / C) with its logit_softcap C;  probability = softmax(logits)
// Logits are kept for some positions at a time, so that memory does not grow with positions times vocabulary. The bits
// of a prediction do not depend on the other positions. UsageError when the model was saved without its head; asserts
// that final_hidden is not empty and positions are inside. Throws Cancelled.
std::vector<Prediction> predictions(const ModelTrace& model, std::int64_t batch,
                                    std::span<const std::int64_t> positions, std::int64_t top_n, const Backend& backend,
                                    const CancelToken& cancel);

// The probabilities that predictions() gives the tokens `ids` at one position.
std::vector<double> probabilities_of(const ModelTrace& model, std::int64_t batch, std::int64_t position,
                                     std::span<const std::int64_t> ids, const Backend& backend,
                                     const CancelToken& cancel);

// The logits at one position, [vocabulary], as predictions() turns them into probabilities.
std::vector<float> logits_at(const ModelTrace& model, std::int64_t batch, std::int64_t position, const Backend& backend,
                             const CancelToken& cancel);

// visit(logits) for each of `positions` in their order: the [vocabulary] numbers that logits_at() gives, for some
// positions at a time.
void for_each_logits(const ModelTrace& model, std::int64_t batch, std::span<const std::int64_t> positions,
                     const Backend& backend, const CancelToken& cancel,
                     const std::function<void(std::span<const float> logits)>& visit);

// The token whose loss belongs to a position: of a next-token head the one after it (nullopt for the last position), of
// a masked head the one at it (nullopt for a mask token).
std::optional<std::int64_t> loss_target(const ModelTrace& model, std::int64_t position);

// The positions whose predictions are reported: the last one for a next-token head; for a masked head every mask token,
// or every position when there is none.
std::vector<std::int64_t> predicted_positions(const ModelTrace& model);

// The effect of a request's interventions on the prediction at one position: all together, and each alone.
struct PredictionChange {
  std::vector<double> top_without;  // the probability of each of the report's tokens, without interventions
  TokenProbability first;           // the most probable token without interventions
  double first_now = 0;             // its probability with all of them
  std::vector<double> first_alone;  // and with only one of them, in the order of `terms`
};
struct PredictionChanges {                  // core/compare/prediction_changes.h
  std::vector<std::string> terms;           // of the active interventions, as their options spell them
  std::vector<PredictionChange> positions;  // those of the report
  std::optional<double> mean_loss_without;
};

// The result of --predict N, for the first batch item.
struct PredictionReport {
  bool next_token = false;                        // else a masked head
  std::vector<Prediction> positions;              // predicted_positions(), N tokens each
  std::vector<std::optional<double>> token_loss;  // of every token of the phrase; nullopt where it is not predicted
  std::optional<double> mean_loss;                // over the predicted tokens; nullopt when there is none
  std::optional<PredictionChanges> changes;       // nullopt without active interventions
};
PredictionReport prediction_report(const ModelTrace& model, std::int64_t top_n, const CancelToken& cancel);

}  // namespace headscope
