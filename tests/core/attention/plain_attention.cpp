#include "tests/core/attention/plain_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace headscope {
namespace {

constexpr double kAttentionInfinity = std::numeric_limits<double>::infinity();

PlainStage plain(const Tensor& tensor) {
  const std::vector<float> values = tensor.values();
  return {tensor.shape(), {values.begin(), values.end()}};
}

PlainStage made(const Shape& shape) {
  std::size_t count = 1;
  for (const std::int64_t size : shape) count *= static_cast<std::size_t>(size);
  return {shape, std::vector<double>(count, 0.0)};
}

void edit(const Request& request, StageId stage, PlainStage& to) {
  for (const NumberEdit& each : request.edits) {
    if (each.on && each.tensor == stage_name(stage)) to.at(each.index) = static_cast<double>(each.value);
  }
}

void multiply(const std::vector<HeadFactor>& factors, PlainStage& heads) {
  for (std::int64_t b = 0; b < heads.shape[0]; ++b) {
    for (std::int64_t h = 0; h < heads.shape[1]; ++h) {
      for (const HeadFactor& factor : factors) {
        if (!factor.on || (factor.place && factor.place->head != h)) continue;
        for (std::int64_t i = 0; i < heads.shape[2]; ++i) {
          for (std::int64_t d = 0; d < heads.shape[3]; ++d) heads.at({b, h, i, d}) *= factor.factor;
        }
      }
    }
  }
}

PlainStage linear(const PlainStage& x, const Linear& layer) {
  const PlainStage weight = plain(layer.weight);
  PlainStage y = made({x.shape[0], x.shape[1], weight.shape[0]});
  for (std::int64_t b = 0; b < y.shape[0]; ++b) {
    for (std::int64_t i = 0; i < y.shape[1]; ++i) {
      for (std::int64_t o = 0; o < y.shape[2]; ++o) {
        double sum = layer.bias.empty() ? 0.0 : static_cast<double>(layer.bias.at({o}));
        for (std::int64_t k = 0; k < x.shape[2]; ++k) sum += x.at({b, i, k}) * weight.at({o, k});
        y.at({b, i, o}) = sum;
      }
    }
  }
  return y;
}

// Softmax of `count` cells that lie `step` apart.
void softmax(double* cells, std::int64_t count, std::int64_t step) {
  double maximum = -kAttentionInfinity;
  for (std::int64_t k = 0; k < count; ++k) maximum = std::max(maximum, cells[k * step]);
  double sum = 0;
  for (std::int64_t k = 0; k < count; ++k) sum += std::exp(cells[k * step] - maximum);
  for (std::int64_t k = 0; k < count; ++k) cells[k * step] = std::exp(cells[k * step] - maximum) / sum;
}

}  // namespace

std::size_t PlainStage::place(const std::vector<std::int64_t>& at) const {
  std::int64_t offset = 0;
  for (std::size_t axis = 0; axis < at.size(); ++axis) offset = offset * shape[static_cast<int>(axis)] + at[axis];
  return static_cast<std::size_t>(offset);
}

