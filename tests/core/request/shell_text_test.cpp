// Requests as lines that a shell reads back.
#include <gtest/gtest.h>

#include "core/request/request_text.h"
#include "tests/core/io/io_helpers.h"

namespace headscope {
namespace {

using namespace test;

TEST(ShellText, WordsAreQuotedOnlyWhereTheyMustBe) {
  EXPECT_EQ(shell_quoted("causal,padding:2"), "causal,padding:2");
  EXPECT_EQ(shell_quoted(""), "''");
  EXPECT_EQ(shell_quoted("a b"), "'a b'");
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quoted("$HOME `x` \\ ! ~"), "'$HOME `x` \\ ! ~'");
  EXPECT_EQ(shell_quoted("two\nlines"), "'two\nlines'");
  EXPECT_EQ(shell_quoted("caf\xc3\xa9"), "'caf\xc3\xa9'");
}

TEST(ShellText, AShellReadsEveryLineBackAsItWas) {
  for (const std::string phrase : {"a b", "it's", "\"$HOME\" `id` $(id) \\n", "two\nlines\n", "'", "''", "!!", "*?[a]",
                                   "~", "-x", "a;b&c|d>e<f#g", "\t tab ", "\xf0\x9f\x98\x80"}) {
    Request request;
    request.phrase = phrase;
    request.mask_fill = -1e20;
    const IoFolder folder;
    // printf puts a NUL after every word that the shell made of the line.
    const std::string line = shell_command_of(request, "printf '%s\\0'");
    write_bytes(folder.file("line.sh"), line + " > '" + folder.file("out") + "'\n");
    ASSERT_EQ(std::system(("/bin/sh '" + folder.file("line.sh") + "'").c_str()), 0) << line;
    EXPECT_EQ(read_bytes(folder.file("out")),
              std::string("--phrase\0", 9) + phrase + std::string("\0--mask-fill\0-1e+20\0", 20));
  }
}

}  // namespace
}  // namespace headscope
