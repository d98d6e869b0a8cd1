// Why a head looks there: a score as the sum over what earlier components wrote at its query and at its key.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/attention/model_trace.h"
#include "core/base/cancel.h"
#include "core/explain/attribution_by.h"

namespace headscope {

// A score of the model's shown layer.
struct ScoreQuestion {
  std::int64_t head = 0, query = 0, key = 0;
  AttributionBy by = AttributionBy::heads;  // components or heads
  friend bool operator==(const ScoreQuestion&, const ScoreQuestion&) = default;
};

struct ScoreWriter {
  // As AttributionPart::name; "input norm bias" of the norm before attention, "projection bias" of W_Q or W_K.
  std::string name;
  std::optional<std::int64_t> layer, head;
};

struct ScoreWriters {
  double total = 0;  // the score itself, after the scaling: the stage `scores`
  double scale = 0;
  double sum = 0;                          // of all terms
  std::vector<ScoreWriter> queries, keys;  // who wrote at the query's position, and at the key's
  // [queries, keys], row-major: scale * (what a writer gives the head's query) . (what another gives its key)
  std::vector<double> terms;
  double term(std::size_t query, std::size_t key) const { return terms[query * keys.size() + key]; }
};

// "layer 0, head 5", "layer 1, mlp", "embedding".
std::string score_writer_name(const ScoreWriter& writer);
// The same for an axis: "0.5" of a head, "mlp 1", "embedding".
std::string score_writer_label(const ScoreWriter& writer);

// Elhage et al. 2021 ("A Mathematical Framework for Transformer Circuits": the QK circuit), for batch item 0. With
// every norm on the way held at the mean and scale that it has at its position (HeldNorm), the query of a head is a
// linear map of the parts of the stream, and so is the key; rotary positions, too, are linear:
//   score(i, j) = scale * sum over a, b of (R_i N_q W_Q N w_a) . (R_j N_k W_K N w_b)
// a and b over what embeddings, heads, MLPs and biases of earlier layers wrote at i and at j, N the norm before
// attention and N_q, N_k those of heads, held, R the rotation. In double; the sum is the score but for the rounding of
// the model's float32. What is added to scores afterwards (masks, ALiBi, relative biases, c2p and p2c, caps) is not in
// it.
//
// The model must have been computed whole. UsageError, which names the option as headscope-cli has it: no checkpoint; a
// place that is not there; layers that were not kept; latents; projections that are held within bounds; what stands
// before the keys; a patched stream, and interventions on this layer's own numbers before its scores.
// Error where the terms do not add up to the score: a known mistake is switched on. Throws Cancelled.
ScoreWriters score_writers(const ModelTrace& model, const ScoreQuestion& question, const CancelToken& cancel);

}  // namespace headscope
