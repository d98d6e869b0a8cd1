// Whatever a capture says of its layers is refused, or fits them: as many names as positions, finite numbers, images of
// no more patches than tokens.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "core/base/error.h"
#include "core/model/capture_facts.h"
#include "tests/fuzz/fuzz.h"

using namespace headscope;

namespace {

constexpr const char* kNames[] = {"tokens",         "key_tokens",      "scale",           "causal",
                                  "grid",           "key_grid",        "layers.0.tokens", "layers.0.grid",
                                  "layers.0.scale", "layers.1.causal", "layers.2.tokens", "other"};

Capture capture_of(std::int64_t queries, std::int64_t keys) {
  Capture capture;
  capture.path = "capture.safetensors";
  capture.batch = 1;
  capture.query_len = queries;
  capture.key_len = keys;
  for (const std::int64_t len : {keys, queries}) {
    CapturedLayer layer;
    layer.weights = Tensor::zeros({1, 1, len, keys}, {Axis::batch, Axis::head, Axis::query, Axis::key});
    capture.layers.push_back(layer);
  }
  return capture;
}

}  // namespace

// Lines of a name, by its number as a letter from 'a' on, and JSON.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = fuzz::as_text(data, size);
  LayerFacts facts;
  Capture capture = capture_of(2, 3);
  try {
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(text.size(), line.size() + 1));
      if (line.empty()) continue;
      const auto name = static_cast<std::size_t>(static_cast<unsigned char>(line.front())) % std::size(kNames);
      put_fact(facts, capture.path, kNames[name], line.substr(1));
    }
    settle_facts(capture, facts, capture.path);
  } catch (const Error&) {
    return 0;
  }
  for (const CapturedLayer& layer : capture.layers) {
    const auto queries = static_cast<std::size_t>(layer.query_len()), keys = static_cast<std::size_t>(layer.key_len());
    const CapturedNames names =
        layer.names ? *layer.names : CapturedNames{capture.tokens, capture.key_tokens, false, false};
    fuzz::require(names.queries.size() == queries && names.keys.size() == keys, "as many names as positions");
    fuzz::require(!layer.scale || std::isfinite(*layer.scale), "a scale is finite");
    fuzz::require(!layer.grid || layer.grid->rows * layer.grid->columns <= layer.query_len(), "patches are tokens");
    fuzz::require(!layer.key_grid || layer.key_grid->rows * layer.key_grid->columns <= layer.key_len(),
                  "patches of the keys are tokens");
  }
  return 0;
}
