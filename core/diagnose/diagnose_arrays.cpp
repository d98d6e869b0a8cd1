#include "core/diagnose/diagnose_arrays.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "core/attention/forward.h"
#include "core/attention/input_problem.h"
#include "core/base/error.h"
#include "core/diagnose/diagnose.h"
#include "core/model/inputs.h"
#include "core/request/intervention_kinds.h"
#include "core/request/mask.h"
#include "core/request/problem.h"
#include "core/request/stage.h"

namespace headscope {
namespace {

// Sentences call the tensors so, for they have no file.
constexpr const char* kQuery = "query";
constexpr const char* kKey = "key";
constexpr const char* kValue = "value";
constexpr const char* kMask = "mask";

// A file that `options` name would be left unread.
void check_no_file(const Request& options) {
  const auto refuse = [](const char* option, const std::string& path) {
    if (path.empty()) return;
    throw UsageError(option, fmt::format("found {}", path), "tensors in memory alone");
  };
  refuse("query", options.query);
  refuse("key", options.key);
  refuse("value", options.value);
  refuse("key-past", options.key_past);
  refuse("value-past", options.value_past);
  refuse("dropout-mask", options.dropout_mask);
  refuse("patch-from", options.patch_from);
  visit_arrays(options, [&](const auto& kind, const StageArray& array) { refuse(kind.option.name, array.file); });
  for (const MaskTerm& term : options.mask) {
    if (term.kind == MaskTerm::Kind::file) refuse("mask", term.path);
  }
}

// Options may repeat the sizes of the tensors, not contradict them.
void check_sizes(const Request& options, const Inputs& inputs) {
  const auto check = [](const char* option, const std::optional<std::int64_t>& given, std::int64_t found) {
    if (!given || *given == found) return;
    throw UsageError(option, fmt::format("{} was given, but the tensors have {}", *given, found));
  };
  check("batch", options.batch, inputs.batch);
  check("heads", options.heads, inputs.num_heads);
  check("kv-heads", options.kv_heads, inputs.num_kv_heads);
  check("d-model", options.d_model, inputs.d_model);
}

Tensor with_head_axes(const char* name, const Tensor& tensor) {
  if (tensor.rank() != 4) {
    throw UsageError(name, fmt::format("found {}", to_string(tensor.shape())), "[batch, heads, len, features]");
  }
  return tensor.reshaped(tensor.shape(), {Axis::batch, Axis::head, Axis::position, Axis::feature});
}

std::vector<std::string> numbers_to(std::int64_t count) {
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < count; ++i) names.push_back(std::to_string(i));
  return names;
}

Inputs inputs_of(const AttentionArrays& ours) {
  Inputs inputs;
  inputs.query = with_head_axes(kQuery, ours.query);
  inputs.key = with_head_axes(kKey, ours.key);
  inputs.value = with_head_axes(kValue, ours.value);
  inputs.batch = inputs.query.dim(0);
  inputs.num_heads = inputs.query.dim(1);
  inputs.query_len = inputs.query.dim(2);
  inputs.head_dim = inputs.query.dim(3);
  inputs.num_kv_heads = inputs.key.dim(1);
  inputs.key_len = inputs.key.dim(2);
  inputs.value_head_dim = inputs.value.dim(3);
  inputs.d_model = inputs.num_heads * inputs.value_head_dim;
  inputs.tokens = numbers_to(inputs.query_len);
  inputs.key_tokens = numbers_to(inputs.key_len);
  check_sizes(ours.options, inputs);
  if (!ours.mask.empty()) inputs.mask_files.push_back({kMask, ours.mask, true});
  return inputs;
}

Request request_of(const AttentionArrays& ours) {
  check_no_file(ours.options);
  Request request = ours.options;
  request.query = kQuery;
  request.key = kKey;
  request.value = kValue;
  if (!ours.mask.empty()) request.mask.push_back({MaskTerm::Kind::file, 0, kMask});
  return request;
}

}  // namespace

std::shared_ptr<const Trace> attention_of(const AttentionArrays& ours, const std::shared_ptr<const Backend>& backend,
                                          const CancelToken& cancel) {
  const Request request = request_of(ours);
  if (const std::optional<Problem> problem = find_problem(request)) throw ProblemError(*problem);
  const auto inputs = std::make_shared<const Inputs>(inputs_of(ours));
  if (const std::optional<Problem> problem = find_problem(request, *inputs)) throw ProblemError(*problem);
  return forward(request, inputs, backend, cancel);
}

Diagnosis diagnose_arrays(const AttentionArrays& ours, std::vector<ExternalStage> theirs,
                          const DiagnoseOptions& options, const CancelToken& cancel) {
  const std::shared_ptr<const Backend> backend = make_cpu_backend(ours.options.threads);
  const std::shared_ptr<const Trace> trace = attention_of(ours, backend, cancel);
  for (const ExternalStage& each : theirs) {
    if (trace->find(each.stage) != nullptr) continue;
    throw UsageError("stage", fmt::format("attention alone has no {}", stage_name(each.stage)),
                     "query, key, value, scores, weights, context or concat");
  }
  return diagnose(*trace, std::move(theirs), backend, {}, cancel, options);
}

}  // namespace headscope
