#include "core/attention/readings.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/request/key_mask.h"
#include "core/request/mask_terms.h"
#include "core/request/past.h"

namespace headscope {
namespace {

bool holds_zeros_and_ones(const Tensor& values) {
  const std::vector<float> numbers = values.values();
  const bool no_other = std::all_of(numbers.begin(), numbers.end(), [](float v) { return v == 0.0F || v == 1.0F; });
  return no_other && std::find(numbers.begin(), numbers.end(), 1.0F) != numbers.end();
}

// The file's values, where nothing but their type says what they mean.
std::string kind_reading(const Request& request, const MaskFile& file) {
  if (request.mask_kind != MaskKind::automatic || file.is_whole || !holds_zeros_and_ones(file.values)) return "";
  return fmt::format(
      "{} holds only 0 and 1, as float, and is added to the scores, which hides nothing; where 1 means may attend it "
      "is --mask-kind keep, where 1 means hidden --mask-kind hide",
      file.path);
}

// Returns the words that say that a file is [batch, key_len].
constexpr const char* kAsKeys =
    "with --mask-kind key-keep, where 1 means that the key may be seen, or key-hide, where 1 means that it is hidden";

Shape as_batch_items(const Shape& mask) {
  return mask.count == 2 ? Shape{mask[0], 1, 1, mask[1]} : Shape{mask[0], 1, mask[1], mask[2]};
}

// The file's first axis, which is as long as the batch.
std::string axis_reading(const Request& request, const MaskFile& file, const Shape& scores) {
  const Shape& mask = file.values.shape();
  if (is_of_keys(request.mask_kind) || mask_of_batch_items(mask, scores).empty() || scores[0] == 1) return "";
  const bool as_queries = mask.count == 2 && mask[0] == scores[2], as_heads = mask.count == 3 && mask[0] == scores[1];
  if (!as_queries && !as_heads) return "";
  return fmt::format("{} is {}, read as {}; were it {}, it would be given {}", file.path, to_string(mask),
                     as_queries ? "[query_len, key_len]" : "[heads, query_len, key_len]",
                     as_queries ? "[batch, key_len], a key_padding_mask" : "[batch, query_len, key_len]",
                     as_queries ? std::string(kAsKeys) : "as " + to_string(as_batch_items(mask)));
}

// Which terms of the mask follow the diagonal.
std::string terms_on_the_diagonal(const Request& request) {
  std::string terms;
  for (const MaskTerm& term : request.mask) {
    const bool follows = term.kind == MaskTerm::Kind::causal || term.kind == MaskTerm::Kind::window ||
                         term.kind == MaskTerm::Kind::prefix;
    if (follows) terms += (terms.empty() ? "" : ",") + spelled(term);
  }
  return terms;
}

std::string diagonal_reading(const Request& request, const Inputs& inputs) {
  const std::int64_t queries = inputs.query_len, keys = inputs.key_len;
  const bool said = request.causal_align != CausalAlign::top_left || request.past != 0 || !request.key_past.empty();
  if (said || queries == keys || queries == 0 || keys == 0) return "";
  const std::string terms = terms_on_the_diagonal(request);
  if (terms.empty()) return "";
  return fmt::format(
      "--mask {} with {} {} and {} keys starts its diagonal at the first key (--causal-align top-left, as PyTorch): "
      "query 0 stands at key 0; --causal-align bottom-right sets the last query to the last key, as with a cache",
      terms, queries, queries == 1 ? "query" : "queries", keys);
}

}  // namespace

std::string mask_of_batch_items(const Shape& mask, const Shape& scores) {
  const auto fits = [](std::int64_t size, std::int64_t whole) { return size == 1 || size == whole; };
  const int last = mask.count - 1;
  if ((mask.count != 2 && mask.count != 3) || mask[0] != scores[0] || !fits(mask[last], scores[3])) return "";
  if (mask.count == 3 && !fits(mask[1], scores[2])) return "";
  const std::string shape = to_string(as_batch_items(mask));
  if (mask.count == 3) return fmt::format("{} is [batch, query_len, key_len]: give it as {}", to_string(mask), shape);
  return fmt::format("{} is [batch, key_len], the shape of a key_padding_mask: give it {}; or as {}", to_string(mask),
                     kAsKeys, shape);
}

std::vector<std::string> readings_of(const Request& request, const Inputs& inputs) {
  std::vector<std::string> readings;
  const auto add = [&](std::string reading) {
    if (!reading.empty()) readings.push_back(std::move(reading));
  };
  const Shape scores{inputs.batch, inputs.num_heads, inputs.query_len, inputs.key_len};
  for (const MaskFile& file : inputs.mask_files) {
    if (file.is_captured || !file.rows.empty()) continue;
    add(kind_reading(request, file));
    add(axis_reading(request, file, scores));
  }
  add(diagonal_reading(request, inputs));
  return readings;
}

}  // namespace headscope
