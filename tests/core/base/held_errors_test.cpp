#include "core/base/held_errors.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "core/base/memory_failures.h"

namespace headscope {
namespace {

void write_error(std::string_view words) {
  ASSERT_EQ(::write(STDERR_FILENO, words.data(), words.size()), std::ssize(words));
}

TEST(HeldErrors, WhatIsWrittenComesAfterwards) {
  testing::internal::CaptureStderr();
  {
    const HeldErrors held;
    write_error("from a library\n");
  }
  write_error("later\n");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "from a library\nlater\n");
}

}  // namespace
}  // namespace headscope
