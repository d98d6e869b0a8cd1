#include "core/base/file_name.h"

#include <gtest/gtest.h>

namespace headscope {
namespace {

TEST(HasEnding, ComparesLettersWithoutCase) {
  EXPECT_TRUE(has_ending("a.npy", ".npy"));
  EXPECT_TRUE(has_ending("/x/B.NpY", ".npy"));
  EXPECT_FALSE(has_ending("a.npz", ".npy"));
  EXPECT_FALSE(has_ending("a.npy.txt", ".npy"));
}

TEST(HasEnding, WantsANameBeforeTheEnding) {
  EXPECT_FALSE(has_ending(".npy", ".npy"));
  EXPECT_FALSE(has_ending("npy", ".npy"));
  EXPECT_FALSE(has_ending("", ".npy"));
}

}  // namespace
}  // namespace headscope
