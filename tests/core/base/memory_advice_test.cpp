#include "core/base/memory_advice.h"

#include <gtest/gtest.h>

#include <string>

namespace headscope {
namespace {

TEST(MemoryAdvice, IsAboutWeightsWhereALargeFileIsInUse) {
  note_large_file("/a/tokens.txt", 12);
  EXPECT_STREQ(large_file_in_use(), "");
  EXPECT_NE(std::string(memory_advice()).find("shorter phrase"), std::string::npos);
  note_large_file("/a/layer.safetensors", 48'000'000'000);
  note_large_file("/a/config.json", 400);
  EXPECT_STREQ(large_file_in_use(), "/a/layer.safetensors");
  const std::string advice = memory_advice();
  EXPECT_EQ(advice.find("phrase"), std::string::npos) << advice;
  EXPECT_NE(advice.find("bfloat16"), std::string::npos) << advice;
  note_large_file(std::string(5000, 'x'), 2'000'000'000);
  EXPECT_EQ(std::string(large_file_in_use()), std::string(1000, 'x'));
}

}  // namespace
}  // namespace headscope
