// Where panels lie, and which give way, in the order of the visual system.
#include "app/ui/layout.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <tuple>
#include <utility>

namespace headscope::ui {
namespace {

Layout at(float width, float height, float scale = 1, const ViewState& view = {}) {
  return layout_of({.width = width, .height = height, .scale = scale}, view);
}

void expect_rect(const Rect& r, float x0, float y0, float x1, float y1) {
  EXPECT_EQ(std::make_tuple(r.min.x, r.min.y, r.max.x, r.max.y), std::make_tuple(x0, y0, x1, y1));
}

TEST(Layout, IsTheDesignAt1600By1000) {
  const Layout l = at(1600, 1000);
  expect_rect(l.menu, 0, 0, 1600, 30);
  expect_rect(l.views, 0, 30, 1600, 66);
  expect_rect(l.request, 0, 66, 264, 976);
  expect_rect(l.phrase, 264, 66, 1600, 139);
  EXPECT_EQ(l.facts.height(), 0) << "the Request is open";
  expect_rect(l.head, 264, 139, 1600, 175);
  expect_rect(l.pipeline, 264, 175, 1600, 257);
  expect_rect(l.heads, 264, 257, 1070, 736);
  expect_rect(l.concat, 264, 736, 1070, 976);
  expect_rect(l.inspector, 1070, 257, 1600, 976);
  expect_rect(l.status, 0, 976, 1600, 1000);
  EXPECT_TRUE(l.command_box && l.key_phrase_button);
  EXPECT_FALSE(l.request_folded || l.pipeline_small || l.concat_header_only || l.inspector_rail || l.tabs);
}

TEST(Layout, IsTheDesignAt1280By800) {
  const Layout l = at(1280, 800);
  expect_rect(l.views, 0, 30, 1280, 66);
  expect_rect(l.phrase, 0, 66, 1280, 139);
  expect_rect(l.facts, 0, 139, 1280, 167);
  expect_rect(l.head, 0, 167, 1280, 203);
  expect_rect(l.pipeline, 0, 203, 1280, 238);
  expect_rect(l.heads, 0, 238, 860, 638);
  expect_rect(l.concat, 0, 638, 860, 776);
  expect_rect(l.inspector, 860, 238, 1280, 776);
  EXPECT_TRUE(l.request_folded && l.pipeline_small && l.command_box);
  EXPECT_FALSE(l.key_phrase_button || l.tabs);
}

TEST(Layout, CardsOfTheStartStandAboveThePhrase) {
  const Layout l = layout_of({.width = 1600, .height = 1000, .start = 160}, {});
  expect_rect(l.start, 0, 66, 1600, 226);
  EXPECT_EQ(l.phrase.min.y, 226);
  EXPECT_EQ(l.request.min.y, 226);
  EXPECT_TRUE(l.pipeline_small) << "the stages give way first";
}

Layout one_head_at(float width, float height, std::int64_t tokens, float start = 0) {
  ViewState view;
  view.request_collapsed = view.concat_collapsed = view.pipeline_collapsed = true;
  return layout_of(
      {.width = width, .height = height, .start = start, .one_head = true, .rows = tokens, .columns = tokens}, view);
}

TEST(Layout, OfOneHeadHasNumbersInItsCellsAtTheSizesOfTheDesign) {
  for (const auto& [width, height] : {std::pair{1280.0f, 800.0f}, {1600.0f, 1000.0f}, {2560.0f, 1440.0f}}) {
    const Layout l = one_head_at(width, height, 17);
    SCOPED_TRACE(width);
    // What is around the cells: the header, words on both axes, the readout; at the sides words and the colour bar.
    EXPECT_GE(l.large.height() - (34 + 50 + 42), 17 * 24);
    EXPECT_GE(l.large.width() - 146, 17 * 24);
    EXPECT_GE(l.words.width(), 250);
    EXPECT_EQ(l.words.min.x, l.large.max.x);
    EXPECT_EQ(l.words.max.x, l.heads.max.x);
    EXPECT_EQ(l.concat.height(), size::folded) << "one line";
    EXPECT_EQ(l.inspector.min.x, l.heads.max.x);
  }
}

TEST(Layout, OfOneHeadStagesAndMapsGiveWayFirst) {
  const Layout large = one_head_at(1600, 1000, 17), low = one_head_at(1280, 800, 17),
               start = one_head_at(1600, 1000, 17, 160);
  EXPECT_FALSE(large.pipeline_hidden || large.strip_names);
  EXPECT_TRUE(low.pipeline_hidden && low.strip_names);
  EXPECT_TRUE(start.pipeline_hidden && start.strip_names);
  EXPECT_EQ(low.pipeline.height(), 0);
  EXPECT_LT(low.strip.height(), large.strip.height());
  EXPECT_EQ(low.strip.max.x, low.inspector.max.x) << "names have the whole width";
  EXPECT_EQ(low.inspector.min.y, low.strip.max.y);
}

TEST(Layout, OfOneHeadEverythingHasAPlaceInsideTheWindow) {
  for (int w = 960; w <= 3840; w += 139) {
    for (int h = 600; h <= 2160; h += 119) {
      for (const std::int64_t tokens : {0, 1, 5, 17, 40, 400, 5000}) {
        const Layout l = one_head_at(static_cast<float>(w), static_cast<float>(h), tokens);
        ASSERT_GE(l.large.width(), 360) << w << "x" << h << " " << tokens;
        ASSERT_GE(l.words.width(), 200) << w << "x" << h << " " << tokens;
        ASSERT_GE(l.large.height(), 150) << w << "x" << h << " " << tokens;
        ASSERT_LE(l.words.max.x, static_cast<float>(w));
        ASSERT_LE(l.words.max.y, l.concat.min.y);
        ASSERT_LE(l.concat.max.y, l.status.min.y);
      }
    }
  }
}

TEST(Layout, GivesWayAtTheSizesOfTheVisualSystem) {
  EXPECT_FALSE(at(1440, 1000).request_folded);
  EXPECT_TRUE(at(1439, 1000).request_folded);
  EXPECT_FALSE(at(1600, 900).pipeline_small);
  EXPECT_TRUE(at(1600, 899).pipeline_small);
  EXPECT_FALSE(at(1100, 900).tabs);
  EXPECT_TRUE(at(1099, 900).tabs);
  EXPECT_FALSE(at(1100, 900).command_box);
  EXPECT_TRUE(at(1600, 640).concat_header_only);
  EXPECT_EQ(at(1600, 640).concat.height(), 40);
}

TEST(Layout, NeverLosesPhraseReadoutAndStatus) {
  for (int w = 960; w <= 2600; w += 37) {
    for (int h = 600; h <= 1500; h += 41) {
      for (const bool tab : {false, true}) {
        const Layout l = layout_of(
            {.width = static_cast<float>(w), .height = static_cast<float>(h), .notices = 72, .inspector_tab = tab}, {});
        ASSERT_EQ(l.phrase.height(), 73);
        ASSERT_EQ(l.views.height(), 36);
        ASSERT_GE(l.head.height(), 36);
        ASSERT_EQ(l.status.max.y, h);
        ASSERT_EQ(l.status.height(), 24);
        ASSERT_GE(l.heads.height(), h < 640 ? 180 : 200) << w << "x" << h;
        ASSERT_GE(l.heads.width(), 400) << w << "x" << h;
        ASSERT_GE(l.inspector.height(), h < 640 ? 180 : 220);
        ASSERT_GE(l.inspector.width(), 360);
        ASSERT_LE(l.inspector.width(), l.tabs ? w : 620);
        ASSERT_EQ(l.concat.max.y, l.status.min.y);
        ASSERT_EQ(l.heads.max.y, l.concat.min.y);
        if (!l.tabs) {
          ASSERT_EQ(l.heads.max.x, l.inspector.min.x);
        } else {
          ASSERT_NE(l.show_heads, l.show_inspector);
        }
      }
    }
  }
}

TEST(Layout, LiesOnWholePixelsAtEveryScale) {
  for (const float scale : {1.0f, 1.25f, 1.5f, 2.0f, 3.0f}) {
    const Layout l = at(std::round(1600 * scale), std::round(1000 * scale), scale);
    for (const Rect& r : {l.menu, l.views, l.request, l.phrase, l.facts, l.head, l.pipeline, l.heads, l.concat,
                          l.inspector, l.status}) {
      for (const float edge : {r.min.x, r.min.y, r.max.x, r.max.y}) EXPECT_EQ(edge, std::round(edge)) << scale;
    }
    EXPECT_EQ(l.request.width(), std::round(264 * scale));
    EXPECT_FALSE(l.request_folded || l.tabs);
  }
}

TEST(Layout, GrowsTheInspectorWhenThumbnailsCannotGrow) {
  EXPECT_GT(at(2560, 1000).inspector.width(), 600);
  EXPECT_LE(at(3840, 1000).inspector.width(), 620);
  ViewState view;
  view.inspector_width = 500;
  EXPECT_EQ(at(2560, 1000, 1, view).inspector.width(), 500) << "what was dragged stays";
}

TEST(Layout, OpensTheRequestOverItsNeighboursWhereThereIsNoRoom) {
  ViewState view;
  view.request_opened_by_hand = true;
  const Layout l = at(1280, 800, 1, view);
  EXPECT_TRUE(l.request_over);
  EXPECT_FALSE(l.request_folded);
  EXPECT_EQ(l.request.width(), 264);
  EXPECT_EQ(l.phrase.min.x, 0) << "nothing moves below it";
  EXPECT_EQ(l.facts.height(), 28);
  view.request_collapsed = true;
  EXPECT_TRUE(at(1600, 1000, 1, view).request_folded);
}

TEST(Layout, CutsOffBelowTheSmallestWindow) {
  const Layout l = at(500, 300);
  EXPECT_EQ(l.status.max.y, 500) << "1280 x 800 with letters of 160 %: 800 x 500";
  EXPECT_EQ(l.menu.max.x, 800);
  EXPECT_EQ(l.views.max.x, 500) << "the names of the views are all seen";
}

}  // namespace
}  // namespace headscope::ui
