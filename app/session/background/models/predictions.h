// A model's prediction at one position of the phrase, and the loss of every token: for a panel.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/attention/model_trace.h"
#include "core/attention/output_head.h"
#include "core/base/cancel.h"
#include "core/request/intervention_list.h"

namespace headscope {

struct PredictionResult {
  bool next_token = false;  // else a masked head, which predicts the token at `position` itself
  std::int64_t position = 0;
  std::vector<TokenProbability> tokens;       // the whole vocabulary, most probable first
  std::vector<std::optional<double>> losses;  // nats, of every token of the phrase; nullopt where it is not predicted
  std::optional<double> mean_loss;            // over the predicted tokens; nullopt when there is none
  std::string failure;                        // why there is no prediction (the model has no output head); else ""

  double probability_of(std::int64_t id) const;  // NaN for an id that the vocabulary does not have
};

// The position to show when the user has picked no token: the last one for a next-token head; for a masked head the
// first mask token, else the first `it`, else the last token of the text.
std::int64_t predicted_position(const ModelTrace& model);

// Whether the model has an output head.
bool has_predictions(const ModelTrace& model);

// The prediction at `position`, which must be inside (asserted). Throws Cancelled.
PredictionResult predict(const ModelTrace& model, std::int64_t batch, std::int64_t position, const CancelToken& cancel);

// "With layer 1, head 2 off, Mary falls from 71.7 % to 35.2 %; John rises to 20.3 %." Says how the active interventions
// of `after` change the probability of the most probable token of `before`, and which token gains most.
std::string change_sentence(const PredictionResult& before, const PredictionResult& after,
                            const std::vector<Intervention>& active);

}  // namespace headscope
