// Lines of code cut into pieces of one colour.
#include "app/ui/script/code_pieces.h"

#include <gtest/gtest.h>

#include <string>

namespace headscope::ui {
namespace {

// The line with a letter a byte: k keyword, t text, n number, c comment, h heading, '.' plain.
std::string kinds(std::string_view line, ScriptLanguage language) {
  std::string result;
  for (const CodePiece& piece : code_pieces(line, language)) {
    EXPECT_EQ(piece.begin, result.size()) << "no gaps: " << line;
    result.append(piece.end - piece.begin, ".ktnch"[static_cast<std::size_t>(piece.kind)]);
  }
  EXPECT_EQ(result.size(), line.size()) << line;
  return result;
}

TEST(CodePieces, OfPython) {
  const auto of = [](std::string_view line) { return kinds(line, ScriptLanguage::pytorch); };
  EXPECT_EQ(of(""), "");
  EXPECT_EQ(of("import math"), "kkkkkk.....");
  EXPECT_EQ(of("x1 = 1e-5 + .5"), ".....nnnn....n");
  EXPECT_EQ(of("f('a # b', in_2)  # in"), "..ttttttt.........cccc");
  EXPECT_EQ(of("print(f\"{x}\")"), "......tttttt.");
  EXPECT_EQ(of("\"\"\"It's 'in'.\"\"\""), std::string(16, 't'));
  EXPECT_EQ(of("'a\\'b' or 2"), "tttttt.kk.n");
  EXPECT_EQ(of("# ---- mask"), std::string(11, 'h'));
  EXPECT_EQ(of("'open"), "ttttt");
}

TEST(CodePieces, OfLatex) {
  const auto of = [](std::string_view line) { return kinds(line, ScriptLanguage::latex); };
  EXPECT_EQ(of("\\begin{align*}"), "kkkkkk........");
  EXPECT_EQ(of("  q &= 2 \\\\* % x"), ".......n.kk..ccc");
  EXPECT_EQ(of("with $W_{qkv}$."), ".....ttttttttt.");
  EXPECT_EQ(of("qkv\\_split"), "...kk.....");
  EXPECT_EQ(of("% ---- input"), std::string(12, 'h'));
}

}  // namespace
}  // namespace headscope::ui
