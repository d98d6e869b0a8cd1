// Requests with interventions, made by hand and by chance, and how two traces are compared.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "core/attention/input_problem.h"
#include "core/attention/interventions.h"
#include "core/request/request_text.h"
#include "tests/core/attention/made_inputs.h"
#include "tests/core/attention/plain_attention.h"

namespace headscope {

using Options = std::vector<std::pair<const char*, std::string>>;

inline Request with(Request request, const Options& given) {
  for (const auto& [option, value] : given) find_request_option(option)->set(request, value);
  return request;
}

inline std::shared_ptr<const Trace> run(const Request& request, const Inputs& inputs,
                                        const std::shared_ptr<const Backend>& backend, bool on_demand = false) {
  const auto shared = std::make_shared<const Inputs>(inputs);
  EXPECT_FALSE(find_problem(request, *shared)) << one_line(find_problem(request, *shared).value_or(Problem{}));
  ForwardOptions options;
  if (on_demand) options.stage_memory = 0;
  return forward(request, shared, backend, CancelToken(), options);
}

// Every stage of a trace against plain loops, relative to the largest number of the stage.
inline void expect_plain(const Trace& trace, const Request& request, const Inputs& inputs, const std::string& what) {
  const auto wanted = plain_attention(request, inputs);
  EXPECT_EQ(wanted.size(), trace.stages.size()) << what;
  for (const Stage& stage : trace.stages) {
    const auto found = wanted.find(stage.id);
    ASSERT_NE(found, wanted.end()) << what << " " << stage_name(stage.id);
    ASSERT_EQ(to_string(stage.tensor.shape()), to_string(found->second.shape)) << what << " " << stage_name(stage.id);
    const std::vector<float> values = stage.tensor.values();
    double largest = 1;
    for (const double value : found->second.values) {
      if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
    }
    for (std::size_t k = 0; k < values.size(); ++k) {
      const double a = static_cast<double>(values[k]), b = found->second.values[k];
      const bool same = a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= 2e-5 * largest;
      ASSERT_TRUE(same) << what << " " << stage_name(stage.id) << " number " << k << ": " << a << " for " << b;
    }
  }
}

inline const std::vector<std::shared_ptr<const Backend>>& all_backends() {
  static const std::vector<std::shared_ptr<const Backend>> backends = {make_reference_backend(), make_cpu_backend(1),
                                                                       make_cpu_backend(3)};
  return backends;
}

inline void expect_plain_everywhere(const Request& request, const Inputs& inputs, const std::string& what) {
  for (const auto& backend : all_backends()) {
    for (const bool on_demand : {false, true}) {
      const std::string where = what + " " + std::string(backend->name()) + (on_demand ? " on demand" : "");
      expect_plain(*run(request, inputs, backend, on_demand), request, inputs, where);
    }
  }
}

inline bool same_traces(const Trace& a, const Trace& b) {
  if (a.stages.size() != b.stages.size()) return false;
  for (std::size_t k = 0; k < a.stages.size(); ++k) {
    if (a.stages[k].id != b.stages[k].id || !same_bits(a.stages[k].tensor, b.stages[k].tensor)) return false;
  }
  return true;
}

// A request with everything on it, by chance.
struct Chance {
  std::mt19937 generator;
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(n)); }
  bool one_in(std::int64_t n) { return below(n) == 0; }
  std::string number() { return fmt::format("{:.3f}", static_cast<double>(below(6001) - 3000) / 1000.0); }
};

inline std::string random_edits(Chance& chance, const Request& request, const Inputs& inputs) {
  std::string text;
  for (std::int64_t k = chance.below(6); k > 0; --k) {
    const StageId stage =
        all_stages()[static_cast<std::size_t>(chance.below(static_cast<std::int64_t>(all_stages().size())))];
    const auto shape = stage_shape(request, inputs, stage);
    if (!shape) continue;
    text += text.empty() ? "" : ";";
    text += chance.one_in(6) ? "off:" : "";
    text += std::string(stage_name(stage)) + ":";
    for (int axis = 0; axis < shape->count; ++axis) {
      text += fmt::format("{}{}", axis == 0 ? "" : ",", chance.below((*shape)[axis]));
    }
    text += "=" + chance.number();
  }
  return text.empty() ? "none" : text;
}

inline std::string random_paint(Chance& chance) {
  std::string text;
  for (std::int64_t k = chance.below(4); k > 0; --k) {
    const std::int64_t i = chance.below(5), j = chance.below(5);
    text += fmt::format("{}{}{}@{}:{},{}:{}", text.empty() ? "" : ";", chance.one_in(6) ? "off:" : "",
                        chance.one_in(2) ? "hide" : "show", i, i + 1 + chance.below(3), j, j + 1 + chance.below(3));
  }
  return text.empty() ? "none" : text;
}

inline Request random_request(Chance& chance, const Inputs& inputs, bool fused) {
  Request request = with(fused ? phrase_request() : alone_request(),
                         {{"mask", std::array{"none", "causal", "window:1",
                                              "padding:1,causal"}[static_cast<std::size_t>(chance.below(4))]},
                          {"softcap", chance.one_in(3) ? "2" : "off"},
                          {"scale", chance.one_in(3) ? "1" : "auto"},
                          {"paint", random_paint(chance)}});
  if (!inputs.dropout_mask.empty()) request.dropout = 0.5;
  const auto head = [&](std::int64_t heads) { return fmt::format("0.{}", chance.below(heads)); };
  if (chance.one_in(3)) find_request_option("ablate")->set(request, head(inputs.num_heads));
  if (chance.one_in(2)) {
    find_request_option("freeze")->set(request, head(inputs.num_heads) + (chance.one_in(2) ? "=uniform" : "=identity"));
  }
  if (chance.one_in(3))
    find_request_option("scale-query")->set(request, chance.number() + "," + head(inputs.num_heads) + "=2");
  if (chance.one_in(3))
    find_request_option("scale-key")->set(request, head(inputs.num_kv_heads) + "=" + chance.number());
  find_request_option("edit")->set(request, random_edits(chance, request, inputs));
  return request;
}

}  // namespace headscope
