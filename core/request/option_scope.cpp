#include "core/request/option_scope.h"

#include "core/request/model_kind.h"
#include "core/request/request.h"

namespace headscope {
bool reads_vectors(const Request& request) {
  return !is_attention_alone(request) && !runs_checkpoint(request) && !runs_capture(request);
}

bool reads_head_files(const Request& request) {
  return is_attention_alone(request);
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

}  // namespace headscope
