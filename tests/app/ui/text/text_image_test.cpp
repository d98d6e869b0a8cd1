// The view 'text' of a model that reads an image: patches picked by mouse and keys, heads as pictures.
#include <gtest/gtest.h>

#include "app/session/session.h"
#include "app/ui/text/text_panel.h"
#include "tests/app/ui/driver.h"
#include "tests/core/model/vision_files.h"

namespace headscope::ui {
namespace {

// 5 rows and 7 columns of patches behind [CLS], three heads.
Document image_document() {
  Document document;
  document.request.model = kVisionModels + "vit";
  document.request.image = vision_image();
  document.request.token_ids.clear();
  return document;
}

Driver& opened(Driver& d) {
  d.key(KeyName::u, true);
  EXPECT_EQ(d.session.view.main_view, MainView::text);
  EXPECT_TRUE(d.has("text/picture"));
  return d;
}

// The middle of a patch, as shares of the picture.
std::pair<float, float> middle_of(int row, int column) {
  return {(static_cast<float>(column) + 0.5f) / 7, (static_cast<float>(row) + 0.5f) / 5};
}

TEST(TextImage, APatchIsPickedByMouse) {
  Driver d(image_document());
  opened(d);
  const auto [x, y] = middle_of(2, 3);
  d.click("text/picture", x, y);
  EXPECT_EQ(d.session.view.cell->row, 1 + 2 * 7 + 3);
  d.shift_held = true;
  const auto [u, v] = middle_of(4, 6);
  d.click("text/picture", u, v);
  d.shift_held = false;
  EXPECT_EQ(d.session.view.cell, (Cell{18, 35})) << "Shift picks the key";
  d.click("text/leading/0");
  EXPECT_EQ(d.session.view.cell->row, 0) << "the class token is picked above the picture";
}

TEST(TextImage, ArrowsGoFromPatchToPatch) {
  Driver d(image_document());
  opened(d);
  const auto [x, y] = middle_of(1, 3);
  d.click("text/picture", x, y);
  const auto row_after = [&](KeyName key) {
    d.key(key);
    return d.session.view.cell->row;
  };
  EXPECT_EQ(row_after(KeyName::right), 1 + 7 + 4);
  EXPECT_EQ(row_after(KeyName::down), 1 + 14 + 4);
  EXPECT_EQ(row_after(KeyName::up), 1 + 7 + 4);
  EXPECT_EQ(row_after(KeyName::up), 1 + 4);
  EXPECT_EQ(row_after(KeyName::up), 0) << "above the patches is the class token";
  EXPECT_EQ(row_after(KeyName::down), 1);
  EXPECT_EQ(row_after(KeyName::end), 35);
  EXPECT_EQ(row_after(KeyName::down), 35);
}

// SigLIP's pool: one learned query, 4 x 4 patches as keys.
TEST(TextImage, WhatALearnedQueryGathersIsPaintedAndPicksAreKeys) {
  Document document = image_document();
  document.request.model = kVisionModels + "siglip";
  document.request.attention = AttentionList::pool;
  Driver d(document);
  opened(d);
  d.click("text/picture", 0.375f, 0.625f);
  EXPECT_EQ(d.session.view.cell, (Cell{0, 2 * 4 + 1}));
  d.key(KeyName::right);
  EXPECT_EQ(d.session.view.cell, (Cell{0, 2 * 4 + 2}));
  d.key(KeyName::up);
  EXPECT_EQ(d.session.view.cell, (Cell{0, 4 + 2}));
}

TEST(TextImage, AHeadsPictureChoosesTheHead) {
  Driver d(image_document());
  opened(d);
  const auto [x, y] = middle_of(0, 2);
  d.click("text/picture/2", x, y);
  EXPECT_EQ(d.session.view.head, 2);
  EXPECT_EQ(d.session.view.cell->column, 3);
  EXPECT_FALSE(d.has("text/word/3")) << "the words are not drawn beside it";
}

TEST(TextImage, ItFitsEveryWindow) {
  for (const auto& [width, height, scale] : {std::tuple(1280, 800, 1.0f), {1600, 1000, 1.0f}, {2560, 1440, 2.0f}}) {
    Driver d(image_document(), width, height, scale);
    opened(d);
    const Rect picture = d.rect("text/picture"), panel = d.rect("text");
    EXPECT_GE(picture.width(), 150 * scale) << width;
    EXPECT_LE(picture.max.x, panel.max.x) << width;
    EXPECT_LE(picture.max.y, d.rect("text/legend").min.y) << width;
    for (const char* head : {"text/picture/0", "text/picture/2"}) {
      ASSERT_TRUE(d.has(head)) << width;
      EXPECT_LE(d.rect(head).max.x, panel.max.x) << width;
      EXPECT_GE(d.rect(head).min.x, picture.max.x) << width;
    }
  }
}

}  // namespace
}  // namespace headscope::ui
