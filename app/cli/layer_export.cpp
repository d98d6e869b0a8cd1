#include "app/cli/layer_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>

#include "app/cli/compute.h"
#include "core/attention/model_trace.h"
#include "core/base/error.h"
#include "core/request/request.h"

namespace headscope::cli {
namespace {

std::set<std::int64_t> named_layers(const std::string& text, std::int64_t count) {
  std::set<std::int64_t> layers;
  if (text == "all") {
    for (std::int64_t k = 0; k < count; ++k) layers.insert(k);
    return layers;
  }
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    const std::string word = text.substr(begin, comma - begin);
    const bool whole = !word.empty() && word.size() < 10 && word.find_first_not_of("0123456789") == word.npos;
    const std::int64_t layer = whole ? std::stoll(word) : count;
    if (layer >= count) {
      throw UsageError("layers", fmt::format("found '{}'", word),
                       fmt::format("all, or whole numbers from 0 to {}", count - 1));
    }
    layers.insert(layer);
    begin = comma + 1;
  }
  return layers;
}

}  // namespace

std::vector<std::shared_ptr<const Trace>> layers_to_write(const Arguments& given,
                                                          const std::shared_ptr<const Trace>& trace,
                                                          std::int64_t memory, const CancelToken& cancel) {
  if (!given.has("layers")) return {};
  if (!given.has("out")) throw UsageError("layers", "found without --out", "--out DIR, the folder to write to");
  if (trace->model == nullptr) {
    throw UsageError("layers", "found one layer without the model around it", "--model demo:NAME or PATH");
  }
  const auto count = static_cast<std::int64_t>(trace->model->layers.size());
  std::vector<std::shared_ptr<const Trace>> traces;
  for (const std::int64_t layer : named_layers(given.get("layers"), count)) {
    if (layer == trace->model->layer) {
      traces.push_back(trace);
    } else if (const auto& known = trace->model->layers[static_cast<std::size_t>(layer)]) {
      traces.push_back(known);
    } else {
      Request request = trace->request;
      request.layer = layer;
      traces.push_back(quiet_trace(request, memory, cancel));
    }
  }
  return traces;
}

}  // namespace headscope::cli