PlainMask plain_mask(const Request& request, std::int64_t query_len, std::int64_t key_len) {
  PlainMask hidden(static_cast<std::size_t>(query_len), std::vector<bool>(static_cast<std::size_t>(key_len), false));
  const std::int64_t shift =
      request.causal_align == CausalAlign::bottom_right ? key_len - query_len : std::max<std::int64_t>(request.past, 0);
  for (std::int64_t i = 0; i < query_len; ++i) {
    for (std::int64_t j = 0; j < key_len; ++j) {
      bool hide = false;
      for (const MaskTerm& term : request.mask) {
        hide = hide || (term.kind == MaskTerm::Kind::causal && j > i + shift);
        hide = hide || (term.kind == MaskTerm::Kind::padding && j >= key_len - term.size);
        hide = hide || (term.kind == MaskTerm::Kind::window && std::abs(i + shift - j) > term.size);
      }
      for (const PaintedCells& cells : request.paint) {
        const bool inside = cells.query_begin <= i && i < cells.query_end && cells.key_begin <= j && j < cells.key_end;
        if (cells.on && inside) hide = cells.hides;
      }
      hidden[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = hide;
    }
  }
  return hidden;
}

namespace {

// One run: the stages so far, and the steps in order.
class PlainRun {
 public:
  PlainRun(const Request& request, const Inputs& inputs)
      : request_(request), inputs_(inputs), hidden_(plain_mask(request, inputs.query_len, inputs.key_len)) {}

  std::map<StageId, PlainStage> stages() {
    inputs_.query.empty() ? project() : take();
    score();
    weigh();
    see();
    merge();
    return std::move(stages_);
  }

 private:
  using S = StageId;

  const PlainStage& keep(S id, PlainStage stage) {
    edit(request_, id, stage);
    return stages_[id] = std::move(stage);
  }

  // visit(b, h, i) of every row of heads.
  template <typename Visit>
  void each_row(const Visit& visit) const {
    for (std::int64_t b = 0; b < inputs_.batch; ++b) {
      for (std::int64_t h = 0; h < inputs_.num_heads; ++h) {
        for (std::int64_t i = 0; i < inputs_.query_len; ++i) visit(b, h, i);
      }
    }
  }

  // visit(b, h, i, j) of every score.
  template <typename Visit>
  void each(const Visit& visit) const {
    each_row([&](std::int64_t b, std::int64_t h, std::int64_t i) {
      for (std::int64_t j = 0; j < inputs_.key_len; ++j) visit(b, h, i, j);
    });
  }

  bool is_hidden(std::int64_t i, std::int64_t j) const {
    return hidden_[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  }
  std::int64_t group_of(std::int64_t head) const { return head / (inputs_.num_heads / inputs_.num_kv_heads); }

  void project() {
    const std::int64_t size = inputs_.head_dim;
    const PlainStage& qkv = keep(S::qkv, linear(keep(S::input, plain(inputs_.x)), inputs_.weights.qkv));
    PlainStage split = qkv;
    split.shape = {inputs_.batch, inputs_.query_len, inputs_.num_heads, 3 * size};
    const PlainStage& by_position = keep(S::qkv_split, split);
    PlainStage turned = made({inputs_.batch, inputs_.num_heads, inputs_.query_len, 3 * size});
    each_row([&](std::int64_t b, std::int64_t h, std::int64_t i) {
      for (std::int64_t d = 0; d < 3 * size; ++d) turned.at({b, h, i, d}) = by_position.at({b, i, h, d});
    });
    const PlainStage& by_head = keep(S::qkv_heads, turned);
    const auto part = [&](std::int64_t first) {
      PlainStage result = made({inputs_.batch, inputs_.num_heads, inputs_.query_len, size});
      each_row([&](std::int64_t b, std::int64_t h, std::int64_t i) {
        for (std::int64_t d = 0; d < size; ++d) result.at({b, h, i, d}) = by_head.at({b, h, i, first + d});
      });
      return result;
    };
    keep_heads(part(0), part(size), part(2 * size));
  }

  void take() { keep_heads(plain(inputs_.query), plain(inputs_.key), plain(inputs_.value)); }

  void keep_heads(PlainStage query, PlainStage key, PlainStage value) {
    multiply(request_.scale_query, query);
    multiply(request_.scale_key, key);
    keep(S::query, std::move(query));
    keep(S::key, std::move(key));
    keep(S::value, std::move(value));
  }

  // Where the mask has the term; num_heads is a power of two, and queries are aligned top-left or begin at --past.
  void add_alibi(PlainStage& scores) const {
    for (const MaskTerm& term : request_.mask) {
      if (term.kind != MaskTerm::Kind::alibi) continue;
      each([&](std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) {
        const double slope = std::exp2(-8.0 * static_cast<double>(h + 1) / static_cast<double>(inputs_.num_heads));
        scores.at({b, h, i, j}) -= slope * static_cast<double>(std::abs(i + request_.past - j));
      });
    }
  }

  void score() {
    const PlainStage &query = stages_[S::query], &key = stages_[S::key];
    const std::int64_t size = inputs_.head_dim;
    PlainStage scores = made({inputs_.batch, inputs_.num_heads, inputs_.query_len, inputs_.key_len});
    each([&](std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) {
      for (std::int64_t d = 0; d < size; ++d)
        scores.at({b, h, i, j}) += query.at({b, h, i, d}) * key.at({b, group_of(h), j, d});
    });
    scores = keep(S::raw_scores, scores);
    const double scale = request_.scale.value_or(1.0 / std::sqrt(static_cast<double>(size)));
    for (double& cell : scores.values) cell *= scale;
    scores = keep(S::scores, scores);
    const bool capped_last = request_.softcap && request_.softcap_order == SoftcapOrder::after_mask;
    if (capped_last) add_alibi(scores);
    if (request_.softcap) {
      for (double& cell : scores.values) cell = *request_.softcap * std::tanh(cell / *request_.softcap);
      scores = keep(S::capped_scores, scores);
    }
    if (!capped_last) add_alibi(scores);
    each([&](std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) {
      if (is_hidden(i, j)) scores.at({b, h, i, j}) = request_.mask_fill;
    });
    keep(S::masked_scores, scores);
  }

  void weigh() {
    PlainStage weights = stages_[S::masked_scores];
    const std::int64_t queries = inputs_.query_len, keys = inputs_.key_len;
    const bool down = has_variant(request_, Variant::softmax_over_queries);
    for (std::int64_t matrix = 0; matrix < inputs_.batch * inputs_.num_heads; ++matrix) {
      double* cells = weights.values.data() + matrix * queries * keys;
      for (std::int64_t row = 0; row < (down ? keys : queries); ++row) {
        softmax(down ? cells + row : cells + row * keys, down ? queries : keys, down ? keys : 1);
      }
    }
    freeze(weights);
    weights = keep(S::weights, weights);
    if (inputs_.dropout_mask.empty()) return;
    const PlainStage kept = plain(inputs_.dropout_mask);
    for (std::size_t c = 0; c < weights.values.size(); ++c)
      weights.values[c] *= kept.values[c] / (1.0 - request_.dropout);
    keep(S::dropped_weights, weights);
  }

  void freeze(PlainStage& weights) const {
    const bool bottom_right = request_.causal_align == CausalAlign::bottom_right;
    const std::int64_t shift = bottom_right ? inputs_.key_len - inputs_.query_len : 0;
    for (const FrozenHead& head : request_.freeze) {
      if (!head.on) continue;
      each([&](std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) {
        if (h != head.place.head) return;
        const auto& row = hidden_[static_cast<std::size_t>(i)];
        const auto visible = static_cast<double>(std::count(row.begin(), row.end(), false));
        const double wanted = head.as == FrozenHead::As::uniform ? 1.0 / visible : j == i + shift ? 1.0 : 0.0;
        weights.at({b, h, i, j}) = is_hidden(i, j) ? 0.0 : wanted;
      });
    }
  }

  void see() {
    const PlainStage& weights = stages_[inputs_.dropout_mask.empty() ? S::weights : S::dropped_weights];
    const PlainStage& value = stages_[S::value];
    PlainStage context = made({inputs_.batch, inputs_.num_heads, inputs_.query_len, inputs_.value_head_dim});
    each_row([&](std::int64_t b, std::int64_t h, std::int64_t i) {
      const bool off = std::any_of(request_.ablate.begin(), request_.ablate.end(),
                                   [&](const AblatedHead& p) { return p.on && p.place.head == h; });
      for (std::int64_t d = 0; d < inputs_.value_head_dim && !off; ++d) {
        double sum = 0;
        for (std::int64_t j = 0; j < inputs_.key_len; ++j)
          sum += weights.at({b, h, i, j}) * value.at({b, group_of(h), j, d});
        context.at({b, h, i, d}) = sum;
      }
    });
    keep(S::context, context);
  }

  void merge() {
    const PlainStage& context = stages_[S::context];
    const std::int64_t size = inputs_.value_head_dim;
    PlainStage concat = made({inputs_.batch, inputs_.query_len, inputs_.num_heads * size});
    each_row([&](std::int64_t b, std::int64_t h, std::int64_t i) {
      for (std::int64_t d = 0; d < size; ++d) concat.at({b, i, h * size + d}) = context.at({b, h, i, d});
    });
    const PlainStage& merged = keep(S::concat, concat);
    if (!inputs_.weights.output.empty()) keep(S::output, linear(merged, inputs_.weights.output));
  }

  const Request& request_;
  const Inputs& inputs_;
  const PlainMask hidden_;
  std::map<StageId, PlainStage> stages_;
};

}  // namespace

std::map<StageId, PlainStage> plain_attention(const Request& request, const Inputs& inputs) {
  return PlainRun(request, inputs).stages();
}

}  // namespace headscope
