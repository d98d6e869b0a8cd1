// Models computed whole, and their logits taken apart.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/attention/engine.h"
#include "core/attention/model_trace.h"
#include "core/explain/attribution.h"
#include "core/io/safetensors.h"
#include "core/request/request_text.h"

namespace headscope {

const std::string kGoldenModels = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/";

using ModelOptionTexts = std::vector<std::pair<const char*, std::string>>;

inline std::shared_ptr<const Trace> whole_model(Request request, const ModelOptionTexts& given = {}) {
  for (const auto& [option, value] : given) find_request_option(option)->set(request, value);
  EngineOptions options;
  options.whole_model = true;
  return Engine(options).run(request, CancelToken());
}

// The same with numbers of the run of `a`.
inline std::shared_ptr<const Trace> patched_model(Request request, const Request& a, const std::string& patch) {
  request.patch_from = "A";
  find_request_option("patch")->set(request, patch);
  EngineOptions options;
  options.whole_model = true;
  options.read_request = [a](const std::string&) { return a; };
  return Engine(options).run(request, CancelToken());
}

// The golden models, sorted.
inline std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kGoldenModels)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

inline Tensor expected_of(const std::string& name, const char* tensor) {
  const SafetensorsFile file = SafetensorsFile::open(kGoldenModels + name + "/expected.safetensors");
  return file.tensor(*file.find(tensor));
}

// A golden model on its own ids.
inline Request golden_request(const std::string& name) {
  Request request;
  request.model = kGoldenModels + name;
  request.backend = BackendChoice::cpu;
  for (const float id : expected_of(name, "token_ids").values()) {
    request.token_ids.push_back(static_cast<std::int64_t>(id));
  }
  return request;
}

inline Attribution attributed(const Trace& trace, std::int64_t position, std::vector<std::int64_t> ids,
                              AttributionBy by) {
  return attribution(*trace.model, {position, std::move(ids), by}, CancelToken());
}

inline double largest_part(const Attribution& found) {
  double largest = std::abs(found.total);
  for (const AttributionPart& part : found.parts) largest = std::max(largest, std::abs(part.value));
  return largest;
}

// That the parts are the model's logit, to `tolerance` of the larger of the logit and the largest part.
inline void expect_exact(const Attribution& found, const std::string& what, double tolerance = 1e-4) {
  double sum = 0;
  for (const AttributionPart& part : found.parts) sum += part.value;
  EXPECT_EQ(sum, found.sum) << what;
  EXPECT_TRUE(std::abs(found.sum - found.total) <= tolerance * largest_part(found))
      << what << ": sum " << found.sum << ", logit " << found.total << ", largest part " << largest_part(found);
}

// The sum of the parts of a layer, or of those outside of layers (-1), that are attention's or not.
inline double attention_sum(const Attribution& found, std::int64_t layer, std::int64_t head = -1) {
  double sum = 0;
  for (const AttributionPart& part : found.parts) {
    const std::string name = part.name;
    const bool attention =
        name == "attention" || name == "head" || name == "source" || name == "attention bias" || name == "edited";
    if (attention && part.layer == layer && (head < 0 || part.head == head)) sum += part.value;
  }
  return sum;
}

constexpr AttributionBy kEveryWay[] = {AttributionBy::components, AttributionBy::heads, AttributionBy::sources};

}  // namespace headscope
