#include "core/request/option_scope.h"

#include <fmt/format.h>

#include <string>

#include "core/base/error.h"
#include "core/request/model_kind.h"
#include "core/request/request.h"
#include "core/request/request_text.h"

namespace headscope {
namespace {

// Where the numbers of a request come from, in words.
std::string numbers_of(const Request& request) {
  if (is_attention_alone(request)) return "attention alone, of --query, --key and --value";
  if (runs_capture(request)) return "a capture";
  if (runs_checkpoint(request)) return "the model " + request.model;
  const char* const weights = request.weights.empty() ? "random weights" : "the weights of a file";
  if (!request.input.empty()) return fmt::format("{} on the vectors of --input", weights);
  return request.kv_heads ? fmt::format("{} and --kv-heads", weights) : weights;
}

}  // namespace

bool reads_vectors(const Request& request) {
  return !is_attention_alone(request) && !runs_checkpoint(request) && !runs_capture(request);
}

bool draws_weights(const Request& request) {
  return is_seeded(request);
}

bool draws_vectors(const Request& request) {
  return reads_vectors(request) && (request.input.empty() || request.key_phrase.has_value());
}

bool draws_anything(const Request& request) {
  return draws_weights(request) || draws_vectors(request);
}

// Grouped heads are drawn as three projections. What a checkpoint has is known, and compared, once it is open.
bool may_read_fused_rows(const Request& request) {
  const bool grouped = request.kv_heads && *request.kv_heads != request.heads.value_or(kDefaultHeads);
  return runs_checkpoint(request) || (reads_vectors(request) && !(is_seeded(request) && grouped));
}

bool acts_on(const RequestOption& option, const Request& request) {
  return option.scope.acts != nullptr && option.scope.acts(request);
}

void refuse_idle(const RequestOption& option, const Request& request) {
  if (!is_given(option, request) || acts_on(option, request)) return;
  throw UsageError(option.name, fmt::format("found with {}, where it does nothing", numbers_of(request)),
                   option.scope.on);
}

}  // namespace headscope
