// Fonts of the window: the same sizes on every version of Dear ImGui.
#include <gtest/gtest.h>
#include <imgui.h>

#include <cmath>
#include <string>

#include "app/ui/font_atlas.h"
#include "app/ui/imgui_compat.h"
#include "app/ui/widgets/font_role.h"
#include "app/ui/widgets/text_pieces.h"
#include "app/ui/widgets/widgets.h"
#include "core/picture/text/text.h"

namespace headscope::ui {
namespace {

class FontsTest : public testing::TestWithParam<float> {
 protected:
  FontsTest() {
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
    ImGui::GetIO().DisplaySize = {800, 600};
  }
  ~FontsTest() override { ImGui::DestroyContext(); }
};

// Exports measure the same files with FreeType: a label is as wide in the window as in a picture of the same size.
TEST_P(FontsTest, AdvancesAreTheFontsOwn) {
  const Fonts fonts = build_fonts(GetParam(), "");
  compat::upload_fonts_nowhere();
  ImGui::NewFrame();
  for (int i = 0; i < static_cast<int>(Type::count); ++i) {
    const Type type = static_cast<Type>(i);
    if (font_file(font_role(type)).path.empty()) GTEST_SKIP() << "no font is installed";
    const double em = std::max(6.0, std::round(static_cast<double>(em_pixels(type) * GetParam())));
    for (const char* letter : {"0", "i", "m", "W", "."}) {
      const double own = drawn_width(letter, font_role(type), em);
      const double here =
          static_cast<double>(compat::advance(fonts[type], fonts.pixels[i], static_cast<unsigned char>(*letter)));
      EXPECT_NEAR(here, own, 1.0 / 64) << letter << " in type " << i << " at " << em << " pixels";
    }
  }
  ImGui::EndFrame();
}

// The line's height is the font's own too: text_top() places baselines by it.
TEST_P(FontsTest, HeightsAreTheFontsOwn) {
  const Fonts fonts = build_fonts(GetParam(), "");
  compat::upload_fonts_nowhere();
  ImGui::NewFrame();
  for (int i = 0; i < static_cast<int>(Type::count); ++i) {
    if (font_file(font_role(static_cast<Type>(i))).path.empty()) GTEST_SKIP() << "no font is installed";
    EXPECT_NEAR(fonts.pixels[i], fonts.ascent[i] + fonts.descent[i], 1.01) << i;
    EXPECT_NEAR(compat::ascent(fonts.by_type[i], fonts.pixels[i]), fonts.ascent[i], 1.51) << i;
  }
  ImGui::EndFrame();
}

INSTANTIATE_TEST_SUITE_P(Scales, FontsTest, testing::Values(1.0f, 1.25f, 1.5f, 2.0f));

}  // namespace
}  // namespace headscope::ui
