#include "core/compare/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/attention/model_trace.h"
#include "core/attention/shown_mask.h"
#include "core/attention/stage_layout.h"
#include "core/compare/layer_order.h"
#include "core/compare/row_order.h"
#include "core/request/request_text.h"
#include "core/request/stage_info.h"

namespace headscope {
namespace {

using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

constexpr std::int64_t kMostComputed = std::int64_t{1} << 24;

Pairs position_by_position(std::int64_t count) {
  Pairs pairs;
  for (std::int64_t i = 0; i < count; ++i) pairs.push_back({i, i});
  return pairs;
}

struct Alignments {
  TokenAlignment queries, keys;
};

Alignments alignments_of(const Trace& a, const Trace& b) {
  return {align_tokens(a.query_labels(), b.query_labels()), align_tokens(a.key_labels(), b.key_labels())};
}

// Which places of every axis belong together; empty with a reason where they do not.
std::vector<Pairs> axis_pairs(const Tensor& a, const Tensor& b, StageId stage, const Alignments& tokens,
                              std::string& reason) {
  if (a.rank() != b.rank()) {
    reason = fmt::format("{} beside {}", to_string(a.shape()), to_string(b.shape()));
    return {};
  }
  std::vector<Pairs> pairs;
  for (int axis = 0; axis < a.rank(); ++axis) {
    const Axis kind = a.axes()[axis];
    const bool keys = kind == Axis::key || (kind == Axis::position && rows_are_keys(stage));
    const bool positions = keys || kind == Axis::query || kind == Axis::position;
    if (positions) {
      const TokenAlignment& along = keys ? tokens.keys : tokens.queries;
      Pairs own;
      for (const auto& pair : along.pairs) {
        if (pair.first < a.dim(axis) && pair.second < b.dim(axis)) own.push_back(pair);
      }
      pairs.push_back(std::move(own));
    } else if (a.dim(axis) == b.dim(axis)) {
      pairs.push_back(position_by_position(a.dim(axis)));
    } else {
      reason = fmt::format("{} beside {}", to_string(a.shape()), to_string(b.shape()));
      return {};
    }
  }
  return pairs;
}

// What is computed when it is read costs as much as the forward did; small stages may be read all the same.
bool costs_much(const Tensor& tensor) {
  return !tensor.stored() && tensor.size() > kMostComputed;
}

bool same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

// f(index in A, a, b) for every pair of cells, row by row.
template <typename F>
void each_pair(const Tensor& a, const Tensor& b, const std::vector<Pairs>& pairs, const CancelToken& cancel, F&& f) {
  const int rank = a.rank();
  for (const Pairs& axis : pairs) {
    if (axis.empty()) return;
  }
  std::vector<float> left(static_cast<std::size_t>(a.dim(rank - 1))), right(static_cast<std::size_t>(b.dim(rank - 1)));
  PerAxis<std::int64_t> place;
  for (int axis = 0; axis < rank; ++axis) place.push_back(0);
  while (true) {
    cancel.check();
    Region from, to;
    Index at;
    for (int axis = 0; axis + 1 < rank; ++axis) {
      const auto& [i, j] = pairs[static_cast<std::size_t>(axis)][static_cast<std::size_t>(place[axis])];
      from.push_back({i, i + 1});
      to.push_back({j, j + 1});
      at.push_back(i);
    }
    from.push_back({0, a.dim(rank - 1)});
    to.push_back({0, b.dim(rank - 1)});
    at.push_back(0);
    a.read(from, left);
    b.read(to, right);
    for (const auto& [i, j] : pairs.back()) {
      at[rank - 1] = i;
      f(at, static_cast<double>(left[static_cast<std::size_t>(i)]),
        static_cast<double>(right[static_cast<std::size_t>(j)]));
    }
    int axis = rank - 2;
    for (; axis >= 0; --axis) {
      if (++place[axis] < static_cast<std::int64_t>(pairs[static_cast<std::size_t>(axis)].size())) break;
      place[axis] = 0;
    }
    if (axis < 0) return;
  }
}

// Both have it; also tells every head's share of the squared norm.
ComparedStage difference_of(const Stage& a, const Stage& b, const Alignments& tokens, const CancelToken& cancel,
                            std::map<std::int64_t, double>* squares_of_heads) {
  ComparedStage result;
  result.stage = a.id;
  if (costs_much(a.tensor) || costs_much(b.tensor)) {
    result.incomparable = "too large: it is computed when it is read, not kept";
    return result;
  }
  const std::vector<Pairs> pairs = axis_pairs(a.tensor, b.tensor, a.id, tokens, result.incomparable);
  if (!result.incomparable.empty()) return result;
  double squares = 0, squares_a = 0;
  each_pair(a.tensor, b.tensor, pairs, cancel, [&](const Index& at, double left, double right) {
    ++result.cells;
    if (std::isfinite(left) && std::isfinite(right)) {
      squares_a += left * left;
      if (left == right) return;
      const double difference = left - right;
      squares += difference * difference;
      if (squares_of_heads != nullptr) (*squares_of_heads)[at[1]] += difference * difference;
      if (std::abs(difference) <= result.largest) return;
      result.largest = std::abs(difference);
      result.at = at;
    } else if (!same(left, right)) {
      ++result.unlike;
      if (squares_of_heads != nullptr) (*squares_of_heads)[at[1]] = std::numeric_limits<double>::infinity();
    }
  });
  result.norm = std::sqrt(squares);
  result.norm_a = std::sqrt(squares_a);
  result.alone = a.tensor.size() + b.tensor.size() - 2 * result.cells;
  if (result.cells == 0) result.incomparable = "no token stands in both";
  return result;
}

// The first stage of a layer that differs, reading no further than that.
std::optional<StageId> first_difference(const Trace& a, const Trace& b, const CancelToken& cancel) {
  const Alignments tokens = alignments_of(a, b);
  for (const Stage& stage : a.stages) {
    const Stage* other = b.find(stage.id);
    if (other == nullptr) return stage.id;
    if (same_storage(stage.tensor, other->tensor)) continue;
    const ComparedStage difference = difference_of(stage, *other, tokens, cancel, nullptr);
    if (difference.differs() || difference.alone > 0) return stage.id;
  }
  return std::nullopt;
}

void add_layer(const Trace& a, const Trace& b, const CancelToken& cancel, Comparison& comparison) {
  if (a.model == nullptr || b.model == nullptr || a.model->layers.size() != b.model->layers.size() ||
      a.model->layers.size() < 2) {
    return;
  }
  for (std::size_t l = 0; l < a.model->layers.size(); ++l) {
    const auto& left = a.model->layers[l];
    const auto& right = b.model->layers[l];
    if (left == nullptr || right == nullptr) continue;
    const std::optional<StageId> first = first_difference(*left, *right, cancel);
    if (!first) continue;
    comparison.layer = static_cast<std::int64_t>(l);
    comparison.first = first;
    return;
  }
}

std::vector<std::string> pair_labels(const std::vector<std::string>& a, const std::vector<std::string>& b,
                                     const Pairs& pairs) {
  std::vector<std::string> labels;
  for (const auto& [i, j] : pairs) {
    const std::string& left = a.at(static_cast<std::size_t>(i));
    const std::string& right = b.at(static_cast<std::size_t>(j));
    labels.push_back(left == right ? left : left + " → " + right);
  }
  return labels;
}

// Whether both results have the same tokens at the same places.
bool same_tokens(const Comparison& found) {
  for (const TokenAlignment* along : {&found.queries, &found.keys}) {
    if (!along->same_lengths() || !along->changed.empty()) return false;
  }
  return true;
}

}  // namespace

double ComparedStage::relative() const {
  if (norm == 0) return 0;
  return norm_a > 0 ? norm / norm_a : std::numeric_limits<double>::infinity();
}

Comparison compare_traces(const Trace& a, const Trace& b, const CancelToken& cancel) {
  Comparison comparison;
  for (const RequestOption& option : request_options()) {
    const auto value_in = [&](const Trace& trace) {
      const std::string value = option.get(trace.request);
      return value.empty() && trace.seeded_weights && option.name == std::string_view("model") ? "seeded" : value;
    };
    const std::string left = value_in(a), right = value_in(b);
    if (left != right || is_given(option, a.request) != is_given(option, b.request)) {
      comparison.options.push_back({option.name, left, right});
    }
  }
  const Alignments tokens = alignments_of(a, b);
  comparison.queries = tokens.queries;
  comparison.keys = tokens.keys;
  std::map<std::int64_t, double> weights, context;
  for (const StageId id : all_stages()) {
    const Stage *left = a.find(id), *right = b.find(id);
    if (left == nullptr && right == nullptr) continue;
    ComparedStage difference;
    if (left == nullptr || right == nullptr) {
      difference.stage = id;
      difference.incomparable = left != nullptr ? "only A has it" : "only B has it";
    } else {
      std::map<std::int64_t, double>* squares = id == StageId::weights   ? &weights
                                                : id == StageId::context ? &context
                                                                         : nullptr;
      difference = difference_of(*left, *right, tokens, cancel, squares);
    }
    if (!comparison.first && (difference.differs() || difference.alone > 0 || !difference.incomparable.empty())) {
      comparison.first = id;
    }
    comparison.stages.push_back(std::move(difference));
  }
  for (std::int64_t h = 0; h < std::min(a.num_heads(), b.num_heads()); ++h) {
    const HeadDifference head{h, std::sqrt(weights[h]), std::sqrt(context[h])};
    if (head.weights > 0 || head.context > 0) comparison.heads.push_back(head);
  }
  std::stable_sort(comparison.heads.begin(), comparison.heads.end(), [](const auto& left, const auto& right) {
    return std::pair(left.weights, left.context) > std::pair(right.weights, right.context);
  });
  add_layer(a, b, cancel, comparison);
  // Behind equal layers one may have more.
  if (a.model != nullptr && b.model != nullptr &&
      (comparison.first || a.model->layers.size() != b.model->layers.size())) {
    comparison.layers = layer_order_sentence(*a.model, *b.model, cancel);
  }
  if (comparison.first && comparison.layers.empty() && same_tokens(comparison)) {
    comparison.rows = row_order_sentence(a, b, comparison.layer, cancel);
  }
  if ((!comparison.first || !comparison.rows.empty()) && comparison.layers.empty() && same_tokens(comparison)) {
    comparison.besides = other_difference_sentence(a, b, comparison.layer);
  }
  return comparison;
}

std::optional<MatrixDifference> difference_matrix(const Trace& a, const Trace& b, StageId stage, std::int64_t batch,
                                                  std::int64_t head) {
  const Stage* left = a.find(stage);
  const Stage* right = b.find(stage);
  if (shown_by_heads(stage) != stage || left == nullptr || right == nullptr || costs_much(left->tensor) ||
      costs_much(right->tensor)) {
    return std::nullopt;
  }
  std::string reason;
  const std::vector<Pairs> pairs = axis_pairs(left->tensor, right->tensor, stage, alignments_of(a, b), reason);
  if (!reason.empty()) return std::nullopt;
  const Pairs& rows = pairs[pairs.size() - 2];
  const Pairs& columns = pairs.back();
  if (rows.empty() || columns.empty()) return std::nullopt;
  const Tensor first = matrix_at(left->tensor, batch, head), second = matrix_at(right->tensor, batch, head);
  Tensor matrix = Tensor::zeros({static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(columns.size())},
                                {first.axes()[0], first.axes()[1]});
  each_pair(first, second, {rows, columns}, CancelToken(),
            [to = matrix.mutable_data()](const Index&, double x, double y) mutable {
              *to++ = same(x, y) ? 0.0F : static_cast<float>(x - y);
            });
  MatrixDifference result;
  result.matrix = matrix;
  for (const float value : matrix.values()) {
    if (std::isfinite(value)) result.largest = std::max(result.largest, std::abs(static_cast<double>(value)));
  }
  if (is_score_like(stage)) result.hidden = hidden_in_both(a, b, stage, {rows, columns, batch, head});
  result.same_places = matrix.dim(0) == second.dim(0) && matrix.dim(1) == second.dim(1);
  result.row_labels = pair_labels(row_tokens(a, stage), row_tokens(b, stage), rows);
  if (is_score_like(stage)) {
    result.column_labels = pair_labels(a.key_labels(), b.key_labels(), columns);
  } else {
    for (std::size_t d = 0; d < columns.size(); ++d) result.column_labels.push_back(std::to_string(d));
  }
  return result;
}

}  // namespace headscope
