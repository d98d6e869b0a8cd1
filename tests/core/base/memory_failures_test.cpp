#include "core/base/memory_failures.h"

#include <gtest/gtest.h>

#include <new>
#include <string>

namespace headscope {
namespace {

TEST(MemoryFailures, TheFileInWorkIsTheLastOneAndIsCut) {
  note_file_in_work("/a/model.safetensors");
  EXPECT_STREQ(file_in_work(), "/a/model.safetensors");
  note_file_in_work(std::string(5000, 'x'));
  EXPECT_EQ(std::string(file_in_work()), std::string(1000, 'x'));
  note_file_in_work("");
  EXPECT_STREQ(file_in_work(), "");
}

TEST(MemoryFailures, WithoutAGuardNothingIsCounted) {
  EXPECT_EQ(failed_allocations(), 0U);
  EXPECT_NO_THROW(check_memory());
}

}  // namespace
}  // namespace headscope
