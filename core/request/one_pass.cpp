#include "core/request/one_pass.h"

namespace headscope {

bool in_one_pass(const Request& request) {
  return !has_variant(request, Variant::softmax_over_queries) && !has_variant(request, Variant::key_not_transposed);
}

}  // namespace headscope
