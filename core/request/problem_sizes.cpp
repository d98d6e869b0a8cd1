// What sizes alone can make impossible: ranges, divisibility, and memory of seeded requests.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/words.h"
#include "core/request/memory.h"
#include "core/request/model_kind.h"
#include "core/request/problem_checks.h"
#include "core/request/size_words.h"

namespace headscope {
namespace {

constexpr std::size_t kMaxDivisorsShown = 16;

// What a seeded layer will be; nothing is checked yet.
struct SeededSizes {
  std::int64_t d_model, input_dim, heads, kv_heads;
};
SeededSizes seeded_sizes(const Request& r) {
  const std::int64_t d_model = r.d_model.value_or(kDefaultModelWidth);
  const std::int64_t heads = r.heads.value_or(kDefaultHeads);
  return {d_model, r.input_dim.value_or(d_model), heads, r.kv_heads.value_or(heads)};
}

double seeded_bytes(std::int64_t d_model, std::int64_t input_dim) {
  const double d = static_cast<double>(d_model);
  const double in = static_cast<double>(input_dim);
  return 4.0 * std::max(3 * d * in + d * d, 3 * d * d);
}

}  // namespace

std::optional<Problem> ablate_problem(std::int64_t head, std::int64_t num_heads, std::int64_t layer) {
  if (0 <= head && head < num_heads) return {};
  const std::string nearest = fmt::format("{}.{}", layer, std::clamp<std::int64_t>(head, 0, num_heads - 1));
  return Problem{"ablate",
                 fmt::format("there is no head {}", head),
                 fmt::format("The {} heads are 0 to {}.", num_heads, num_heads - 1),
                 {{nearest, "ablate", nearest}}};
}

std::string gibibytes_text(double bytes) {
  constexpr double kMebi = 1024.0 * 1024.0;
  return bytes < 1024.0 * kMebi ? fmt::format("{:.0f} MiB", std::max(1.0, bytes / kMebi))
                                : fmt::format("{:.1f} GiB", bytes / (1024.0 * kMebi));
}

std::optional<Problem> memory_problem(const Request& request, const StageSizes& sizes, std::int64_t limit) {
  const double bytes = least_stage_bytes(request, sizes);
  if (bytes <= static_cast<double>(limit)) return {};
  const std::int64_t tokens = tokens_that_fit(request, sizes, limit);
  const char* option = !sizes.alone && request.input.empty() ? "phrase" : sizes.alone ? "query" : "input";
  Problem problem{option,
                  fmt::format("the stages would need {}", gibibytes_text(bytes)),
                  fmt::format("At most {} are used; {} tokens fit with these sizes.",
                              gibibytes_text(static_cast<double>(limit)), tokens == 0 ? "no" : std::to_string(tokens)),
                  {}};
  if (request.batch && *request.batch > 1) {
    StageSizes one = sizes;
    one.batch = 1;
    const double each = stage_bytes(request, one);
    const auto batch = static_cast<std::int64_t>(std::floor(static_cast<double>(limit) / each));
    if (batch >= 1) {
      const std::string value = std::to_string(std::min(batch, *request.batch - 1));
      problem.option = "batch";
      problem.suggestions.push_back({"batch " + value, "batch", value});
    }
  }
  return problem;
}

std::optional<Problem> size_problem(const Request& r) {
  struct Size {
    const char* option;
    const std::optional<std::int64_t>& value;
    std::int64_t usual;
  };
  const Size sizes[] = {{"heads", r.heads, kDefaultHeads},
                        {"kv-heads", r.kv_heads, 1},
                        {"d-model", r.d_model, kDefaultModelWidth},
                        {"input-dim", r.input_dim, kDefaultModelWidth},
                        {"batch", r.batch, 1}};
  for (const auto& [option, value, usual] : sizes) {
    const SizeWords& words = size_words_of(option);
    if (!value || (words.low <= *value && *value <= words.high)) continue;
    Problem problem{option,
                    fmt::format("{} is not a possible {}", *value, words.what),
                    fmt::format("It lies between {} and {}.", words.low, words.high),
                    {}};
    for (std::int64_t n : {usual, std::clamp<std::int64_t>(*value, words.low, words.high)}) {
      const std::string text = std::to_string(n);
      if (problem.suggestions.empty() || problem.suggestions[0].value != text) {
        problem.suggestions.push_back({text, option, text});
      }
    }
    return problem;
  }
  if (!std::isfinite(r.init_gain)) {
    return Problem{"init-gain",
                   "init-gain is not a number",
                   "It multiplies every seeded weight: a finite number.",
                   {{"1", "init-gain", "1"}}};
  }
  if (r.threads < 0 || r.threads > kMostThreads) {
    return Problem{"threads",
                   fmt::format("{} is not a possible number of threads", r.threads),
                   fmt::format("From 1 to {}; 0 means all cores.", kMostThreads),
                   {{"all cores", "threads", "0"}}};
  }
  return {};
}

// "7 does not divide 512", with the head counts and the model width that would run.
std::optional<Problem> divisibility_problem(const Request& r) {
  if (is_seeded(r)) {
    const SeededSizes size = seeded_sizes(r);
    const double bytes = seeded_bytes(size.d_model, size.input_dim);
    if (bytes > static_cast<double>(kDefaultMemoryLimit)) {
      Problem problem{size.input_dim > size.d_model ? "input-dim" : "d-model",
                      fmt::format("the weights would need {}", gibibytes_text(bytes)),
                      fmt::format("d_model {} and input_dim {}; at most {} are used.", size.d_model, size.input_dim,
                                  gibibytes_text(static_cast<double>(kDefaultMemoryLimit))),
                      {}};
      const bool by_input = problem.option == "input-dim";
      const std::int64_t step = by_input ? 1 : size.heads;
      std::int64_t smaller = (by_input ? size.input_dim : size.d_model) / step * step;
      const auto too_large = [&](std::int64_t n) {
        const std::int64_t input = by_input ? n : r.input_dim.value_or(n);
        return seeded_bytes(by_input ? size.d_model : n, input) > static_cast<double>(kDefaultMemoryLimit);
      };
      while (smaller > step && too_large(smaller)) smaller = std::max(step, smaller / 2 / step * step);
      if (smaller > 0 && !too_large(smaller)) {
        const std::string value = std::to_string(smaller);
        problem.suggestions.push_back({value, problem.option, value});
      }
      return problem;
    }
  }
  if (is_attention_alone(r)) return {};
  const bool known = is_seeded(r) || (r.heads && r.d_model);
  const SeededSizes size = seeded_sizes(r);
  if (known && size.d_model % size.heads != 0) {
    Problem problem{r.heads ? "heads" : "d-model",
                    fmt::format("{} does not divide {}", size.heads, size.d_model),
                    fmt::format("head_dim would be {:.2f}. Divisors:",
                                static_cast<double>(size.d_model) / static_cast<double>(size.heads)),
                    {}};
    std::vector<std::int64_t> divisors = divisors_of(size.d_model);
    if (r.kv_heads) std::erase_if(divisors, [&](std::int64_t n) { return n % *r.kv_heads != 0; });
    if (divisors.size() > kMaxDivisorsShown) std::erase_if(divisors, [](std::int64_t n) { return n > 64; });
    for (std::int64_t n : divisors) problem.suggestions.push_back({std::to_string(n), "heads", std::to_string(n)});
    const double ratio = static_cast<double>(size.d_model) / static_cast<double>(size.heads);
    const std::int64_t width = std::max<std::int64_t>(1, std::llround(ratio)) * size.heads;
    const bool kv_fits = !r.kv_heads || size.heads % *r.kv_heads == 0;
    if (width <= size_words_of("d-model").high && kv_fits) {
      problem.suggestions.push_back(
          {fmt::format("keep {} heads with d_model {}", size.heads, width), "d-model", std::to_string(width)});
    }
    return problem;
  }
  if ((is_seeded(r) || r.heads) && r.kv_heads && size.heads % *r.kv_heads != 0) {
    Problem problem{"kv-heads",
                    fmt::format("{} does not divide the {} heads", *r.kv_heads, size.heads),
                    "Every key head serves the same number of query heads. Divisors:",
                    {}};
    for (std::int64_t n : divisors_of(size.heads)) {
      if (n <= 64 || n == size.heads) problem.suggestions.push_back({std::to_string(n), "kv-heads", std::to_string(n)});
    }
    return problem;
  }
  return {};
}

// Seeded layers on words: everything that decides the memory is known before a weight is drawn.
std::optional<Problem> seeded_memory_problem(const Request& r) {
  if (!is_seeded(r) || r.phrase.empty()) return {};
  const SeededSizes seeded = seeded_sizes(r);
  const auto words = [](const std::string& text) { return static_cast<std::int64_t>(words_of(text).size()); };
  StageSizes sizes;
  sizes.batch = r.batch.value_or(1);
  sizes.query_len = words(r.phrase);
  sizes.key_len = r.key_phrase ? words(*r.key_phrase) : sizes.query_len;
  sizes.heads = seeded.heads;
  sizes.kv_heads = seeded.kv_heads;
  sizes.head_dim = sizes.value_head_dim = seeded.d_model / seeded.heads;
  sizes.input_dim = seeded.input_dim;
  sizes.d_model = seeded.d_model;
  sizes.cross = r.key_phrase.has_value();
  return memory_problem(r, sizes, kDefaultMemoryLimit);
}

std::vector<std::int64_t> divisors_of(std::int64_t d_model) {
  if (d_model > size_words_of("d-model").high) return {1};
  std::vector<std::int64_t> small, large;
  for (std::int64_t n = 1; n <= d_model / n; ++n) {
    if (d_model % n != 0) continue;
    small.push_back(n);
    if (n != d_model / n) large.push_back(d_model / n);
  }
  small.insert(small.end(), large.rbegin(), large.rend());
  return small;
}

}  // namespace headscope
