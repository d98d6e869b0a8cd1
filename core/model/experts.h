// A mixture of experts: which of them a row chooses, and what they add up to. The bits of a row depend on that row
// alone.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/backend/backend.h"
#include "core/base/cancel.h"
#include "core/model/architecture.h"
#include "core/model/checkpoint_weights.h"
#include "core/tensor/tensor.h"

namespace headscope {

// Where rows x [batch, rows, d_model] go (Shazeer et al. 2017; Jiang et al. 2024).
struct Routing {
  // `router` [batch, rows, experts]: softmax over all experts of router x, or the sigmoid of each, before any is chosen
  Tensor probabilities;
  Tensor chosen;  // `experts` [batch, rows, chosen]: numbers of the largest, the largest first, of equal ones the
                  // first; whole numbers
  // [batch, rows, chosen]: their probabilities, divided by their sum where the rule says so, times MixtureRule::factor
  Tensor factors;
};

// Of what the MLP of a layer reads: the stream after its norm. Throws Cancelled.
Routing routing_of(const MixtureRule& rule, const ExpertWeights& weights, const Tensor& x, const Backend& backend,
                   const CancelToken& cancel);

// By what the experts of a row are chosen: their logits, which differ where probabilities have been rounded to 0, or,
// where the rule has a correction or leaves groups out, their probabilities p plus the correction (empty: none); -inf
// for those of groups that are left out.
std::vector<float> choosing_scores(const MixtureRule& rule, std::span<const float> logits, std::span<const float> p,
                                   std::span<const float> correction);

// How good each group of experts is: the best score of its experts, with a correction the sum of its two best.
std::vector<float> group_goodness(const MixtureRule& rule, std::span<const float> scores);

// Whether expert or group `at` of these scores is chosen before `other`: the larger score, of equal ones the first; NaN
// comes last.
bool is_chosen_before(std::span<const float> scores, std::size_t at, std::size_t other);

// result = sum over the chosen experts, in the order of their numbers, of factor * expert(x), then what the shared
// expert gives where there is one, of the shape of x; an
// expert is down(f(gate x) * up x), or as MixtureRule::clamp says. Reads the weights of no expert that no row chose.
// Throws Cancelled.
void experts_of(const Architecture& architecture, const ExpertWeights& weights, const Tensor& x, const Backend& backend,
                const CancelToken& cancel, Tensor& result);

}  // namespace headscope
