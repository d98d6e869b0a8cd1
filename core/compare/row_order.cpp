#include "core/compare/row_order.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include "core/attention/model_trace.h"
#include "core/model/architecture.h"
#include "core/model/head_rule.h"
#include "core/request/stage_info.h"

namespace headscope {
namespace {

constexpr double kRounding = 1e-5, kDifferent = 1e-2;  // of the norm
constexpr std::int64_t kMostNumbers = std::int64_t{1} << 24;

// Sums of squares over all features: of a, of a - b, and of the differences in either order.
struct Squares {
  double a = 0, as_they_are = 0, pairs_in_b = 0, pairs_in_a = 0;
};

// The feature of a head that stands at place `at` where pairs stand side by side.
std::size_t half_of(std::size_t at, const Range& turned) {
  const auto place = static_cast<std::int64_t>(at) - turned.begin;
  if (place < 0 || place >= turned.size()) return at;
  return static_cast<std::size_t>(turned.begin + place % 2 * (turned.size() / 2) + place / 2);
}

void add_row(const float* a, const float* b, std::size_t head_dim, const Range& turned, Squares& squares) {
  const auto square = [](float x, float y) {
    const double difference = static_cast<double>(x) - static_cast<double>(y);
    return difference * difference;
  };
  for (std::size_t d = 0; d < head_dim; ++d) {
    const std::size_t half = half_of(d, turned);
    squares.a += static_cast<double>(a[d]) * static_cast<double>(a[d]);
    squares.as_they_are += square(a[d], b[d]);
    squares.pairs_in_b += square(a[half], b[d]);
    squares.pairs_in_a += square(a[d], b[half]);
  }
}

// The traces of the layer where the results begin to differ.
struct Layers {
  const Trace *a = nullptr, *b = nullptr;
};

Layers layers_of(const Trace& a, const Trace& b, std::optional<std::int64_t> layer) {
  if (!layer) return {&a, &b};
  const auto at = static_cast<std::size_t>(*layer);
  return {a.model->layers[at].get(), b.model->layers[at].get()};
}

bool equal_numbers(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && a.size() <= kMostNumbers && a.values() == b.values();
}

std::optional<PairedRows> paired_rows_of(const Layers& of, StageId stage, std::int64_t heads,
                                         const CancelToken& cancel) {
  const Stage *a = of.a->find(stage), *b = of.b->find(stage);
  if (a == nullptr || b == nullptr) return std::nullopt;
  const Inputs& inputs = *of.a->inputs;
  Range turned{0, 0};
  if (inputs.head_rule != nullptr && inputs.head_rule->rotary != nullptr) {
    const RotaryRule& rule = inputs.head_rule->rotary->rule();
    turned = {rule.begin, rule.begin + rule.features / 2 * 2};
  } else if (inputs.checkpoint != nullptr) {
    return std::nullopt;  // no position turns a pair; of a layer alone nobody knows
  }
  return paired_rows(a->tensor, b->tensor, heads, cancel, turned);
}

// Whether two heads hold the same numbers but for rounding: features `i` and `j` of every row.
bool same_head(std::span<const float> a, std::span<const float> b, std::size_t width, std::size_t i, std::size_t j,
               std::size_t head_dim) {
  double squares = 0, apart = 0;
  for (std::size_t row = 0; row + width <= a.size(); row += width) {
    for (std::size_t d = 0; d < head_dim; ++d) {
      const double x = a[row + i * head_dim + d], y = b[row + j * head_dim + d];
      squares += x * x;
      apart += (x - y) * (x - y);
    }
  }
  return apart <= kRounding * kRounding * squares;  // false for NaN
}

// "heads 0, 1, 2 of B are heads 2, 0, 1 of A".
std::string order_words(const char* what, const std::vector<std::int64_t>& order) {
  constexpr std::size_t kMostNamed = 16;
  const auto named = static_cast<std::ptrdiff_t>(std::min(order.size(), kMostNamed));
  std::vector<std::int64_t> own(order.size());
  std::iota(own.begin(), own.end(), 0);
  return fmt::format("{0} {1} of B are {0} {2} of A{3}", what, fmt::join(own.begin(), own.begin() + named, ", "),
                     fmt::join(order.begin(), order.begin() + named, ", "), order.size() > kMostNamed ? ", ..." : "");
}

std::optional<std::vector<std::int64_t>> head_order_of(const Layers& of, StageId stage, std::int64_t heads,
                                                       const CancelToken& cancel) {
  const Stage *a = of.a->find(stage), *b = of.b->find(stage);
  if (a == nullptr || b == nullptr) return std::nullopt;
  return head_order(a->tensor, b->tensor, heads, cancel);
}

// Queries by their own heads, keys and values by theirs, which take their query heads with them.
std::string head_order_sentence(const Layers& of, const std::string& where, const CancelToken& cancel) {
  const std::int64_t heads = of.a->inputs->num_heads, kv_heads = of.a->inputs->num_kv_heads;
  const auto query = head_order_of(of, StageId::query_proj, heads, cancel);
  if (!query) return "";
  std::vector<std::int64_t> expected;  // of the heads of keys: those that the query heads read
  for (std::int64_t g = 0; g < kv_heads; ++g) {
    expected.push_back((*query)[static_cast<std::size_t>(g * (heads / kv_heads))] / (heads / kv_heads));
  }
  for (std::int64_t h = 0; h < heads; ++h) {
    const auto group = static_cast<std::size_t>(h / (heads / kv_heads));
    if ((*query)[static_cast<std::size_t>(h)] / (heads / kv_heads) != expected[group]) return "";
  }
  const bool keys_stand = std::is_sorted(expected.begin(), expected.end());
  for (const StageId stage : {StageId::key_proj, StageId::value_proj}) {
    const Stage *a = of.a->find(stage), *b = of.b->find(stage);
    if (a == nullptr || b == nullptr) return "";
    if (keys_stand ? !equal_numbers(a->tensor, b->tensor)
                   : head_order(a->tensor, b->tensor, kv_heads, cancel) != std::optional(expected)) {
      return "";
    }
  }
  std::string keys;
  if (kv_heads != heads) {
    keys = keys_stand ? "; the heads of keys and values stand as they did"
                      : "; of keys and values " + order_words("heads", expected);
  }
  const Stage *a = of.a->find(StageId::output), *b = of.b->find(StageId::output);
  const bool same_output = a != nullptr && b != nullptr && a->tensor.shape() == b->tensor.shape() &&
                           a->tensor.size() <= kMostNumbers &&
                           same_head(a->tensor.values(), b->tensor.values(), 1, 0, 0, 1);
  return fmt::format("the heads stand in another order{}: {}{}{}", where, order_words("heads", *query), keys,
                     same_output ? "; the output is the same" : "");
}

}  // namespace

std::optional<std::vector<std::int64_t>> head_order(const Tensor& a, const Tensor& b, std::int64_t heads,
                                                    const CancelToken& cancel) {
  if (a.shape() != b.shape() || a.rank() < 1 || heads < 2 || a.size() > kMostNumbers || a.size() == 0) {
    return std::nullopt;
  }
  const std::int64_t features = a.dim(a.rank() - 1);
  if (features % heads != 0) return std::nullopt;
  const std::vector<float> left = a.values(), right = b.values();
  const auto width = static_cast<std::size_t>(features), count = static_cast<std::size_t>(heads);
  std::vector<std::int64_t> order;
  for (std::size_t j = 0; j < count; ++j) {
    cancel.check();
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < count; ++i) {
      if (!same_head(left, right, width, i, j, width / count)) continue;
      if (found) return std::nullopt;
      found = i;
    }
    if (!found) return std::nullopt;
    order.push_back(static_cast<std::int64_t>(*found));
  }
  // Each holds numbers of one head alone, so that every head is named once.
  return std::is_sorted(order.begin(), order.end()) ? std::nullopt : std::optional(std::move(order));
}

