#include "core/request/one_pass.h"

#include <algorithm>

#include "core/request/variant_infos.h"

namespace headscope {

bool in_one_pass(const Request& request) {
  return std::all_of(request.variants.begin(), request.variants.end(),
                     [](Variant variant) { return variant_info(variant).one_pass; });
}

}  // namespace headscope
