#include "tests/core/attention/same_results.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "core/attention/model_trace.h"

namespace headscope {
namespace {

std::string tensor_difference(const std::string& name, const Tensor& found, const Tensor& wanted) {
  if (same_storage(found, wanted)) return "";
  if (found.empty() || wanted.empty()) {
    return found.empty() == wanted.empty() ? "" : name + (found.empty() ? " is not there" : " should not be there");
  }
  if (!(found.shape() == wanted.shape())) {
    return fmt::format("{} is {} for {}", name, to_string(found.shape()), to_string(wanted.shape()));
  }
  const std::vector<float> a = found.values(), b = wanted.values();
  if (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0) return "";
  std::size_t first = 0;
  double largest = 0;
  for (std::size_t k = a.size(); k-- > 0;) {
    if (std::memcmp(&a[k], &b[k], sizeof(float)) == 0) continue;
    first = k;
    largest = std::fmax(largest, std::fabs(static_cast<double>(a[k]) - static_cast<double>(b[k])));
  }
  return fmt::format("{}, number {}: {} for {}, off by up to {}", name, first, a[first], b[first], largest);
}

std::string words_difference(const std::string& name, const std::string& found, const std::string& wanted) {
  return found == wanted ? "" : fmt::format("{}: '{}' for '{}'", name, found, wanted);
}

// Returns all that a trace says of itself beside its numbers.
std::string words_of(const Trace& trace) {
  return fmt::format("{} | {} | {} | {} | scale {} | {} rows masked: {} | tokens {} | {}", trace.backend,
                     trace.backend_description, trace.notice, trace.seeded_weights, trace.scale,
                     trace.fully_masked_rows, fmt::join(trace.fully_masked_queries, ","),
                     fmt::join(trace.inputs->tokens, " "),
                     trace.mask == nullptr ? 0 : trace.mask->hidden.hidden_count(0, 0));
}

std::string layer_difference(const std::string& of, const Trace& found, const Trace& wanted) {
  std::string what = words_difference("words" + of, words_of(found), words_of(wanted));
  if (what.empty() && !(found.request == wanted.request)) what = "another request" + of;
  if (what.empty() && found.stages.size() != wanted.stages.size()) what = "other stages" + of;
  for (std::size_t s = 0; what.empty() && s < wanted.stages.size(); ++s) {
    const Stage &a = found.stages[s], &b = wanted.stages[s];
    const std::string name = std::string(stage_name(b.id)) + of;
    if (a.id != b.id || a.equals_previous != b.equals_previous) return name + " is another stage";
    what = words_difference(name, a.operation, b.operation);
    if (what.empty()) what = tensor_difference(name, a.tensor, b.tensor);
  }
  const auto add = [&](const char* name, const Tensor& a, const Tensor& b) {
    if (what.empty()) what = tensor_difference(name + of, a, b);
  };
  add("row maxima", found.row_statistics.max, wanted.row_statistics.max);
  add("row sums", found.row_statistics.sum, wanted.row_statistics.sum);
  if (found.mask != nullptr && wanted.mask != nullptr) add("what masks add", found.mask->added, wanted.mask->added);
  if (what.empty() && (found.mask == nullptr) != (wanted.mask == nullptr)) what = "a mask is missing" + of;
  if (what.empty() && found.mask != nullptr && !(found.mask->hidden == wanted.mask->hidden)) what = "hidden cells" + of;
  return what;
}

using Layers = std::vector<std::shared_ptr<const Trace>>;

std::string layers_difference(const char* of, const Layers& found, const Layers& wanted) {
  if (found.size() != wanted.size()) return fmt::format("{} of {} layers{}", found.size(), wanted.size(), of);
  for (std::size_t layer = 0; layer < wanted.size(); ++layer) {
    const Trace *a = found[layer].get(), *b = wanted[layer].get();
    const std::string name = fmt::format(" of layer {}{}", layer, of);
    if (a == nullptr || b == nullptr) {
      if (a != b) return "one run has no trace" + name;
      continue;
    }
    if (std::string what = layer_difference(name, *a, *b); !what.empty()) return what;
  }
  return "";
}

std::string streams_difference(const std::string& name, const std::vector<Tensor>& found,
                               const std::vector<Tensor>& wanted) {
  if (found.size() != wanted.size()) return fmt::format("{} of {} {}s", found.size(), wanted.size(), name);
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    std::string what = tensor_difference(fmt::format("{} {}", name, k), found[k], wanted[k]);
    if (!what.empty()) return what;
  }
  return "";
}

std::string model_difference(const ModelTrace& found, const ModelTrace& wanted) {
  std::string what = layers_difference("", found.layers, wanted.layers);
  if (what.empty()) what = layers_difference(", the other list", found.other_layers, wanted.other_layers);
  if (what.empty()) what = streams_difference("stream", found.streams, wanted.streams);
  if (what.empty()) what = streams_difference("other stream", found.other_streams, wanted.other_streams);
  if (what.empty()) what = streams_difference("whole stream", found.whole_streams, wanted.whole_streams);
  if (what.empty()) what = tensor_difference("final_hidden", found.final_hidden, wanted.final_hidden);
  return what;
}

double largest_of(const Tensor& tensor) {
  double largest = 0;
  for (const float value : tensor.values()) {
    if (std::isfinite(value)) largest = std::max(largest, std::fabs(static_cast<double>(value)));
  }
  return largest;
}

// What the numbers of a stage are near to each other relative to, beside the largest of their row: sums may cancel. Of
// a head of one feature a row of the context was one number, 200 times smaller than the values that it was summed from.
double summed_size(const Trace& exact, StageId stage) {
  if (stage == StageId::context || stage == StageId::concat) return largest_of(exact.tensor(StageId::value));
  return stage == StageId::output ? largest_of(exact.tensor(StageId::output)) : 0;
}

// Every row has to lie within 1e-5 of the largest number of the exact one, or of `least` where that is more.
std::string near_difference(const std::string& name, const Tensor& found, const Tensor& wanted, double least) {
  if (!(found.shape() == wanted.shape())) return name + " has another shape";
  const std::vector<float> a = found.values(), b = wanted.values();
  const auto columns = static_cast<std::size_t>(wanted.dim(wanted.rank() - 1));
  for (std::size_t row = 0; row < b.size(); row += columns) {
    double largest = least;
    for (std::size_t k = row; k < row + columns; ++k) {
      if (std::isfinite(b[k])) largest = std::max(largest, std::fabs(static_cast<double>(b[k])));
    }
    for (std::size_t k = row; k < row + columns; ++k) {
      const bool same = std::isnan(b[k])   ? std::isnan(a[k])
                        : std::isinf(b[k]) ? a[k] == b[k]
                                           : std::fabs(static_cast<double>(a[k]) - b[k]) <= 1e-5 * largest;
      if (!same) return fmt::format("{}, row {}: {} for {}, largest {}", name, row / columns, a[k], b[k], largest);
    }
  }
  return "";
}

std::string preview_difference(const Trace& preview, const Trace& exact) {
  if (!(preview.request == exact.request)) return "another request";
  std::string what = words_difference("words", words_of(preview), words_of(exact));
  if (preview.stages.size() != exact.stages.size()) return "other stages";
  for (std::size_t s = 0; what.empty() && s < exact.stages.size(); ++s) {
    const Stage &a = preview.stages[s], &b = exact.stages[s];
    const std::string name(stage_name(b.id));
    if (a.id != b.id || a.equals_previous != b.equals_previous) return name + " is another stage";
    what = words_difference(name, a.operation, b.operation);
    if (!what.empty()) return what;
    what = b.id <= StageId::masked_scores ? tensor_difference(name, a.tensor, b.tensor)
                                          : near_difference(name, a.tensor, b.tensor, summed_size(exact, b.id));
  }
  return what;
}

}  // namespace

std::string difference(const Trace& found, const Trace& wanted) {
  std::string what = layer_difference("", found, wanted);
  if (!what.empty()) return what;
  if ((found.model == nullptr) != (wanted.model == nullptr)) return "one is no model";
  return found.model == nullptr ? "" : model_difference(*found.model, *wanted.model);
}

std::string early_difference(const Trace& early, const Trace& exact) {
  if (early.preview) return preview_difference(early, exact);
  if (early.model == nullptr || exact.model == nullptr) return "no model";
  if (early.model->layers.size() != exact.model->layers.size()) return "other layers";
  Layers known = exact.model->layers;
  for (std::size_t layer = 0; layer < known.size(); ++layer) {
    if (early.model->layers[layer] == nullptr) known[layer] = nullptr;
  }
  return layers_difference(", early", early.model->layers, known);
}

}  // namespace headscope
