// What the engine says of options, as the window says it of its controls.
#include "app/session/control_words.h"

#include <gtest/gtest.h>

#include <string>

namespace headscope {
namespace {

TEST(ControlWords, NameTheControlsAndNotTheOptions) {
  EXPECT_EQ(control_words("--kv-heads: '0' is not a possible number of key and value heads"),
            "kv_heads: '0' is not a possible number of key and value heads");
  EXPECT_EQ(control_words("missing; attention alone needs --query, --key and --value"),
            "missing; attention alone needs query, key and value");
  EXPECT_EQ(control_words("expected \"ro_RO ...\", or --decoder-ids"), "expected \"ro_RO ...\", or decoder_ids");
  EXPECT_EQ(control_words(""), "");
}

TEST(ControlWords, LeaveCommandLinesDashesAndOtherProgramsAlone) {
  for (const char* sentence : {"Without a window: headscope-cli run --phrase 'a b'", "one -- or two", "--",
                               "llama-gguf-split --merge", "a--heads", "a file named x--phrase.txt", "----heads"}) {
    EXPECT_EQ(control_words(sentence), sentence);
  }
}

TEST(ControlWords, AProblemKeepsItsOptionAndItsSuggestions) {
  const Problem said = control_words(
      Problem{"heads", "the file says no number", "Give --heads, or num_heads in it.", {{"8", "heads", "8"}}});
  EXPECT_EQ(said.option, "heads");
  EXPECT_EQ(said.detail, "Give heads, or num_heads in it.");
  EXPECT_EQ(said.suggestions.size(), 1U);
}

}  // namespace
}  // namespace headscope
