#include <gtest/gtest.h>

#include <string>

#include "core/backend/backend.h"
#include "core/error.h"

namespace headscope {
namespace {

TEST(Registry, MakesWhatItSaysIsSupportedAndRefusesTheRestWithTheReason) {
  for (const BackendInfo& info : backends()) {
    if (info.supported) {
      EXPECT_NE(make_backend(info.choice, 1), nullptr) << info.name;
      continue;
    }
    try {
      make_backend(info.choice, 1);
      FAIL() << info.name << " was made";
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find(info.why_not), std::string::npos);
      EXPECT_NE(std::string(error.what()).find(info.name), std::string::npos);
    }
  }
}

TEST(Registry, AutomaticIsTheCpu) {
  EXPECT_EQ(make_backend(BackendChoice::automatic, 1)->name(), "cpu");
  EXPECT_EQ(make_backend(BackendChoice::cpu, 1)->name(), "cpu");
  EXPECT_EQ(make_backend(BackendChoice::reference, 1)->name(), "reference");
}

}  // namespace
}  // namespace headscope
