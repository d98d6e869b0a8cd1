// What a model says: probabilities of tokens, and the loss of those that are there.
#pragma once

#include <cstdint>
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
  // -log of the probability of the token that is really there, in nats: of a next-token head the one after `position`
  // (nothing for the last), of a masked head the one at `position` (nothing for a mask token).
  std::optional<double> loss;
};

// Of item `batch`, for each of `positions`: the `top_n` most probable tokens (fewer where the vocabulary is smaller)
// and the loss. With x a row of model.final_hidden,
//   logits = decoder(x), of masked heads with a transform decoder(norm(f(transform x)));  probability = softmax(logits)
// Logits are held for some positions at a time, so that memory does not grow with positions times vocabulary. A
// prediction has the same bits whatever positions are asked for with it. UsageError when the model was saved without
// its head; asserts that final_hidden is there and positions are inside. Throws Cancelled.
std::vector<Prediction> predictions(const ModelTrace& model, std::int64_t batch,
                                    std::span<const std::int64_t> positions, std::int64_t top_n, const Backend& backend,
                                    const CancelToken& cancel);

// The probabilities that predictions() gives the tokens `ids` at one position.
std::vector<double> probabilities_of(const ModelTrace& model, std::int64_t batch, std::int64_t position,
                                     std::span<const std::int64_t> ids, const Backend& backend,
                                     const CancelToken& cancel);

// Where a model's predictions are looked at first: the last position of a next-token head; of a masked head every mask
// token, and without any every position.
std::vector<std::int64_t> predicted_positions(const ModelTrace& model);

// What the interventions of a request do to a prediction at one position: all together, and each alone.
struct PredictionChange {
  std::vector<double> top_without;  // the probability of each of the report's tokens, without interventions
  TokenProbability first;           // the most probable token without interventions
  double first_now = 0;             // its probability with all of them
  std::vector<double> first_alone;  // and with one of them, in the order of `terms`
};
struct PredictionChanges {                  // core/compare/prediction_changes.h
  std::vector<std::string> terms;           // of the active interventions, as their options spell them
  std::vector<PredictionChange> positions;  // those of the report
  std::optional<double> mean_loss_without;
};

// What --predict N gives, of the first batch item.
struct PredictionReport {
  bool next_token = false;                        // else a masked head
  std::vector<Prediction> positions;              // predicted_positions(), N tokens each
  std::vector<std::optional<double>> token_loss;  // of every token of the phrase; nothing where it is not predicted
  std::optional<double> mean_loss;                // of those that are; nothing without any
  std::optional<PredictionChanges> changes;       // nothing when nothing intervenes
};
PredictionReport prediction_report(const ModelTrace& model, std::int64_t top_n, const CancelToken& cancel);

}  // namespace headscope
