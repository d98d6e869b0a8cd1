#include "core/io/sha256.h"

#include <gtest/gtest.h>

namespace headscope {
namespace {

// Examples of FIPS 180-4's companion, "SHA_All".
TEST(Sha256, IsWhatTheStandardSays) {
  Sha256 nothing;
  EXPECT_EQ(nothing.hex(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  Sha256 abc;
  abc.add("a");
  abc.add("bc");
  EXPECT_EQ(abc.hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(short_sha256("abc"), 0xba7816bf8f01cfeaU);
}

TEST(Sha256, TakesNumbersLowestByteFirst) {
  Sha256 number, bytes;
  number.add_u32(0x64636261);
  bytes.add("abcd");
  EXPECT_EQ(number.hex(), bytes.hex());
}

}  // namespace
}  // namespace headscope
