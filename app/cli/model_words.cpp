#include "app/cli/model_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "app/cli/output.h"
#include "app/session/documents.h"
#include "core/attention/model_trace.h"
#include "core/request/model_kind.h"

namespace headscope::cli {
namespace {

// Options that speak of drawn weights, or of vectors of any layer, with which no demo runs.
constexpr std::array<std::string_view, 13> kOfDrawnWeights = {
    "batch",     "seed",     "d-model",    "heads",      "kv-heads",  "input-dim", "init-gain",
    "embedding", "position", "qkv-layout", "key-phrase", "key-input", "input"};
// Options that say themselves where the numbers come from, or that need a model that is named.
constexpr std::array<std::string_view, 8> kSources = {"session", "model", "weights", "query",
                                                      "key",     "value", "image",   "features"};

bool has_any(const Arguments& given, auto& options) {
  return std::any_of(options.begin(), options.end(),
                     [&](std::string_view option) { return given.has(std::string(option)); });
}

}  // namespace

bool takes_default_model(const Arguments& given) {
  return !has_any(given, kOfDrawnWeights) && !has_any(given, kSources);
}

std::string drawn_weights_notice(const Arguments& given, const Request& request) {
  if (!is_seeded(request) || has_any(given, kSources)) return "";
  for (const std::string_view option : kOfDrawnWeights) {
    if (!given.has(std::string(option))) continue;
    return fmt::format("random weights, because --{} was given; --model {} for a trained one", option, kDefaultModel);
  }
  return "";
}

std::string model_notice(const Arguments& given, const Request& request) {
  if (takes_default_model(given)) return fmt::format("{} is the default model; --model names another", request.model);
  return drawn_weights_notice(given, request);
}

std::string model_line(const Arguments& given, const Trace& trace) {
  const Request& request = trace.request;
  std::string words;
  if (trace.model != nullptr) {
    words = fmt::format("{}, layer {} of 0 to {}", printable(trace.model->name), trace.model->layer,
                        trace.model->layers.size() - 1);
    if (takes_default_model(given)) words += "; the default, --model names another";
  } else if (is_attention_alone(request)) {
    words = "none: attention alone, of query, key and value";
  } else if (!request.weights.empty()) {
    words = "one layer, " + printable(std::filesystem::path(request.weights).filename().string());
  } else {
    const std::string why = drawn_weights_notice(given, request);
    words = fmt::format("{}: {}", request.model,
                        why.empty() ? fmt::format("random weights of seed {}", request.seed) : why);
  }
  return fmt::format("{:<11}{}\n", "model", words);
}

}  // namespace headscope::cli
