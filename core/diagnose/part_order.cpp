#include "core/diagnose/part_order.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "core/attention/trace.h"
#include "core/compare/wide_stage.h"
#include "core/diagnose/layer_lab.h"
#include "core/model/head_rule.h"

namespace headscope {
namespace {

constexpr std::int64_t kAskedRows = 32;
constexpr std::int64_t kAskedNumbers = 4096;  // of each head
constexpr double kNear = 0.1;                 // of the squared size: the same head in theirs, or features in that order
constexpr double kSame = 1e-8;                // nearer no order has to come
constexpr double kApart = 16;                 // how many times further away any other head is
constexpr double kBetter = 4;                 // how many times nearer an order of features comes

bool is_query_or_key(StageId stage) {
  return stage == StageId::query_proj || stage == StageId::key_proj || stage == StageId::query || stage == StageId::key;
}

bool has_kv_heads(StageId stage) {
  return stage == StageId::key_proj || stage == StageId::value_proj || stage == StageId::key || stage == StageId::value;
}

bool has_heads(StageId stage) {
  switch (stage) {
    case StageId::query_proj:
    case StageId::query:
    case StageId::raw_scores:
    case StageId::scores:
    case StageId::capped_scores:
    case StageId::masked_scores:
    case StageId::weights:
    case StageId::dropped_weights:
    case StageId::context:
    case StageId::concat:
      return true;
    default:
      return has_kv_heads(stage);
  }
}

// How the numbers of a stage lie: cell (b, head, row, column).
struct Blocks {
  std::int64_t batch = 0, heads = 0, rows = 0, columns = 0;
  bool joined = false;  // [batch, rows, heads * columns]
  std::size_t at(std::int64_t b, std::int64_t h, std::int64_t r, std::int64_t c) const {
    const std::int64_t row = joined ? (b * rows + r) * heads + h : (b * heads + h) * rows + r;
    return static_cast<std::size_t>(row * columns + c);
  }
};

std::optional<Blocks> blocks_of(const Trace& ours, StageId stage, const Shape& shape) {
  if (!has_heads(stage)) return std::nullopt;
  const std::int64_t heads = has_kv_heads(stage) ? ours.inputs->num_kv_heads : ours.inputs->num_heads;
  if (shape.count == 4 && shape[1] == heads) return Blocks{shape[0], heads, shape[2], shape[3], false};
  if (shape.count != 3 || shape[2] % heads != 0) return std::nullopt;
  return Blocks{shape[0], heads, shape[1], shape[2] / heads, true};
}

// Some rows of a stage of both.
struct Asked {
  StageId stage{};
  Blocks blocks;
  WideStage ours, theirs;

