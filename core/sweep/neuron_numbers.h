// Computes what the MLP of a layer adds when one of its neurons has other numbers. Only core/sweep uses it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/attention/patches.h"
#include "core/attention/trace.h"
#include "core/gradient/rows.h"
#include "core/sweep/sweep_patch.h"
#include "core/tensor/tensor.h"

namespace headscope {

// UsageError of the option "patch" for a model whose layers have no MLP, or of `neurons` a mixture of experts.
void check_mlps(const Trace& trace, bool neurons);

class NeuronNumbers {
 public:
  // `own`: the run that is patched, with all layers. The numbers come from `source`, whose positions `found` matches;
  // or, where that is null, from the ablation: 0, or the means over the positions of the runs that add_to_means() had.
  NeuronNumbers(std::shared_ptr<const Trace> own, std::shared_ptr<const Trace> source,
                std::shared_ptr<const Patches> found, std::optional<Ablation> ablation);

  // Adds what every neuron of every layer of a run holds at each position of its first batch item.
  void add_to_means(const Trace& run);

  // mlp_out of the layer, [batch, len, d_model]. With h the run's own f(up x), or f(gate x) * up x, y = down(h) and a
  // the other number of neuron n:
  //   own mlp_out + norm(y + (a - h[n]) down[:, n]) - norm(y)
  // in double, where norm is the norm of results, if there is one. Where a is the run's own it has its own bits.
  // UsageError of the option "patch" where the other run's layer has another number of neurons.
  Tensor numbers(std::int64_t layer, std::int64_t neuron);

 private:
  struct Layer {
    std::int64_t layer = -1;
    Tensor added;               // own mlp_out
    GradientRows result;        // y
    GradientRows neurons, put;  // h and all a, [batch * len, width]
  };
  const Layer& known(std::int64_t layer);
  GradientRows put_of(std::int64_t layer, const GradientRows& neurons) const;

  struct Mean {
    std::vector<double> sum;  // [width]
    std::int64_t positions = 0;
  };
  std::shared_ptr<const Trace> own_, source_;
  std::shared_ptr<const Patches> found_;
  std::optional<Ablation> ablation_;
  std::map<std::int64_t, Mean> means_;
  Layer known_;
};

}  // namespace headscope
