// Places of the parts of a formula: baselines, sizes, nothing over anything else.
#include "core/picture/text/formula_layout.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace headscope {
namespace {

// Every letter is half as wide as its size.
FormulaFonts square_fonts() {
  FormulaFonts fonts;
  fonts.width = [](FormulaType type, std::string_view text) {
    return formula_size(type) * 0.5 * static_cast<double>(text.size());
  };
  fonts.ascent = [](FormulaType type) { return formula_size(type) * 0.8; };
  fonts.descent = [](FormulaType type) { return formula_size(type) * 0.2; };
  return fonts;
}

FormulaLayout laid_out(const FormulaNode& node) {
  return formula_layout(node, square_fonts());
}

const FormulaGlyphs& glyphs_of(const FormulaLayout& layout, const std::string& text) {
  for (const FormulaGlyphs& glyphs : layout.glyphs) {
    if (glyphs.text == text) return glyphs;
  }
  ADD_FAILURE() << "no " << text;
  return layout.glyphs.front();
}

FormulaRect rect_of(const FormulaGlyphs& glyphs) {
  const FormulaFonts fonts = square_fonts();
  const double ascent = fonts.ascent(glyphs.type);
  return {glyphs.x, glyphs.baseline - ascent, fonts.width(glyphs.type, glyphs.text),
          ascent + fonts.descent(glyphs.type)};
}

bool overlap(const FormulaRect& a, const FormulaRect& b) {
  constexpr double kTouch = 1e-9;
  return a.x + a.width > b.x + kTouch && b.x + b.width > a.x + kTouch && a.y + a.height > b.y + kTouch &&
         b.y + b.height > a.y + kTouch;
}

// Everything lies inside, and no letters lie on each other.
void expect_sound(const FormulaLayout& layout) {
  for (std::size_t a = 0; a < layout.glyphs.size(); ++a) {
    const FormulaRect place = rect_of(layout.glyphs[a]);
    EXPECT_GE(place.x, -1e-9) << layout.glyphs[a].text;
    EXPECT_GE(place.y, -1e-9) << layout.glyphs[a].text;
    EXPECT_LE(place.x + place.width, layout.width + 1e-9) << layout.glyphs[a].text;
    EXPECT_LE(place.y + place.height, layout.height + 1e-9) << layout.glyphs[a].text;
    for (std::size_t b = a + 1; b < layout.glyphs.size(); ++b) {
      const bool lowered = layout.glyphs[a].type == FormulaType::script || layout.glyphs[b].type == FormulaType::script;
      if (!lowered) {
        EXPECT_FALSE(overlap(place, rect_of(layout.glyphs[b])))
            << layout.glyphs[a].text << " and " << layout.glyphs[b].text;
      }
    }
  }
}

FormulaNode letters(const char* text) {
  return text_node(text);
}

TEST(FormulaLayout, ARowSharesOneBaseline) {
  const FormulaLayout layout = laid_out(row_node({letters("ab"), text_node("c", FormulaType::big)}));
  EXPECT_DOUBLE_EQ(layout.glyphs[0].baseline, layout.glyphs[1].baseline);
  EXPECT_DOUBLE_EQ(layout.glyphs[0].baseline, layout.baseline);
  EXPECT_DOUBLE_EQ(layout.glyphs[1].x, 13);
  EXPECT_DOUBLE_EQ(layout.width, 13 + 8);
  EXPECT_DOUBLE_EQ(layout.height, 16) << "the largest letter decides";
}

TEST(FormulaLayout, AFractionHasItsPartsAboveAndBelowItsBarInTheMiddle) {
  const FormulaLayout layout = laid_out(row_node({letters("x"), fraction_node(letters("a"), letters("long"))}));
  expect_sound(layout);
  ASSERT_EQ(layout.bars.size(), 1U);
  const FormulaRect bar = layout.bars.front();
  const FormulaRect above = rect_of(glyphs_of(layout, "a")), below = rect_of(glyphs_of(layout, "long"));
  EXPECT_LT(above.y + above.height, bar.y);
  EXPECT_GT(below.y, bar.y + bar.height);
  EXPECT_DOUBLE_EQ(above.x + above.width / 2, bar.x + bar.width / 2);
  EXPECT_DOUBLE_EQ(below.x + below.width / 2, bar.x + bar.width / 2);
  EXPECT_LT(bar.y, layout.baseline) << "the bar is at the height of a minus";
  EXPECT_DOUBLE_EQ(glyphs_of(layout, "x").baseline, layout.baseline);
}

TEST(FormulaLayout, AnIndexStandsLowerBehindItsLetter) {
  const FormulaLayout layout = laid_out(scripts_node(letters("w"), text_node("2,7", FormulaType::script)));
  const FormulaGlyphs base = glyphs_of(layout, "w"), lowered = glyphs_of(layout, "2,7");
  EXPECT_GT(lowered.baseline, base.baseline);
  EXPECT_GE(lowered.x, base.x + 6.5);
  expect_sound(layout);
}

TEST(FormulaLayout, ASumHasItsBoundsBelowAndAbove) {
  const FormulaLayout layout = laid_out(
      row_node({sum_node(text_node("j=0", FormulaType::script), text_node("66", FormulaType::script)), letters("a")}));
  const FormulaGlyphs sign = glyphs_of(layout, "Σ");
  EXPECT_GT(glyphs_of(layout, "j=0").baseline, sign.baseline);
  EXPECT_LT(glyphs_of(layout, "66").baseline, sign.baseline);
  EXPECT_DOUBLE_EQ(glyphs_of(layout, "a").baseline, sign.baseline);
  const FormulaRect below = rect_of(glyphs_of(layout, "j=0"));
  EXPECT_FALSE(overlap(below, rect_of(sign)));
  EXPECT_GE(glyphs_of(layout, "a").x, below.x + below.width);
}

TEST(FormulaLayout, ARootCoversWhatIsUnderIt) {
  const FormulaLayout layout = laid_out(root_node(letters("64")));
  ASSERT_EQ(layout.bars.size(), 1U);
  const FormulaRect inside = rect_of(glyphs_of(layout, "64"));
  EXPECT_LE(layout.bars[0].x, inside.x);
  EXPECT_GE(layout.bars[0].x + layout.bars[0].width, inside.x + inside.width);
  EXPECT_LE(layout.bars[0].y + layout.bars[0].height, inside.y + 1e-9);
}

TEST(FormulaLayout, BracketsAroundAFractionAreAsHighAsIt) {
  const FormulaLayout plain = laid_out(fraction_node(letters("a"), letters("b")));
  const FormulaLayout layout = laid_out(brackets_node(fraction_node(letters("a"), letters("b"))));
  EXPECT_DOUBLE_EQ(layout.height, plain.height);
  EXPECT_EQ(layout.bars.size(), 7U) << "three strokes a side, and the fraction's bar";
  EXPECT_EQ(laid_out(brackets_node(letters("a"))).glyphs.size(), 3U) << "low ones are letters";
}

TEST(FormulaLayout, CasesStandBelowEachOther) {
  const FormulaLayout layout = laid_out(row_node(
      {letters("m"), cases_node({{letters("score"), letters("visible")}, {letters("fill"), letters("hidden")}})}));
  expect_sound(layout);
  EXPECT_DOUBLE_EQ(glyphs_of(layout, "score").x, glyphs_of(layout, "fill").x);
  EXPECT_DOUBLE_EQ(glyphs_of(layout, "visible").x, glyphs_of(layout, "hidden").x);
  EXPECT_DOUBLE_EQ(glyphs_of(layout, "score").baseline, glyphs_of(layout, "visible").baseline);
  EXPECT_LT(glyphs_of(layout, "score").baseline, glyphs_of(layout, "fill").baseline);
}

TEST(FormulaLayout, ATermIsWhereItsPartIs) {
  const FormulaLayout layout =
      laid_out(row_node({letters("a"), of_term("outer", row_node({letters("b"), of_term("inner", letters("c"))}))}));
  ASSERT_EQ(layout.terms.size(), 2U);
  EXPECT_EQ(layout.terms[0].term, "outer") << "outer ones come first";
  const FormulaRect inner = rect_of(glyphs_of(layout, "c"));
  EXPECT_DOUBLE_EQ(layout.terms[1].place.x, inner.x);
  EXPECT_DOUBLE_EQ(layout.terms[1].place.y, inner.y);
  EXPECT_DOUBLE_EQ(layout.terms[1].place.width, inner.width);
  EXPECT_DOUBLE_EQ(layout.terms[0].place.width, 13);
}

TEST(FormulaLayout, BreaksBeforeAnEqualsSignWhereItIsTooWide) {
  const Formula formula{letters("left"), {letters("right"), letters("number")}, {}};
  const FormulaLayout one = formula_layout(formula, square_fonts(), 1000);
  const FormulaLayout two = formula_layout(formula, square_fonts(), 100);
  EXPECT_DOUBLE_EQ(glyphs_of(one, "number").baseline, glyphs_of(one, "left").baseline);
  EXPECT_GT(glyphs_of(two, "number").baseline, glyphs_of(two, "left").baseline);
  EXPECT_GT(two.height, one.height);
  EXPECT_LT(two.width, one.width);
  expect_sound(one);
  expect_sound(two);
}

}  // namespace
}  // namespace headscope
