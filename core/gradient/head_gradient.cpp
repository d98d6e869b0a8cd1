#include "core/gradient/head_gradient.h"

#include <algorithm>
#include <utility>

#include "core/attention/output_head.h"
#include "core/gradient/mlp_gradient.h"
#include "core/gradient/norm_gradient.h"
#include "core/model/checkpoint.h"

namespace headscope {
namespace {

// The gradient by what the decoder gives, from that by logits = C tanh(scale decoded / C).
void before_adjustment(const Architecture& architecture, std::span<const float> logits, std::span<double> slope) {
  for (std::size_t k = 0; k < slope.size(); ++k) {
    slope[k] *= architecture.logit_scale;
    if (!architecture.logit_softcap) continue;
    const double share = static_cast<double>(logits[k]) / *architecture.logit_softcap;
    slope[k] *= 1.0 - share * share;
  }
}

// From the gradient by what the decoder reads to that by `hidden`, through a masked head's norm(f(W x + b)).
GradientRows before_transform(const Architecture& architecture, const OutputHead& head, const GradientRows& hidden,
                              GradientRows dread, ThreadPool& threads) {
  if (head.transform.empty()) return dread;
  const GradientRows linear = linear_of(hidden, head.transform, threads);
  GradientRows active = linear;
  for (double& value : active.values) value = activated(architecture.head_activation, value).value;
  dread = before_norm(row_norm_of(architecture, head.transform_norm), active, dread);
  for (std::size_t k = 0; k < dread.values.size(); ++k) {
    dread.values[k] *= activated(architecture.head_activation, linear.values[k]).slope;
  }
  return before_linear(dread, head.transform, threads);
}

}  // namespace

GradientRows before_head(const ModelTrace& model, const LogitSlopes& slopes, const GradientRows& left,
                         ThreadPool& threads, const CancelToken& cancel) {
  const Architecture& architecture = model.checkpoint->architecture();
  const OutputHead head = model.checkpoint->output_head();
  const RowNorm final_norm = row_norm_of(architecture, head.final_norm);
  const std::int64_t vocabulary = head.decoder.weight.dim(0);
  GradientRows picked(std::ssize(slopes.positions), left.features);
  GradientRows dread(picked.count, head.decoder.weight.dim(1));
  std::int64_t k = 0;
  for_each_logits(model, 0, slopes.positions, *model.backend, cancel, [&](std::span<const float> logits) {
    GradientRows dlogits(1, vocabulary);
    const std::int64_t position = slopes.positions[static_cast<std::size_t>(k)];
    slopes.slope(position, logits, dlogits.row(0));
    before_adjustment(architecture, logits, dlogits.row(0));
    const GradientRows row = before_linear(dlogits, head.decoder, threads);
    std::copy(row.values.begin(), row.values.end(), dread.row(k).begin());
    const std::span<const double> from = left.row(position);
    std::copy(from.begin(), from.end(), picked.row(k).begin());
    ++k;
  });
  const GradientRows hidden = normed(final_norm, picked);
  const GradientRows dhidden = before_transform(architecture, head, hidden, std::move(dread), threads);
  const GradientRows dpicked = before_norm(final_norm, picked, dhidden);
  GradientRows dleft(left.count, left.features);
  for (k = 0; k < picked.count; ++k) {
    const std::span<double> to = dleft.row(slopes.positions[static_cast<std::size_t>(k)]);
    const std::span<const double> from = dpicked.row(k);
    for (std::size_t d = 0; d < to.size(); ++d) to[d] += from[d];
  }
  return dleft;
}

}  // namespace headscope
