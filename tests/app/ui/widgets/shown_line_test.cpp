// Lines of scripts that run from right to left or change with their neighbours: carets, selections, the mouse, and what
// is drawn of them. Holds with any fonts: what no font has is a box, and stands in the same order.
#include "app/ui/widgets/shown_line.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "app/ui/font_atlas.h"
#include "app/ui/imgui_compat.h"
#include "app/ui/widgets/font_role.h"
#include "app/ui/widgets/text_places.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/utf8.h"
#include "core/picture/text/text_fonts.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

constexpr Type kType = Type::words16;
const std::string kHebrew = "\u05d0\u05d1\u05d2", kBeh = "\u0628";
const std::string kMixed = "ab " + kHebrew + " 12 \u05d3 (c) e\u0301";

// A frame with nothing in it but what the test draws.
class ShownLineTest : public testing::Test {
 protected:
  ShownLineTest() : session_(make_inline_executor(), [] {}, {}) {
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
    build(1, "");
  }
  ~ShownLineTest() override { ImGui::DestroyContext(); }

  void build(float scale, const std::string& text) {
    fonts_ = build_fonts(scale, text);
    compat::upload_fonts_nowhere();
  }

  void frame(const std::function<void(Ui&)>& draw) {
    ImGui::GetIO().DisplaySize = {800, 600};
    ImGui::GetIO().DeltaTime = 1.0f / 60;
    ImGui::NewFrame();
    Ui ui{.session = session_,
          .settings = settings_,
          .textures = textures_,
          .state = state_,
          .fonts = fonts_,
          .colors = palette(Theme::dark),
          .scale = fonts_.scale,
          .input = {},
          .commands = {},
          .get_clipboard = {},
          .set_clipboard = {},
          .say = {},
          .play = {}};
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize({800, 600});
    ImGui::Begin("all", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoInputs);
    draw(ui);
    ImGui::End();
    ImGui::Render();
    compat::upload_textures_nowhere();
  }

  Session session_;
  Settings settings_;
  NullTextures textures_;
  UiState state_;
  Fonts fonts_;
};

TEST_F(ShownLineTest, EveryPlaceOfTheCaretIsFoundAgainByTheMouse) {
  frame([](Ui& ui) {
    for (const std::string& s : {kMixed, kHebrew, "x" + kHebrew, kHebrew + "x", kBeh + kBeh + " \u0661\u0662"}) {
      const auto line = shown_line(ui, kType, s);
      EXPECT_FLOAT_EQ(text_width(ui, kType, s), line->width);
      for (const ShownGrapheme& grapheme : line->graphemes) {
        const float quarter = (grapheme.right - grapheme.left) / 4;
        const std::size_t at_left = grapheme.right_to_left ? grapheme.end : grapheme.begin;
        EXPECT_EQ(byte_at(ui, kType, s, grapheme.left + quarter), at_left) << s;
        EXPECT_EQ(byte_at(ui, kType, s, grapheme.right - quarter),
                  at_left == grapheme.begin ? grapheme.end : grapheme.begin);
        EXPECT_FLOAT_EQ(caret_place(ui, kType, s, grapheme.begin),
                        grapheme.right_to_left ? grapheme.right : grapheme.left);
      }
    }
  });
}

TEST_F(ShownLineTest, TheCaretBehindTheTextStandsWhereItWouldGoOn) {
  frame([](Ui& ui) {
    EXPECT_FLOAT_EQ(caret_place(ui, kType, kHebrew, 0), text_width(ui, kType, kHebrew));
    EXPECT_FLOAT_EQ(caret_place(ui, kType, kHebrew, kHebrew.size()), 0);
    const std::string ends_left = "ab " + kHebrew;
    EXPECT_NEAR(caret_place(ui, kType, ends_left, ends_left.size()), text_width(ui, kType, "ab "), 0.01f);
    EXPECT_FLOAT_EQ(caret_place(ui, kType, kMixed, kMixed.size()), text_width(ui, kType, kMixed));
    EXPECT_EQ(caret_place(ui, kType, "", 0), 0);
  });
}

