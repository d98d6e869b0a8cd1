#include "core/request/same_request.h"

#include <cmath>
#include <utility>

namespace headscope {
namespace {

// Replaces a NaN by a number that no control can give, so that == is reflexive.
void name_nan(double& value) {
  if (std::isnan(value)) value = -1.2345678901234567e-300;
}

Request comparable(Request request) {
  name_nan(request.init_gain);
  name_nan(request.mask_fill);
  name_nan(request.dropout);
  name_nan(request.top_p);
  if (request.scale) name_nan(*request.scale);
  if (request.softcap) name_nan(*request.softcap);
  return request;
}

bool holds_nan(const Request& r) {
  return std::isnan(r.init_gain) || std::isnan(r.mask_fill) || std::isnan(r.dropout) || std::isnan(r.top_p) ||
         (r.scale && std::isnan(*r.scale)) || (r.softcap && std::isnan(*r.softcap));
}

}  // namespace

bool same_request(const Request& a, const Request& b) {
  if (a == b) return true;
  return holds_nan(a) && holds_nan(b) && comparable(a) == comparable(b);
}

}  // namespace headscope
