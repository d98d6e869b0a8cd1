#include "tests/core/attention/plain_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headscope {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

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
  double maximum = -kInfinity;
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
  const std::int64_t shift = request.causal_align == CausalAlign::bottom_right ? key_len - query_len : 0;
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

std::map<StageId, PlainStage> plain_attention(const Request& request, const Inputs& inputs) {
  using S = StageId;
  std::map<S, PlainStage> stages;
  const auto keep = [&](S id, PlainStage stage) -> const PlainStage& {
    edit(request, id, stage);
    return stages[id] = std::move(stage);
  };
  const std::int64_t batch = inputs.batch, heads = inputs.num_heads, groups = inputs.num_kv_heads;
  const std::int64_t queries = inputs.query_len, keys = inputs.key_len, size = inputs.head_dim;
  PlainStage query, key, value;
  if (inputs.query.empty()) {
    const PlainStage& qkv = keep(S::qkv, linear(keep(S::input, plain(inputs.x)), inputs.weights.qkv));
    PlainStage split = qkv;
    split.shape = {batch, queries, heads, 3 * size};
    const PlainStage& by_position = keep(S::qkv_split, split);
    PlainStage turned = made({batch, heads, queries, 3 * size});
    for (std::int64_t b = 0; b < batch; ++b) {
      for (std::int64_t h = 0; h < heads; ++h) {
        for (std::int64_t i = 0; i < queries; ++i) {
          for (std::int64_t d = 0; d < 3 * size; ++d) turned.at({b, h, i, d}) = by_position.at({b, i, h, d});
        }
      }
    }
    const PlainStage& by_head = keep(S::qkv_heads, turned);
    const auto part = [&](std::int64_t first) {
      PlainStage result = made({batch, heads, queries, size});
      for (std::int64_t b = 0; b < batch; ++b) {
        for (std::int64_t h = 0; h < heads; ++h) {
          for (std::int64_t i = 0; i < queries; ++i) {
            for (std::int64_t d = 0; d < size; ++d) result.at({b, h, i, d}) = by_head.at({b, h, i, first + d});
          }
        }
      }
      return result;
    };
    query = part(0);
    key = part(size);
    value = part(2 * size);
  } else {
    query = plain(inputs.query);
    key = plain(inputs.key);
    value = plain(inputs.value);
  }
  multiply(request.scale_query, query);
  multiply(request.scale_key, key);
  const PlainStage& q = keep(S::query, query);
  const PlainStage& k = keep(S::key, key);
  const PlainStage& v = keep(S::value, value);

  const PlainMask hidden = plain_mask(request, queries, keys);
  const auto is_hidden = [&](std::int64_t i, std::int64_t j) {
    return hidden[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  };
  const Shape shape{batch, heads, queries, keys};
  const auto each = [&](const auto& visit) {
    for (std::int64_t b = 0; b < batch; ++b) {
      for (std::int64_t h = 0; h < heads; ++h) {
        for (std::int64_t i = 0; i < queries; ++i) {
          for (std::int64_t j = 0; j < keys; ++j) visit(b, h, i, j);
        }
      }
    }
  };
  PlainStage scores = made(shape);
  each([&](std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) {
    for (std::int64_t d = 0; d < size; ++d)
      scores.at({b, h, i, j}) += q.at({b, h, i, d}) * k.at({b, h / (heads / groups), j, d});
  });
  scores = keep(S::raw_scores, scores);
  const double scale = request.scale.value_or(1.0 / std::sqrt(static_cast<double>(size)));
  for (double& score : scores.values) score *= scale;
  scores = keep(S::scores, scores);
  if (request.softcap) {
    for (double& score : scores.values) score = *request.softcap * std::tanh(score / *request.softcap);
    scores = keep(S::capped_scores, scores);
  }
  each([&](std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) {
    if (is_hidden(i, j)) scores.at({b, h, i, j}) = request.mask_fill;
  });
  scores = keep(S::masked_scores, scores);

  const bool down = has_variant(request, Variant::softmax_over_queries);
  for (std::int64_t matrix = 0; matrix < batch * heads; ++matrix) {
    double* cells = scores.values.data() + matrix * queries * keys;
    for (std::int64_t row = 0; row < (down ? keys : queries); ++row) {
      softmax(down ? cells + row : cells + row * keys, down ? queries : keys, down ? keys : 1);
    }
  }
  const std::int64_t shift = request.causal_align == CausalAlign::bottom_right ? keys - queries : 0;
  for (const FrozenHead& head : request.freeze) {
    if (!head.on) continue;
    each([&](std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) {
      if (h != head.place.head) return;
      const auto& row = hidden[static_cast<std::size_t>(i)];
      const auto visible = static_cast<double>(std::count(row.begin(), row.end(), false));
      const double wanted = head.as == FrozenHead::As::uniform ? 1.0 / visible : j == i + shift ? 1.0 : 0.0;
      scores.at({b, h, i, j}) = is_hidden(i, j) ? 0.0 : wanted;
    });
  }
  PlainStage weights = keep(S::weights, scores);
  if (!inputs.dropout_mask.empty()) {
    const PlainStage kept = plain(inputs.dropout_mask);
    for (std::size_t c = 0; c < weights.values.size(); ++c)
      weights.values[c] *= kept.values[c] / (1.0 - request.dropout);
    weights = keep(S::dropped_weights, weights);
  }

  PlainStage context = made({batch, heads, queries, inputs.value_head_dim});
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t h = 0; h < heads; ++h) {
      const bool off = std::any_of(request.ablate.begin(), request.ablate.end(),
                                   [&](const AblatedHead& p) { return p.on && p.place.head == h; });
      for (std::int64_t i = 0; i < queries && !off; ++i) {
        for (std::int64_t d = 0; d < inputs.value_head_dim; ++d) {
          double sum = 0;
          for (std::int64_t j = 0; j < keys; ++j)
            sum += weights.at({b, h, i, j}) * v.at({b, h / (heads / groups), j, d});
          context.at({b, h, i, d}) = sum;
        }
      }
    }
  }
  const PlainStage& seen = keep(S::context, context);
  PlainStage concat = made({batch, queries, heads * inputs.value_head_dim});
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t i = 0; i < queries; ++i) {
      for (std::int64_t f = 0; f < concat.shape[2]; ++f) {
        concat.at({b, i, f}) = seen.at({b, f / inputs.value_head_dim, i, f % inputs.value_head_dim});
      }
    }
  }
  const PlainStage& merged = keep(S::concat, concat);
  if (!inputs.weights.output.empty()) keep(S::output, linear(merged, inputs.weights.output));
  return stages;
}

}  // namespace headscope
