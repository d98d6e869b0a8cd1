#include "core/compare/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/attention/model_trace.h"
#include "core/attention/shown_mask.h"
#include "core/attention/stage_layout.h"
#include "core/compare/behind_attention.h"
#include "core/compare/layer_order.h"
#include "core/compare/row_order.h"
#include "core/compare/stage_pairs.h"
#include "core/request/request_text.h"
#include "core/request/stage_info.h"

namespace headscope {
namespace {

// Both have it; also tells every head's share of the squared norm.
ComparedStage difference_of(const Stage& a, const Stage& b, const Alignments& tokens, const CancelToken& cancel,
                            std::map<std::int64_t, double>* squares_of_heads) {
  ComparedStage result;
  result.stage = a.id;
  if (costs_much(a.tensor) || costs_much(b.tensor)) {
    result.incomparable = "too large: it is computed when it is read, not kept";
    result.too_large = true;
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
    } else if (!same_number(left, right)) {
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

// The first stage of a layer that differs, reading no further than that. Counts those that are too large to be read.
std::optional<StageId> first_difference(const Trace& a, const Trace& b, const CancelToken& cancel,
                                        std::int64_t& unread) {
  const Alignments tokens = alignments_of(a, b);
  for (const Stage& stage : a.stages) {
    const Stage* other = b.find(stage.id);
    if (other == nullptr) return stage.id;
    if (same_storage(stage.tensor, other->tensor)) continue;
    if (costs_much(stage.tensor) || costs_much(other->tensor)) {
      ++unread;
      continue;
    }
    const ComparedStage difference = difference_of(stage, *other, tokens, cancel, nullptr);
    if (difference.differs() || difference.alone > 0 || !difference.incomparable.empty()) return stage.id;
  }
  return std::nullopt;
}

void find_first(Comparison& comparison) {
  const std::vector<ComparedStage>& stages = comparison.stages;
  auto first = std::find_if(stages.begin(), stages.end(), [](const ComparedStage& stage) {
    return stage.differs() || stage.alone > 0 || (!stage.incomparable.empty() && !stage.too_large);
  });
  if (first == stages.end()) {
    first = std::find_if(stages.begin(), stages.end(), [](const ComparedStage& stage) { return stage.too_large; });
  }
  if (first == stages.end()) return;
  comparison.first = first->stage;
  comparison.unread = first->too_large;
}

// Returns how many stages of layers were not read.
std::int64_t add_layer(const Trace& a, const Trace& b, const CancelToken& cancel, Comparison& comparison) {
  std::int64_t unread = 0;
  if (a.model == nullptr || b.model == nullptr || a.model->layers.size() != b.model->layers.size() ||
      a.model->layers.size() < 2) {
    return unread;
  }
  for (std::size_t l = 0; l < a.model->layers.size(); ++l) {
    const auto& left = a.model->layers[l];
    const auto& right = b.model->layers[l];
    if (left == nullptr || right == nullptr) continue;
    const std::optional<StageId> first = first_difference(*left, *right, cancel, unread);
    if (!first) continue;
    comparison.layer = static_cast<std::int64_t>(l);
    comparison.first = first;
    comparison.unread = false;
    break;
  }
  return unread;
}

// Why a stage of the heads was not compared; "" where it was.
std::string why_not_compared(const Comparison& comparison, StageId id) {
  const auto found = std::find_if(comparison.stages.begin(), comparison.stages.end(),
                                  [id](const ComparedStage& stage) { return stage.stage == id; });
  return found == comparison.stages.end() ? "neither of the two has it" : found->incomparable;
}

// The heads that differ, by the squares of their differences.
void add_heads(const Trace& a, const Trace& b, std::map<std::int64_t, double>& weights,
               std::map<std::int64_t, double>& context, Comparison& comparison) {
  for (std::int64_t h = 0; h < std::min(a.num_heads(), b.num_heads()); ++h) {
    const HeadDifference head{h, std::sqrt(weights[h]), std::sqrt(context[h])};
    if (head.weights > 0 || head.context > 0) comparison.heads.push_back(head);
  }
  std::stable_sort(comparison.heads.begin(), comparison.heads.end(), [](const auto& left, const auto& right) {
    return std::pair(left.weights, left.context) > std::pair(right.weights, right.context);
  });
  const std::string no_weights = why_not_compared(comparison, StageId::weights),
                    no_context = why_not_compared(comparison, StageId::context);
  comparison.any_heads = no_weights.empty() || no_context.empty();
  if (a.num_heads() != b.num_heads()) {
    comparison.no_heads = fmt::format("heads could not be compared: A has {}, B {}", a.num_heads(), b.num_heads());
    comparison.any_heads = false;
  } else if (!comparison.any_heads) {
    comparison.no_heads =
        fmt::format("heads could not be compared: of their weights {}, of their context {}", no_weights, no_context);
  } else if (!no_weights.empty()) {
    comparison.no_heads = "the weights of heads could not be compared: " + no_weights;
  } else if (!no_context.empty()) {
    comparison.no_heads = "the context of heads could not be compared: " + no_context;
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
    comparison.stages.push_back(std::move(difference));
  }
  find_first(comparison);
  add_heads(a, b, weights, context, comparison);
  const std::int64_t unread = add_layer(a, b, cancel, comparison);
  // Behind equal layers one may have more.
  if (a.model != nullptr && b.model != nullptr &&
      (comparison.first || a.model->layers.size() != b.model->layers.size())) {
    comparison.layers = layer_order_sentence(*a.model, *b.model, cancel);
  }
  if (comparison.first && comparison.layers.empty() && same_tokens(comparison)) {
    comparison.rows = row_order_sentence(a, b, comparison.layer, cancel);
  }
  if (comparison.layers.empty() && (!comparison.first || !comparison.rows.empty())) {
    comparison.besides = other_difference_sentence(
        a, b, comparison.first ? std::optional(comparison.layer.value_or(0)) : std::nullopt, cancel);
  }
  if (comparison.equal()) comparison.compared = compared_words(a, b, unread);
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
              *to++ = same_number(x, y) ? 0.0F : static_cast<float>(x - y);
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
