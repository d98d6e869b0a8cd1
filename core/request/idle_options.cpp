#include "core/request/idle_options.h"

#include <fmt/format.h>

#include <string>

#include "core/base/error.h"
#include "core/request/model_kind.h"
#include "core/request/option_scope.h"

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

bool acts_on(const RequestOption& option, const Request& request) {
  return option.scope.acts_on(request);
}

void refuse_idle(const RequestOption& option, const Request& request) {
  if (!is_given(option, request) || acts_on(option, request)) return;
  throw UsageError(option.name, fmt::format("found with {}, where it does nothing", numbers_of(request)),
                   option.scope.on);
}

}  // namespace headscope
