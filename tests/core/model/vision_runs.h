// Runs of the tiny models that read images, and their numbers beside those of PyTorch.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "core/attention/engine.h"
#include "tests/core/model/vision_files.h"

namespace headscope {

// Within 2e-5 of the row's largest magnitude.
inline void expect_rows(const Tensor& found, const Tensor& expected, const std::string& what) {
  const std::vector<float> a = found.values(), b = expected.values();
  ASSERT_EQ(a.size(), b.size()) << what;
  const auto width = static_cast<std::size_t>(expected.dim(expected.rank() - 1));
  for (std::size_t begin = 0; begin < b.size(); begin += width) {
    float largest = 0;
    for (std::size_t k = begin; k < begin + width; ++k) largest = std::max(largest, std::abs(b[k]));
    for (std::size_t k = begin; k < begin + width; ++k) {
      ASSERT_TRUE(std::abs(a[k] - b[k]) <= 2e-5F * largest) << what << ", number " << k << ": " << a[k] << ", " << b[k];
    }
  }
}

inline std::shared_ptr<const Trace> run_whole(const Request& request) {
  EngineOptions options;
  options.whole_model = true;
  Engine engine(options);
  return engine.run(request, CancelToken());
}

inline Request image_request(const std::string& model) {
  Request request;
  request.model = kVisionModels + model;
  request.image = vision_image();
  return request;
}

}  // namespace headscope