TEST_F(ShownLineTest, ASelectionOverAChangeOfDirectionIsTwoStretches) {
  frame([](Ui& ui) {
    const std::string s = "ab " + kHebrew + " cd";
    const float width = text_width(ui, kType, s);
    const std::vector<Stretch> all = stretches_of(ui, kType, s, 0, s.size());
    ASSERT_EQ(all.size(), 1U);
    EXPECT_FLOAT_EQ(all[0].from, 0);
    EXPECT_FLOAT_EQ(all[0].to, width);
    // "b ", and alef, which stands at the right of the three.
    const std::vector<Stretch> two = stretches_of(ui, kType, s, 1, 5);
    ASSERT_EQ(two.size(), 2U);
    EXPECT_NEAR(two[0].to, text_width(ui, kType, "ab "), 0.01f);
    EXPECT_FLOAT_EQ(two[1].to, caret_place(ui, kType, s, 3));
    EXPECT_LT(two[0].to, two[1].from);
    EXPECT_TRUE(stretches_of(ui, kType, s, 4, 4).empty());
  });
}

TEST_F(ShownLineTest, NothingIsShapedAgainForWhatTheLastFrameShowed) {
  std::shared_ptr<ShownLine> first;
  std::size_t lines = 0;
  for (int k = 0; k < 3; ++k) {
    frame([&](Ui& ui) {
      text(ui, {10, 10}, kType, ui.colors.text, kMixed);
      const auto line = shown_line(ui, kType, kMixed);
      if (k == 0) first = line;
      EXPECT_EQ(line, first);
      const ShownLines& known = *ui.state.panels.find<ShownLines>();
      if (k == 0) lines = known.lines.size();
      EXPECT_EQ(known.lines.size(), lines);
    });
  }
  // Another scale is another atlas.
  build(2, "");
  frame([&](Ui& ui) {
    EXPECT_NE(shown_line(ui, kType, kMixed), first);
    EXPECT_GT(shown_line(ui, kType, kMixed)->width, 1.5f * first->width);
  });
}

TEST_F(ShownLineTest, OnlyWhatCanBeSeenOfALongLineBecomesPictures) {
  std::string s;
  for (int k = 0; k < 100000; ++k) s += kBeh;
  frame([&](Ui& ui) {
    text(ui, {-5000, 10}, kType, ui.colors.text, s);
    EXPECT_LE(shown_line(ui, kType, s)->pictures.size(), 8U);
    text(ui, {1e6f, 10}, kType, ui.colors.text, s);
    text_up(ui, {100, 500}, kType, ui.colors.text, s);
    EXPECT_LE(shown_line(ui, kType, s)->pictures.size(), 40U);
    const std::string cut = cut_to_width(ui, kType, s, 100);
    EXPECT_LE(text_width(ui, kType, cut), 100);
    EXPECT_TRUE(cut.ends_with("\u2026"));
  });
}

std::size_t bytes_of_pictures(const ShownLines& known) {
  std::size_t bytes = 0;
  for (const auto& [key, line] : known.lines) {
    for (const auto& [part, picture] : line->pictures) bytes += picture.white.pixels.size() * sizeof(Rgba);
  }
  return bytes;
}

TEST_F(ShownLineTest, LinesThatAreNotShownAnyMoreAreForgotten) {
  std::string s;
  for (int k = 0; k < 200; ++k) s += kBeh;
  std::size_t most = 0, drawn = 0, last = 0;
  for (int k = 0; k < 300; ++k) {
    frame([&](Ui& ui) {
      for (int line = 0; line < 2; ++line) {
        const std::string shown = std::to_string(2 * k + line) + s;
        text(ui, {10, 10 + 30 * static_cast<float>(line)}, kType, ui.colors.text, shown);
      }
      const ShownLines& known = *ui.state.panels.find<ShownLines>();
      EXPECT_GE(known.bytes, bytes_of_pictures(known));
      most = std::max(most, known.bytes);
      if (known.bytes > last) drawn += known.bytes - last;
      last = known.bytes;
    });
  }
  EXPECT_GT(drawn, kMostShownBytes) << "as many lines that nothing may be forgotten";
  EXPECT_LE(most, kMostShownBytes + (std::size_t{1} << 20)) << "and what one frame shows";
}

