// A GL context without a window, one for all tests of the program.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "app/gl/gl_texture_store.h"
#include "app/gl/offscreen.h"
#include "core/base/error.h"

namespace headscope {

class GlTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    try {
      if (context_ == nullptr) context_ = make_offscreen_context();
    } catch (const Error& error) {
      reason_ = error.what();
    }
  }
  static void TearDownTestSuite() { context_.reset(); }
  void SetUp() override {
    if (context_ == nullptr) {
      // Where EGL is known to be there a refusal is a failure, not a reason to look away.
      if (std::getenv("HEADSCOPE_REQUIRE_GL") != nullptr) FAIL() << reason_;
      GTEST_SKIP() << reason_;
    }
    store_ = GlTextureStore::make();
  }
  void TearDown() override { store_.reset(); }

  static const OffscreenContext& context() { return *context_; }
  std::unique_ptr<GlTextureStore> store_;

 private:
  static inline std::unique_ptr<OffscreenContext> context_;
  static inline std::string reason_;
};

}  // namespace headscope
