// Loads requests through one cache, as a session does.
#pragma once

#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/model/load_inputs.h"
#include "tests/core/model/model_files.h"

namespace headscope {

class Loading : public FilesTest {
 protected:
  Inputs load(const Request& request) { return load_inputs(request, cache_); }
  void expect_usage_error(const Request& request, const std::vector<std::string>& parts) {
    expect_refusal<UsageError>([&] { load(request); }, parts);
  }
  static Request seeded(const std::string& phrase) {
    Request request;
    request.phrase = phrase;
    request.d_model = 16;
    request.heads = 4;
    return request;
  }
  InputCache cache_;
};

}  // namespace headscope