std::optional<PairedRows> paired_rows(const Tensor& a, const Tensor& b, std::int64_t heads, const CancelToken& cancel,
                                      Range turned) {
  if (a.shape() != b.shape() || a.rank() < 1 || heads < 1 || a.size() > kMostNumbers) return std::nullopt;
  const std::int64_t features = a.dim(a.rank() - 1);
  if (features % heads != 0) return std::nullopt;
  if (turned.size() == 0) turned = {0, features / heads};
  if (turned.size() < 4 || turned.size() % 2 != 0 || turned.end > features / heads) return std::nullopt;
  const auto head_dim = static_cast<std::size_t>(features / heads);
  const std::vector<float> left = a.values(), right = b.values();
  Squares squares;
  for (std::size_t at = 0; at + head_dim <= left.size(); at += head_dim) {
    if (at % (std::size_t{1} << 16) == 0) cancel.check();
    add_row(&left[at], &right[at], head_dim, turned, squares);
  }
  // Of numbers that are not finite nothing is said.
  if (!(squares.as_they_are > kDifferent * kDifferent * squares.a) || !std::isfinite(squares.as_they_are)) {
    return std::nullopt;
  }
  const double rounding = kRounding * kRounding * squares.a;
  const bool in_a = squares.pairs_in_a <= rounding, in_b = squares.pairs_in_b <= rounding;
  if (in_a && in_b) return PairedRows::either;
  if (in_a) return PairedRows::a;
  if (in_b) return PairedRows::b;
  return std::nullopt;
}

std::string row_order_sentence(const Trace& a, const Trace& b, std::optional<std::int64_t> layer,
                               const CancelToken& cancel) {
  const Layers of = layers_of(a, b, layer);
  if (of.a == nullptr || of.b == nullptr || of.a->inputs == nullptr || of.b->inputs == nullptr) return "";
  const Inputs &left = *of.a->inputs, &right = *of.b->inputs;
  if (left.num_heads != right.num_heads || left.num_kv_heads != right.num_kv_heads) return "";
  const std::string where = layer ? fmt::format(" in layer {}", *layer) : "";
  if (std::string heads = head_order_sentence(of, where, cancel); !heads.empty()) return heads;
  const Stage *value_a = of.a->find(StageId::value_proj), *value_b = of.b->find(StageId::value_proj);
  if (value_a == nullptr || value_b == nullptr || !equal_numbers(value_a->tensor, value_b->tensor)) return "";
  const auto query = paired_rows_of(of, StageId::query_proj, left.num_heads, cancel);
  const auto key = query ? paired_rows_of(of, StageId::key_proj, left.num_kv_heads, cancel) : std::nullopt;
  if (!query || !key) return "";
  if (*query != *key) return "";
  const bool known = *query != PairedRows::either;
  const char* const one = !known ? "one result" : *query == PairedRows::a ? "A" : "B";
  const char* const other = !known ? "the other" : *query == PairedRows::a ? "B" : "A";
  return fmt::format(
      "the rows are permuted{}: query_proj and key_proj of {} are those of {} with the rows of each head in the order "
      "of rotary pairs, as in files of Meta and GGUF, where others have the two rows of a pair half a head apart; "
      "value_proj is equal",
      where, one, other);
}

}  // namespace headscope
