// Weights painted over an image, pixel by pixel.
#include "core/picture/patch_picture.h"

#include <gtest/gtest.h>

#include <cmath>

namespace headscope {
namespace {

// Two rows and three columns behind one other token; the image is 6 x 4 pixels, each its own shade of red.
ImagePatches six_patches() {
  auto picture = std::make_shared<Image>(6, 4);
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 6; ++x) picture->at(x, y) = {static_cast<std::uint8_t>(10 * (6 * y + x)), 0, 0, 255};
  }
  return {{2, 3}, 1, picture};
}

const std::vector<float> kValues = {0.9f, 0, 0.1f, 0.2f, 0.3f, 0.4f, 0.5f};
const WordColors kColors{ColorMap::viridis, {0, 0.5, false, false}, Theme::dark};

TEST(PatchPicture, EveryPixelIsTheBrightnessUnderItsPatchsColour) {
  const ImagePatches patches = six_patches();
  const Image painted = painted_patches(patches, {kValues, {}}, kColors, 12, 8);
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 12; ++x) {
      const std::size_t token = 1 + static_cast<std::size_t>(y / 4 * 3 + x / 4);
      const Rgba over = word_look(kValues[token], false, kColors).ground;
      const double grey = std::round(0.299 * patches.picture->at(x / 2, y / 2).r);
      EXPECT_NEAR(painted.at(x, y).r, 0.6 * over.r + 0.4 * grey, 0.51) << x << ' ' << y;
      EXPECT_NEAR(painted.at(x, y).g, 0.6 * over.g + 0.4 * grey, 0.51) << "no hue of the image is left";
      EXPECT_EQ(painted.at(x, y).a, 255);
    }
  }
}

TEST(PatchPicture, WithoutAnImageTheColoursStandAlone) {
  ImagePatches patches = six_patches();
  patches.picture = nullptr;
  const Image painted = painted_patches(patches, {kValues, {}}, kColors, 3, 2);
  EXPECT_EQ(painted.at(0, 0), word_look(0, false, kColors).ground);
  EXPECT_EQ(painted.at(2, 1), word_look(0.5f, false, kColors).ground);
}

TEST(PatchPicture, AHiddenPatchIsHatchedAndNanHasItsColour) {
  std::vector<float> values = kValues;
  values[6] = std::nanf("");
  const std::vector<std::uint8_t> hidden = {0, 1, 0, 0, 0, 0, 0};
  ImagePatches patches = six_patches();
  patches.picture = nullptr;
  const Image painted = painted_patches(patches, {values, hidden}, kColors, 30, 20);
  int lines = 0;
  for (int x = 0; x < 10; ++x) lines += painted.at(x, 3) == palette(Theme::dark).hatch ? 1 : 0;
  EXPECT_EQ(lines, 2) << "a line every five pixels";
  EXPECT_EQ(painted.at(29, 19), kNanColor);
}

TEST(PatchPicture, ASmallerPictureThanPatchesIsDrawn) {
  const Image painted = painted_patches(six_patches(), {kValues, {}}, kColors, 1, 1);
  EXPECT_EQ(painted.width, 1);
}

}  // namespace
}  // namespace headscope
