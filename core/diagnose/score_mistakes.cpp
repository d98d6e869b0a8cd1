// This table lists mistakes between raw scores and the context: scale, softmax, softcap, sinks, dropout, precision.
#include <cmath>
#include <utility>

#include "core/attention/score_rule_of.h"
#include "core/diagnose/mistake_rows.h"

namespace headscope {
namespace {

using S = StageId;

double real(std::int64_t number) {
  return static_cast<double>(number);
}

bool scale_with(Altered& what, double scale) {
  const double before = scale_of(what.request, what.inputs);
  set_scale(what, scale);
  return std::abs(before - scale) > 1e-9 * std::abs(before);
}

bool scale_by_heads(Altered& what, int) {
  return scale_with(what, 1 / std::sqrt(real(what.inputs.num_heads)));
}
bool scale_by_length(Altered& what, int) {
  return what.inputs.key_len > 0 && scale_with(what, 1 / std::sqrt(real(what.inputs.key_len)));
}
// The usual scale, in models that have another one: T5 has none, Gemma 2 one of its own.
bool scale_as_usual(Altered& what, int) {
  return scale_with(what, 1 / std::sqrt(real(what.inputs.head_dim)));
}
bool scale_with_zero(Altered& what, int) {
  return scale_with(what, 0);
}
bool scale_after_softmax(Altered& what, int) {
  what.faults.weight_factor = scale_of(what.request, what.inputs);
  return scale_with(what, 1);
}

template <LayerFaults::Over over>
bool normalise_over(Altered& what, int) {
  what.faults.over = over;
  return over != LayerFaults::Over::batch || what.inputs.batch > 1;
}

template <LayerFaults::Powers powers>
bool with_powers(Altered& what, int) {
  what.faults.powers = powers;
  return true;
}

bool add_one(Altered& what, int) {
  return !std::exchange(what.faults.plus_one, true);
}

constexpr double kEps[] = {1e-3, 1e-4, 1e-2, 1e-1};
bool add_eps(Altered& what, int variation) {
  return std::exchange(what.faults.denominator_eps, kEps[variation]) == 0;
}

template <LayerFaults::Cap cap>
bool cap_as(Altered& what, int) {
  what.faults.cap = cap;
  return softcap_of(what.request, what.inputs).has_value();
}

bool leave_sinks_out(Altered& what, int) {
  return !std::exchange(what.inputs.weights.sinks, Tensor()).empty();
}

bool keep_dropout_sum(Altered& what, int) {
  what.faults.keeps_dropout_sum = true;
  return what.request.dropout > 0;
}

// Powers of the scores themselves: beyond what the format holds they are infinite, and so is their sum.
constexpr double kLimits[] = {65504, 3.4028234663852886e38};
bool leave_maximum_out(Altered& what, int variation) {
  what.faults.power_limit = kLimits[variation];
  return true;
}

bool softmax_in_half(Altered& what, int variation) {
  what.faults.softmax_grid = number_grids()[static_cast<std::size_t>(variation)];
  return true;
}

bool round_queries(Altered& what, int variation) {
  what.faults.query_grid = number_grids()[static_cast<std::size_t>(variation)];
  return true;
}

bool overflow_scores(Altered& what, int) {
  what.faults.score_limit = kLimits[0];
  return true;
}

bool keep_sink(Altered& what, int) {
  what.faults.sink_kept = true;
  return !what.inputs.weights.sinks.empty();
}

bool accumulate_in_half(Altered& what, int variation) {
  what.faults.accumulator = number_grids()[static_cast<std::size_t>(variation % 2)];
  what.faults.rounds_products = variation < 2;
  return true;
}

bool transpose_scores(Altered& what, int) {
  what.faults.scores_transposed = true;
  return what.inputs.query_len == what.inputs.key_len;
}

// Which weights were dropped only theirs can say: StageComparer::left_of_dropout() makes it.
bool seen_in_theirs(Altered&, int) {
  return false;
}

constexpr MistakeRow kRows[] = {
    {"scores-transposed", S::raw_scores, "queries and keys of the result are exchanged", "k @ q.transpose(-2, -1)",
     "q @ k.transpose(-2, -1)", transpose_scores},
    {"scale-by-heads", S::scores, "scores are divided by the root of the number of heads", "/ math.sqrt(num_heads)",
     "{scale}", scale_by_heads},
    {"scale-by-length", S::scores, "scores are divided by the root of the number of keys", "/ math.sqrt(k.shape[-2])",
     "{scale}", scale_by_length},
    {"scale-by-root-of-head-dim", S::scores,
     "scores are divided by the root of head_dim, and this layer has another scale", "/ math.sqrt(head_dim)", "{scale}",
     scale_as_usual},
    {"scores-zero", S::scores, "all scores are 0, as those of queries or keys that hold zeros", "(0 * q) @ k.T",
     "q @ k.T", scale_with_zero},
    {"scale-after-softmax", S::scores, "weights are divided by the root of head_dim, scores are not",
     "softmax(q @ k.T) {scale}", "softmax(q @ k.T {scale})", scale_after_softmax},
    {"softmax-over-heads", S::weights, "the softmax runs along the heads", "scores.softmax(dim=1)",
     "scores.softmax(dim=-1)", normalise_over<LayerFaults::Over::heads>},
    {"softmax-over-batch", S::weights, "the softmax runs along the batch", "scores.softmax(dim=0)",
     "scores.softmax(dim=-1)", normalise_over<LayerFaults::Over::batch>},
    {"softmax-over-matrix", S::weights, "the softmax runs over all queries and keys of a head together",
     "scores.flatten(-2).softmax(-1).view_as(scores)", "scores.softmax(dim=-1)",
     normalise_over<LayerFaults::Over::matrix>},
    {"softmax-base-2", S::weights, "weights are powers of 2 and not of e", "torch.exp2(scores - max)",
     "torch.exp(scores - max)", with_powers<LayerFaults::Powers::of_two>},
    {"softmax-plus-one", S::weights, "1 is added to the sum that the softmax divides by", "e / (1 + e.sum(-1))",
     "e / e.sum(-1)", add_one},
    {"softmax-eps", S::weights, "a small number is added to the sum that the softmax divides by",
     "e / (e.sum(-1) + eps)", "e / e.sum(-1)", add_eps, 4},
    {"sigmoid-for-softmax", S::weights, "weights are sigmoids of the scores", "scores.sigmoid()",
     "scores.softmax(dim=-1)", with_powers<LayerFaults::Powers::sigmoid>},
    {"log-softmax", S::weights, "weights are the logarithms of the softmax", "scores.log_softmax(dim=-1)",
     "scores.softmax(dim=-1)", with_powers<LayerFaults::Powers::logarithm>},
    {"softcap-before-scale", S::scores, "the softcap is applied before the scale", "scale * cap * tanh(q @ k.T / cap)",
     "cap * tanh(scale * q @ k.T / cap)", cap_as<LayerFaults::Cap::before_scale>},
    {"softcap-without-factor", S::capped_scores, "scores are tanh(scores / cap), not multiplied by the cap",
     "torch.tanh(scores / cap)", "cap * torch.tanh(scores / cap)", cap_as<LayerFaults::Cap::without_factor>},
    {"sinks-missing", S::weights, "the sinks of the heads do not join the softmax", "scores.softmax(dim=-1)",
     "torch.cat([scores, sinks], -1).softmax(-1)[..., :-1]", leave_sinks_out},
    {"dropout-left-on", S::weights, "weights are dropped at random, as in training", "F.dropout(weights, p)",
     "F.dropout(weights, p, training=self.training)", seen_in_theirs, 2},
    {"dropout-without-rescale", S::dropped_weights, "weights that dropout keeps are not divided by 1 - p",
     "weights * kept", "weights * kept / (1 - p)", keep_dropout_sum},
    {"softcap-after-mask", S::capped_scores, "the softcap is applied to hidden scores, too, which become -cap",
     "cap * tanh(masked / cap)", "cap * tanh(scores / cap), then {hide}", cap_as<LayerFaults::Cap::after_mask>},
    {"sinks-kept", S::weights, "the column of the sinks is kept, and that of the last key dropped",
     "torch.cat([sinks, scores], -1).softmax(-1)[..., :-1]", "torch.cat([sinks, scores], -1).softmax(-1)[..., 1:]",
     keep_sink},
    {"softmax-without-maximum", S::weights, "exp() is taken of scores from which the largest was not subtracted",
     "scores.exp() / scores.exp().sum(-1)", "scores.softmax(dim=-1)", leave_maximum_out, 2},
    {"softmax-in-half", S::weights, "the softmax alone runs in half precision", "scores.half().softmax(-1).float()",
     "scores.softmax(dim=-1)", softmax_in_half, 2},
    {"query-rounded", S::query, "queries alone are rounded to half precision", "q.half() @ k.T", "q @ k.T",
     round_queries, 2},
    {"scores-overflowed", S::raw_scores, "scores beyond 65504 are infinite, as in float16", "(q.half() @ k.half().T)",
     "(q.float() @ k.float().T)", overflow_scores},
    {"accumulated-in-half", S::raw_scores, "sums of products are rounded after every addition",
     "acc = (acc + a * b).half()", "acc = acc + a.float() * b.float()", accumulate_in_half, 4},
};

}  // namespace

std::span<const MistakeRow> score_mistakes() {
  return kRows;
}

}  // namespace headscope
