#include "core/base/error.h"

#include <gtest/gtest.h>

#include <string>

namespace headscope {
namespace {

TEST(UsageError, NamesTheOptionWhatWasFoundAndWhatWasExpected) {
  const UsageError error("mask-order", "'soon' is not a known value", "after-scale or before-scale");
  EXPECT_STREQ(error.what(), "--mask-order: 'soon' is not a known value; expected after-scale or before-scale");
  EXPECT_EQ(error.option(), "mask-order");
  EXPECT_EQ(error.found(), "'soon' is not a known value");
  EXPECT_EQ(error.expected(), "after-scale or before-scale");
  EXPECT_EQ(error.advice(), "");
  EXPECT_EQ(error.reason(), "'soon' is not a known value; expected after-scale or before-scale");
}

TEST(UsageError, LeavesOutThePartsThatAreEmpty) {
  const UsageError found("head", "9 asked for, the heads are 0 to 3");
  EXPECT_STREQ(found.what(), "--head: 9 asked for, the heads are 0 to 3");
  EXPECT_EQ(found.reason(), "9 asked for, the heads are 0 to 3");
  EXPECT_EQ(found.expected(), "");
  const UsageError sentence("two shapes disagree");
  EXPECT_STREQ(sentence.what(), "two shapes disagree");
  EXPECT_EQ(sentence.option(), "");
  EXPECT_EQ(sentence.reason(), "two shapes disagree");
}

TEST(UsageError, SaysAtTheEndWhatToDo) {
  const UsageError error("", "the input would be 90 GiB", "at most 64 GiB", "Make --batch smaller");
  EXPECT_STREQ(error.what(), "the input would be 90 GiB; expected at most 64 GiB. Make --batch smaller");
  EXPECT_EQ(error.mismatch(), "the input would be 90 GiB; expected at most 64 GiB");
  EXPECT_EQ(error.advice(), "Make --batch smaller");
  EXPECT_STREQ(UsageError("a", "b", "", "c").what(), "--a: b. c");
}

// A path or a value may hold what stands between the parts.
TEST(UsageError, IsNeverReadBackFromItsSentence) {
  const UsageError error("mask", "--x: y. z; expected 1.npy is 2-D", "one: or. more");
  EXPECT_EQ(error.option(), "mask");
  EXPECT_EQ(error.found(), "--x: y. z; expected 1.npy is 2-D");
  EXPECT_EQ(error.mismatch(), "--x: y. z; expected 1.npy is 2-D; expected one: or. more");
  EXPECT_STREQ(error.what(), "--mask: --x: y. z; expected 1.npy is 2-D; expected one: or. more");
}

TEST(UsageError, KeepsItsPartsWhenItIsThrown) {
  try {
    throw UsageError("heads", "7 does not divide 512", "a divisor");
  } catch (const std::runtime_error& error) {
    const auto* const usage = dynamic_cast<const UsageError*>(&error);
    ASSERT_NE(usage, nullptr);
    EXPECT_EQ(usage->option(), "heads");
  }
}

}  // namespace
}  // namespace headscope
