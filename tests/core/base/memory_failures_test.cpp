#include "core/base/memory_failures.h"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
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

TEST(MemoryFailures, AreSaidInWords) {
  EXPECT_EQ(failure_words(std::bad_alloc()), "There is not enough memory for this.");
  EXPECT_EQ(failure_words(std::bad_array_new_length()), "There is not enough memory for this.");
  EXPECT_EQ(failure_words(std::runtime_error("no such file")), "no such file");
}

TEST(MemoryFailuresOfALongProgram, AreForgottenWhenTheUserWasTold) {
  note_failed_allocation();
  EXPECT_THROW(check_memory(), std::bad_alloc);
  forget_failed_allocations();
  EXPECT_NO_THROW(check_memory());
  note_failed_allocation();
  EXPECT_THROW(check_memory(), std::bad_alloc) << "a new one counts";
  forget_failed_allocations();
}

TEST(MemoryFailuresOfALongProgram, WorkUnderWayForgetsNone) {
  {
    const MemoryWatch watch;
    EXPECT_NO_THROW(check_memory());
    note_failed_allocation();
    forget_failed_allocations();
    EXPECT_THROW(check_memory(), std::bad_alloc) << "its result may lack something";
  }
  EXPECT_NO_THROW(check_memory());
}

}  // namespace
}  // namespace headscope
