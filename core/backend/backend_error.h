// The device that a backend computes on failed.
#pragma once

#include "core/error.h"

namespace headscope {

// Not the request's fault: another backend may compute it. what() says what the device or its driver refused.
class BackendError : public Error {
 public:
  using Error::Error;
};

}  // namespace headscope
