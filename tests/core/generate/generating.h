// Requests that generate, and what single runs from the start say about them.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/attention/engine.h"
#include "core/attention/output_head.h"
#include "core/generate/generation.h"
#include "core/request/request_text.h"

namespace headscope {

inline const std::string kGoldenModels = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/";

using Options = std::vector<std::pair<std::string, std::string>>;

inline Request request_with(const Options& options) {
  Request request;
  for (const auto& [name, value] : options) find_request_option(name)->set(request, value);
  return request;
}

inline Request golden_request(const std::string& model, const std::string& ids = "3,1,4") {
  return request_with({{"model", kGoldenModels + model}, {"token-ids", ids}});
}

inline Request demo_request() {
  return request_with({{"model", "demo:induction"}, {"phrase", "cat box ink fox jam cat box"}});
}

inline EngineOptions generating(bool reuse) {
  EngineOptions options;
  options.whole_model = true;
  options.reuse = reuse;
  return options;
}

inline Generation generated(const Request& request, const GenerationOptions& options, bool reuse = true,
                            const ShowText& show = {}) {
  Engine engine(generating(reuse));
  return generate(engine, request, options, CancelToken(), show);
}

inline std::vector<std::int64_t> ids_of(const Generation& generation) {
  std::vector<std::int64_t> ids;
  for (const GeneratedToken& token : generation.tokens) ids.push_back(token.sampled.token.id);
  return ids;
}

// Runs that know nothing of each other: the whole text from the start for each token, by a new engine.
inline std::vector<TokenProbability> predicted_one_by_one(Request request, std::int64_t count) {
  std::vector<TokenProbability> result;
  for (std::int64_t step = 0; step < count; ++step) {
    Engine engine(generating(false));
    const auto trace = engine.run(request, CancelToken());
    const PredictionReport report = prediction_report(*trace->model, 1, CancelToken());
    result.push_back(report.positions.front().top.front());
    request.phrase.clear();
    request.token_ids = trace->inputs->token_ids;
    request.token_ids.push_back(result.back().id);
  }
  return result;
}

}  // namespace headscope