  // ||theirs - ours||^2 / ||ours||^2 of ours' head `i` and theirs' head `j`.
  double apart(std::int64_t i, std::int64_t j, const std::vector<std::int64_t>& features = {}) const {
    double squares = 0, difference = 0;
    for (std::int64_t b = 0; b < blocks.batch; ++b) {
      for (std::int64_t r = 0; r < blocks.rows; ++r) {
        for (std::int64_t c = 0; c < blocks.columns; ++c) {
          const double x = ours.values[blocks.at(b, i, r, c)];
          const double y =
              theirs.values[blocks.at(b, j, r, features.empty() ? c : features[static_cast<std::size_t>(c)])];
          if (!std::isfinite(x) || !std::isfinite(y)) continue;
          squares += x * x;
          difference += (x - y) * (x - y);
        }
      }
    }
    return difference == 0 ? 0 : difference / squares;
  }
  double apart_in_all(const std::vector<std::int64_t>& features) const {
    double most = 0;
    for (std::int64_t h = 0; h < blocks.heads; ++h) most = std::max(most, apart(h, h, features));
    return most;
  }
};

std::vector<Asked> asked_rows(const Trace& ours, std::span<const NamedStage> theirs) {
  std::vector<Asked> result;
  for (const auto& [stage, tensor] : theirs) {
    const Tensor& own = ours.tensor(stage);
    if (!(own.shape() == tensor.shape())) continue;
    const int axis = query_axis(stage);
    std::vector<std::int64_t> queries;
    if (axis >= 0) {
      const std::int64_t rows = own.dim(axis), width = std::max<std::int64_t>(1, own.dim(own.rank() - 1));
      const std::int64_t count = std::min(rows, std::clamp<std::int64_t>(kAskedNumbers / width, 4, kAskedRows));
      for (std::int64_t k = 0; k < count; ++k) queries.push_back(k * rows / count);
    }
    Asked asked{stage, {}, stage_rows(stage, own, queries), stage_rows(stage, tensor, queries)};
    const std::optional<Blocks> blocks = blocks_of(ours, stage, asked.ours.shape);
    if (!blocks) continue;
    asked.blocks = *blocks;
    result.push_back(std::move(asked));
  }
  return result;
}

// The head of theirs that each of ours is; nothing where one is near none, or near several.
std::optional<std::vector<std::int64_t>> matched_heads(const Asked& asked) {
  std::vector<std::int64_t> order;
  for (std::int64_t i = 0; i < asked.blocks.heads; ++i) {
    std::int64_t nearest = 0;
    std::vector<double> apart;
    for (std::int64_t j = 0; j < asked.blocks.heads; ++j) {
      apart.push_back(asked.apart(i, j));
      if (apart.back() < apart[static_cast<std::size_t>(nearest)]) nearest = j;
    }
    const double least = apart[static_cast<std::size_t>(nearest)];
    const auto near = std::count_if(apart.begin(), apart.end(),
                                    [=](double each) { return !(each > kApart * std::max(least, kSame)); });
    if (!(least <= kNear) || near > 1 || std::find(order.begin(), order.end(), nearest) != order.end())
      return std::nullopt;
    order.push_back(nearest);
  }
  return order;
}

// Keys and values stand in the order in which the query heads read them; nothing where a group is torn apart.
std::optional<std::vector<std::int64_t>> order_of_groups(const std::vector<std::int64_t>& heads, std::int64_t groups) {
  const auto size = static_cast<std::int64_t>(heads.size()) / groups;
  std::vector<std::int64_t> order;
  for (std::int64_t g = 0; g < groups; ++g) {
    order.push_back(heads[static_cast<std::size_t>(g * size)] / size);
    for (std::int64_t k = 0; k < size; ++k) {
      if (heads[static_cast<std::size_t>(g * size + k)] / size != order.back()) return std::nullopt;
    }
  }
  return order;
}

std::optional<PartOrder> order_of_heads(const Inputs& inputs, const std::vector<Asked>& stages) {
  std::optional<PartOrder> found;
  for (const Asked& each : stages) {
    if (has_kv_heads(each.stage)) continue;
    const auto heads = matched_heads(each);
    if (!heads) continue;
    if (found && found->heads != *heads) return std::nullopt;
    found.emplace().heads = *heads;
  }
  if (!found || std::is_sorted(found->heads.begin(), found->heads.end())) return std::nullopt;
  const auto groups = order_of_groups(found->heads, inputs.num_kv_heads);
  if (!groups) return std::nullopt;
  found->kv_heads = *groups;
  return found;
}

// `proves`: what follows from queries and keys together is known.
std::optional<PartOrder> order_of_features(const Inputs& inputs, const std::vector<Asked>& stages, bool proves) {
  if (inputs.head_rule == nullptr || inputs.head_rule->rotary == nullptr) return std::nullopt;
  const RotaryRule& rule = inputs.head_rule->rotary->rule();
  if (rule.features < 4) return std::nullopt;
  const PartOrder order = other_features(rule, inputs.head_dim);
  bool queries = false, keys = false;
  for (const Asked& each : stages) {
    if (!is_query_or_key(each.stage)) continue;
    if (each.blocks.columns != inputs.head_dim) return std::nullopt;
    const double here = each.apart_in_all(order.features);
    if (here > kNear || kBetter * here > each.apart_in_all({})) return std::nullopt;
    (has_kv_heads(each.stage) ? keys : queries) = true;
  }
  const bool of_both = queries && keys, proven = proves && (queries || keys);
  return of_both || proven ? std::optional(order) : std::nullopt;
}

}  // namespace

std::string PartOrder::words(StageId stage) const {
  if (!heads.empty()) {
    return fmt::format("the heads in the order {}", fmt::join(has_kv_heads(stage) ? kv_heads : heads, ", "));
  }
  return in_pairs ? "the features of each head in the order of rotary pairs, as files of Meta and GGUF have them"
                  : "the features of each head with the two of a rotary pair half a head apart";
}

bool PartOrder::moves(StageId stage) const {
  if (heads.empty()) return is_query_or_key(stage);
  return has_kv_heads(stage) ? !std::is_sorted(kv_heads.begin(), kv_heads.end()) : has_heads(stage);
}

PartOrder other_features(const RotaryRule& rule, std::int64_t head_dim) {
  PartOrder order;
  order.features.resize(static_cast<std::size_t>(head_dim));
  std::iota(order.features.begin(), order.features.end(), 0);
  order.in_pairs = rule.pairs == RotaryRule::Pairs::halves;
  const std::int64_t half = rule.features / 2;
  for (std::int64_t k = 0; k < 2 * half; ++k) {
    const std::int64_t there = order.in_pairs ? k % half * 2 + k / half : k % 2 * half + k / 2;
    order.features[static_cast<std::size_t>(rule.begin + k)] = rule.begin + there;
  }
  return order;
}

std::optional<PartOrder> part_order(const Trace& ours, std::span<const NamedStage> theirs, bool sums_heads) {
  const std::vector<Asked> stages = asked_rows(ours, theirs);
  const bool stand_as_ours =
      std::all_of(stages.begin(), stages.end(), [](const Asked& each) { return each.apart_in_all({}) <= kSame; });
  if (stand_as_ours) return std::nullopt;
  const bool proves = sums_heads || std::any_of(theirs.begin(), theirs.end(), [](const NamedStage& each) {
                        return each.first >= StageId::raw_scores;
                      });
  if (auto features = order_of_features(*ours.inputs, stages, proves)) return features;
  return sums_heads ? order_of_heads(*ours.inputs, stages) : std::nullopt;
}

Tensor in_own_order(const PartOrder& order, const Trace& ours, StageId stage, const Tensor& theirs) {
  const std::optional<Blocks> blocks = blocks_of(ours, stage, theirs.shape());
  if (!blocks || !order.moves(stage)) return theirs;
  const std::vector<std::int64_t>& heads = has_kv_heads(stage) ? order.kv_heads : order.heads;
  const std::vector<float> from = theirs.values();
  std::vector<float> to(from.size());
  for (std::int64_t b = 0; b < blocks->batch; ++b) {
    for (std::int64_t h = 0; h < blocks->heads; ++h) {
      const std::int64_t other = heads.empty() ? h : heads[static_cast<std::size_t>(h)];
      for (std::int64_t r = 0; r < blocks->rows; ++r) {
        for (std::int64_t c = 0; c < blocks->columns; ++c) {
          const std::int64_t column = order.features.empty() ? c : order.features[static_cast<std::size_t>(c)];
          to[blocks->at(b, h, r, c)] = from[blocks->at(b, other, r, column)];
        }
      }
    }
  }
  return Tensor::of(theirs.shape(), theirs.axes(), std::move(to));
}

}  // namespace headscope
