#include "core/compare/head_differences.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "core/attention/model_trace.h"
#include "core/base/thread_pool.h"
#include "core/circuits/head_maps.h"
#include "core/circuits/maps_apart.h"
#include "core/circuits/moved_heads.h"
#include "core/compare/model_sizes.h"
#include "core/compare/stage_pairs.h"
#include "core/model/architecture.h"
#include "core/model/checkpoint.h"

namespace headscope {
namespace {

constexpr double kMapsRounding = 1e-5, kTextRounding = 1e-4;

// A stage of a layer in both models, and which of its rows and columns belong together.
class StageOfHeads {
 public:
  StageOfHeads(const Trace& a, const Trace& b, StageId stage) : a_(a.find(stage)), b_(b.find(stage)) {
    if (a_ == nullptr || b_ == nullptr || costs_much(a_->tensor) || costs_much(b_->tensor)) return;
    std::string reason;
    pairs_ = axis_pairs(a_->tensor, b_->tensor, stage, alignments_of(a, b), reason);
  }

  // |A - B| / |A| of head i of A and head j of B, over the finite pairs; infinite where a pair is not finite alike.
  std::optional<double> apart(std::int64_t i, std::int64_t j, const CancelToken& cancel) const {
    if (pairs_.empty()) return std::nullopt;
    double squares = 0, of_a = 0;
    std::int64_t cells = 0;
    const auto add = [&](const Index&, double left, double right) {
      ++cells;
      if (std::isfinite(left) && std::isfinite(right)) {
        squares += (left - right) * (left - right);
        of_a += left * left;
      } else if (!same_number(left, right)) {
        squares = std::numeric_limits<double>::infinity();
      }
    };
    for (const auto& [left, right] : pairs_.front()) {
      each_pair(matrix_at(a_->tensor, left, i), matrix_at(b_->tensor, right, j), {pairs_[2], pairs_[3]}, cancel, add);
    }
    if (cells == 0) return std::nullopt;
    if (squares == 0) return 0;
    return of_a > 0 ? std::sqrt(squares / of_a) : std::numeric_limits<double>::infinity();
  }

 private:
  const Stage *a_, *b_;
  std::vector<Pairs> pairs_;  // of batch items, heads, rows and columns; empty: nothing can be said
};

// What heads do with the text, of a layer.
struct TextOfLayer {
  StageOfHeads weights, context;

  TextOfLayer(const Trace& a, const Trace& b) : weights(a, b, StageId::weights), context(a, b, StageId::context) {}

  void add(std::int64_t i, std::int64_t j, const CancelToken& cancel, HeadShares& shares) const {
    shares.weights = weights.apart(i, j, cancel);
    shares.context = context.apart(i, j, cancel);
  }
};

bool has_maps(const Architecture& architecture) {
  return !architecture.latents && !architecture.of_decoder();
}

// What weights say of a layer: every head in place, then those that have moved.
void add_maps(const ModelTrace& a, const ModelTrace& b, std::int64_t layer, ThreadPool& pool, const CancelToken& cancel,
              LayerDifference& found) {
  if (!has_maps(a.checkpoint->architecture()) || !has_maps(b.checkpoint->architecture())) return;
  std::vector<MapsApart> apart(found.heads.size());
  if (a.checkpoint != b.checkpoint) {
    const HeadMaps left = head_maps(*a.checkpoint, layer, NormFolding::fold),
                   right = head_maps(*b.checkpoint, layer, NormFolding::fold);
    pool.run(static_cast<std::int64_t>(apart.size()), true, [&](std::int64_t head) {
      cancel.check();
      apart[static_cast<std::size_t>(head)] = maps_apart(left, head, right, head);
    });
    for (const MovedHead& head : moved_heads(left, right, apart, cancel)) {
      found.moved.push_back({head.from, head.to, {{}, {}, head.apart.qk, head.apart.ov}});
    }
  }
  for (std::size_t h = 0; h < apart.size(); ++h) {
    found.heads[h].qk = apart[h].qk;
    found.heads[h].ov = apart[h].ov;
  }
}

LayerDifference difference_of_layer(const ModelTrace& a, const ModelTrace& b, std::int64_t layer, ThreadPool& pool,
                                    const CancelToken& cancel) {
  LayerDifference found;
  found.heads.resize(static_cast<std::size_t>(a.checkpoint->architecture().num_heads));
  add_maps(a, b, layer, pool, cancel, found);
  const auto &left = a.layers[static_cast<std::size_t>(layer)], &right = b.layers[static_cast<std::size_t>(layer)];
  if (left == nullptr || right == nullptr) return found;
  const TextOfLayer text(*left, *right);
  pool.run(static_cast<std::int64_t>(found.heads.size()), true,
           [&](std::int64_t head) { text.add(head, head, cancel, found.heads[static_cast<std::size_t>(head)]); });
  for (LayerDifference::Moved& head : found.moved) text.add(head.from, head.to, cancel, head.shares);
  return found;
}

bool beyond(const std::optional<double>& share, double rounding) {
  return share && !(*share <= rounding);  // a NaN is beyond
}

// The first head of which `differs` says that it does.
template <typename Differs>
std::optional<HeadPlace> first_head(const std::vector<LayerDifference>& layers, Differs&& differs) {
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const std::vector<HeadShares>& heads = layers[l].heads;
    const auto head = std::find_if(heads.begin(), heads.end(), differs);
    if (head != heads.end()) return HeadPlace{static_cast<std::int64_t>(l), head - heads.begin()};
  }
  return std::nullopt;
}

}  // namespace

double HeadShares::largest() const {
  double largest = 0;
  for (const std::optional<double>& share : {weights, context, qk, ov}) {
    if (!share) continue;
    if (std::isnan(*share)) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, *share);
  }
  return largest;
}

ModelDifference compare_models(const Trace& a, const Trace& b, int threads, const CancelToken& cancel,
                               const std::function<void(std::int64_t done, std::int64_t count)>& progress) {
  ModelDifference found;
  found.whole_models = a.model != nullptr || b.model != nullptr;
  found.missing = unlike_sizes_sentence(a.model.get(), b.model.get());
  if (!found.whole_models || !found.missing.empty()) return found;
  ThreadPool pool(threads);
  const std::int64_t layers = a.model->checkpoint->architecture().num_layers;
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    cancel.check();
    if (progress) progress(layer, layers);
    found.layers.push_back(difference_of_layer(*a.model, *b.model, layer, pool, cancel));
  }
  found.first_by_maps = first_head(found.layers, [](const HeadShares& head) {
    return beyond(head.qk, kMapsRounding) || beyond(head.ov, kMapsRounding);
  });
  found.first_on_text = first_head(found.layers, [](const HeadShares& head) {
    return beyond(head.weights, kTextRounding) || beyond(head.context, kTextRounding);
  });
  return found;
}

}  // namespace headscope
