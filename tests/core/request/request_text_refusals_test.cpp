// Values of options that are refused: what the sentence says.
#include <gtest/gtest.h>

#include "core/request/request_text.h"
#include "tests/core/io/io_helpers.h"
#include "tests/core/request/set_option.h"

namespace headscope {
namespace {

using namespace test;

TEST(RequestText, ARefusalNamesOptionFoundAndExpected) {
  EXPECT_EQ(refused("mask", "cusal"),
            "--mask: 'cusal' is not a mask; expected none, causal, padding:N, window:W, prefix:P, alibi or a .npy or "
            ".csv file");
  EXPECT_EQ(refused("merge", "concat"), "--merge: 'concat' is not a known value; expected transpose or direct");
  EXPECT_EQ(refused("heads", "7.5"), "--heads: '7.5' is not a possible number of heads; expected 1 to 65536");
  EXPECT_EQ(refused("heads", "0"), "--heads: '0' is not a possible number of heads; expected 1 to 65536");
  EXPECT_EQ(refused("layer", "-1"), "--layer: '-1' is not a possible layer; expected 0 or more");
  EXPECT_EQ(refused("threads", "4000"), "--threads: '4000' is not a possible number of threads; expected 0 to 1024");
  EXPECT_EQ(refused("batch", "x"), "--batch: 'x' is not a possible number of sequences; expected 1 to 65536");
  EXPECT_EQ(refused("groups", "word"), "--groups: 'word' is not a known value; expected words or pieces");
  for (const char* share : {"0", "-0.1", "1.01", "nan", "inf", "half", ""}) {
    EXPECT_TRUE(contains(refused("top-p", share), "--top-p: '")) << share;
    EXPECT_TRUE(contains(refused("top-p", share), "above 0, at most 1")) << share;
  }
  EXPECT_EQ(refused("renormalise", "yes"), "--renormalise: 'yes' is not on or off; expected on or off");
  EXPECT_EQ(refused("seed", "-1"), "--seed: '-1' is not a seed; expected a whole number, 0 to 18446744073709551615");
}

TEST(RequestText, ARefusalCarriesItsOption) {
  for (const RequestOption& option : request_options()) {
    SCOPED_TRACE(option.name);
    Request request;
    try {
      option.set(request, std::string("\0", 1));
      ADD_FAILURE() << "a NUL was taken";
    } catch (const UsageError& error) {
      EXPECT_EQ(error.option(), option.name);
      EXPECT_EQ(std::string(error.what()), std::string("--") + option.name + ": " + error.reason());
    }
  }
}

TEST(RequestText, TextThatIsNoUtf8OrHoldsANulIsRefused) {
  EXPECT_TRUE(contains(refused("phrase", "a\xff"), "byte 1 (0xFF)"));
  EXPECT_TRUE(contains(refused("key-phrase", "\xed\xa0\x80"), "UTF-8"));
  EXPECT_TRUE(contains(refused("phrase", std::string("a\0b", 3)), "NUL"));
  EXPECT_TRUE(contains(refused("input", std::string("a\0b", 3)), "NUL"));
  EXPECT_TRUE(contains(refused("input", ""), "--input"));
  EXPECT_EQ(with("input", "caf\xe9.npy").input, "caf\xe9.npy") << "file names are bytes";
}

TEST(RequestText, ALongWrongValueIsShortenedInItsSentence) {
  EXPECT_LT(refused("mask", std::string(100000, 'x')).size(), 300u);
  EXPECT_FALSE(contains(refused("mask", "a\nb"), "\n"));
}

TEST(RequestText, UnknownOptionsAreNotFound) {
  EXPECT_EQ(find_request_option("head"), nullptr);
  EXPECT_EQ(find_request_option(""), nullptr);
  EXPECT_EQ(find_request_option("mask_order"), nullptr);
}

}  // namespace
}  // namespace headscope
