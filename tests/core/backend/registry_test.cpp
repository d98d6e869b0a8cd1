#include <gtest/gtest.h>

#include <string>

#include "core/backend/backend_factory.h"
#include "core/request/request_text.h"

namespace headscope {
namespace {

TEST(Registry, ListsWhatTheOptionMayName) {
  for (const BackendInfo& info : backends()) {
    Request request;
    find_request_option("backend")->set(request, info.name);
    EXPECT_EQ(request.backend, info.choice) << info.name;
  }
}

TEST(Registry, AutomaticIsTheCpu) {
  for (const bool large : {false, true}) {
    EXPECT_EQ(make_backend({BackendChoice::automatic, 1, large})->name(), "cpu");
    EXPECT_EQ(make_backend({BackendChoice::cpu, 1, large})->name(), "cpu");
    EXPECT_EQ(make_backend({BackendChoice::reference, 1, large})->name(), "reference");
  }
}

TEST(Registry, CoreByItselfHasNoGpu) {
  try {
    make_backend({BackendChoice::gpu, 1, false});
    FAIL() << "core knows no OpenGL";
  } catch (const BackendError& error) {
    EXPECT_STREQ(error.what(), "This build has no GPU backend.");
  }
}

}  // namespace
}  // namespace headscope