TEST_F(ShownLineTest, PicturesOfCharactersAreForgottenWhenTheyHoldTooMuch) {
  if (fallback_font_file(0x4E00, font_role(kType)).path.empty()) GTEST_SKIP() << "no font has Chinese characters";
  std::size_t most = 0, drawn = 0, last = 0;
  build(4, "");
  frame([&](Ui& ui) {
    for (std::uint32_t c = 0x4E00; c < 0x4E00 + 1000; ++c) {
      std::string s;
      append_utf8(s, c);
      text(ui, {10, 10}, kType, ui.colors.text, s);
      most = std::max(most, ui.state.glyph_bytes);
      if (ui.state.glyph_bytes > last) drawn += ui.state.glyph_bytes - last;
      last = ui.state.glyph_bytes;
    }
    std::size_t bytes = 0;
    for (const auto& [of, picture] : ui.state.glyphs) bytes += picture.white.pixels.size() * sizeof(Rgba);
    EXPECT_EQ(bytes, ui.state.glyph_bytes);
  });
  EXPECT_GT(drawn, kMostGlyphBytes);
  EXPECT_LE(most, kMostGlyphBytes + (std::size_t{1} << 16));
}

TEST_F(ShownLineTest, BrokenTextHarmsNothing) {
  for (const std::string& s :
       {std::string("\u05d0\xff\xd7"), std::string("\u2067\u05d0\n\t\x01(\u202e"), std::string("\u0301"),
        std::string("\u05d0\0b", 4), std::string("\u200d\u200d\u0915\u094d")}) {
    frame([&](Ui& ui) {
      text(ui, {10, 10}, kType, ui.colors.text, s);
      text_in(ui, {{0, 0}, {20, 20}}, kType, ui.colors.text, s);
      for (std::size_t at = 0; at <= s.size(); ++at) {
        const float x = caret_place(ui, kType, s, at);
        EXPECT_GE(x, 0);
        EXPECT_LE(x, text_width(ui, kType, s) + 0.01f);
      }
      for (float x = -5; x < 100; x += 3) EXPECT_LE(byte_at(ui, kType, s, x), s.size());
    });
  }
}

TEST(RightToLeftField, ArrowsGoWhereTheyPointAndTypingGoesOnInTheText) {
  Driver d;
  d.ctrl(KeyName::a);
  d.type(kHebrew);
  const auto caret = [&] { return d.state.edits["phrase"].caret; };
  EXPECT_EQ(caret(), 6U);
  d.key(KeyName::right);
  EXPECT_EQ(caret(), 4U);
  d.key(KeyName::left);
  d.key(KeyName::left);
  EXPECT_EQ(caret(), 6U) << "the text ends at the left";
  d.key(KeyName::home);
  EXPECT_EQ(caret(), 0U);
  d.key(KeyName::left, false, true);
  d.key(KeyName::del);
  EXPECT_EQ(d.session.draft.phrase, "\u05d1\u05d2");
  d.type("x");
  EXPECT_EQ(d.session.draft.phrase, "x\u05d1\u05d2");
}

TEST(RightToLeftField, AClickSetsTheCaretBetweenTheLettersThatAreSeenThere) {
  Driver d;
  d.ctrl(KeyName::a);
  d.type(kHebrew + kHebrew);
  d.click("phrase", 0.9f);  // behind the line: the right edge of its first letter
  EXPECT_EQ(d.state.edits["phrase"].caret, 0U);
}

}  // namespace
}  // namespace headscope::ui
