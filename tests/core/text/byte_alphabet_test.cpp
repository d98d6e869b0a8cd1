// What is said of tokens that are bytes of a character.
#include "core/text/byte_alphabet.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headscope {
namespace {

TEST(ByteWords, SayWhichByteOfWhichCharacter) {
  const std::vector<std::string> text = {"Ni", "<0xC3>", "<0xB1>", "<0xF0>", "<0x9F>", "<0x98>", "<0x80>", "o"};
  const std::vector<std::string> said = {"",
                                         "byte 1 of 2 of \u00f1",
                                         "byte 2 of 2 of \u00f1",
                                         "byte 1 of 4 of \U0001F600",
                                         "byte 2 of 4 of \U0001F600",
                                         "byte 3 of 4 of \U0001F600",
                                         "byte 4 of 4 of \U0001F600",
                                         ""};
  for (std::size_t at = 0; at < text.size(); ++at) EXPECT_EQ(byte_words(text, at), said[at]) << at;
  EXPECT_EQ(byte_words(text, text.size()), "");
}

TEST(ByteWords, AreNotSaidOfBytesThatMakeNoCharacter) {
  const std::vector<std::string> text = {"<0xC3>", "a", "<0xB1>", "<0xFF>", "<0x41>", "<0xC3>"};
  for (std::size_t at = 0; at < text.size(); ++at) EXPECT_EQ(byte_words(text, at), "") << at;
}

}  // namespace
}  // namespace headscope
