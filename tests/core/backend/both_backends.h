// Tests that every backend must pass: instantiated by name.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "core/backend/backend.h"
#ifdef HEADSCOPE_TEST_GPU  // tests/app/gl builds the same tests for the backend that core does not know
#include "tests/app/gl/every_backend_is_gpu.h"
#endif

namespace headscope {

#ifndef HEADSCOPE_TEST_GPU
class EveryBackend : public testing::TestWithParam<const char*> {
 protected:
  std::shared_ptr<const Backend> backend() const {
    const std::string name = GetParam();
    return name == "reference" ? make_reference_backend() : make_cpu_backend(name == "cpu1" ? 1 : 3);
  }
  CancelToken cancel;
};
#endif

inline std::string backend_test_name(const testing::TestParamInfo<const char*>& info) {
  return info.param;
}

}  // namespace headscope

#ifdef HEADSCOPE_TEST_GPU
#define HEADSCOPE_FOR_EVERY_BACKEND(suite) \
  INSTANTIATE_TEST_SUITE_P(Backends, suite, testing::Values("gpu"), backend_test_name)
#else
#define HEADSCOPE_FOR_EVERY_BACKEND(suite) \
  INSTANTIATE_TEST_SUITE_P(Backends, suite, testing::Values("reference", "cpu1", "cpu3"), backend_test_name)
#endif
