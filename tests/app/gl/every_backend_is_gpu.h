// The fixture of tests/core/backend/both_backends.h, with the GPU backend.
#pragma once

#include "tests/app/gl/compute_fixture.h"

namespace headscope {

class EveryBackend : public ComputeTest, public testing::WithParamInterface<const char*> {
 protected:
  static const Backend* backend() { return &gpu(); }
  CancelToken cancel;
};

}  // namespace headscope
