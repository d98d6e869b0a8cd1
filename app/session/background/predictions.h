// What a model predicts at one place of the phrase, and how well it knows each token: for a panel.
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
  bool next_token = false;  // else a masked head: what stands at `position` itself
  std::int64_t position = 0;
  std::vector<TokenProbability> tokens;       // the whole vocabulary, most probable first
  std::vector<std::optional<double>> losses;  // nats, of every token of the phrase; nothing where it is not predicted
  std::optional<double> mean_loss;            // of those that are
  std::string failure;                        // why there is none (a model that was saved without its head)

  double probability_of(std::int64_t id) const;  // NaN for an id that the vocabulary does not have
};

// Where one looks when nobody has picked a token: the last one of a next-token head; of a masked head the first mask
// token, else the first `it`, else the last token of the text.
std::int64_t predicted_position(const ModelTrace& model);

// Whether the model has a head to ask.
bool has_predictions(const ModelTrace& model);

// Asserts that `position` is inside. Throws Cancelled.
PredictionResult predict(const ModelTrace& model, std::int64_t batch, std::int64_t position, const CancelToken& cancel);

// "With layer 1, head 2 off, Mary falls from 71.7 % to 35.2 %; John rises to 20.3 %." What the active interventions of
// `after` change of the most probable token of `before`, and the token that gains most.
std::string change_sentence(const PredictionResult& before, const PredictionResult& after,
                            const std::vector<Intervention>& active);

}  // namespace headscope
