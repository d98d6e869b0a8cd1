// Pictures whose pixels were chosen while a pass handed rows out are those of weights that are read.
#include "core/picture/figure/head_look.h"

#include <gtest/gtest.h>

#include "core/picture/map_pixels.h"
#include "core/picture/view_options.h"
#include "tests/core/picture/figure/figure_items.h"
#include "tests/core/picture/small_traces.h"

namespace headscope {
namespace {

std::shared_ptr<const Trace> run(const Request& request, std::int64_t stage_memory) {
  EngineOptions options;
  options.stage_memory = stage_memory;
  Engine engine(options);
  return engine.run(request, CancelToken());
}

// A picture so small that a pixel shows 16 tokens and more, of 1,700 or 1,701 of them.
ViewSpec small_view(ViewKind kind) {
  ViewSpec view = view_of(kind, StageId::weights);
  view.labels = view.color_bar = false;
  if (kind == ViewKind::head) {
    view.width = 130;
  } else {
    view.scale = 0.25;
  }
  return view;
}

int chosen_maps(const FigurePlan& plan) {
  int count = 0;
  for (const MapItem& map : items_of<MapItem>(plan)) count += map.spec.pixels != nullptr ? 1 : 0;
  return count;
}

void expect_same_picture(const Request& request, const ViewSpec& view, int maps) {
  const auto stored = run(request, std::int64_t{1} << 34), computed = run(request, 0);
  ASSERT_TRUE(stored->tensor(StageId::weights).stored());
  EXPECT_EQ(chosen_maps(figure_plan(*stored, view, false)), 0);
  const FigurePlan plan = figure_plan(*computed, view, false);
  EXPECT_EQ(chosen_maps(plan), maps) << view_json(view);
  const Image found = draw_figure(*computed, view), wanted = draw_figure(*stored, view);
  ASSERT_EQ(found.width, wanted.width);
  ASSERT_EQ(found.height, wanted.height);
  EXPECT_TRUE(found.pixels == wanted.pixels) << view_json(view);
}

TEST(HeadLook, ThePictureIsTheOneOfWeightsThatAreRead) {
  for (const char* mask : {"none", "causal", "causal,window:300", "padding:1701"}) {
    for (const int tokens : {1700, 1701}) {
      const Request request = small_request(tokens, {{"mask", mask}, {"heads", "2"}});
      ViewSpec view = small_view(ViewKind::head);
      view.head = 1;
      expect_same_picture(request, view, 1);
      view.log_scale = true;
      view.theme = Theme::light;
      expect_same_picture(request, view, 1);
    }
  }
}

TEST(HeadLook, AllHeadsOfAGridAreLookedAtOnce) {
  const Request request = small_request(1700, {{"mask", "causal"}});
  expect_same_picture(request, small_view(ViewKind::heads), 4);
  ViewSpec paper = view_of(ViewKind::heads, StageId::weights);
  paper.paper.width = PaperLength{60, LengthUnit::mm};
  paper.paper.dpi = 100;
  expect_same_picture(request, paper, 4);
}

TEST(HeadLook, WhatDependsOnRowsOrIsNotPooledIsReadAsBefore) {
  const Request request = small_request(1700, {{"mask", "causal"}, {"heads", "2"}});
  ViewSpec view = small_view(ViewKind::head);
  view.range = RangeKind::row;
  expect_same_picture(request, view, 0);
  expect_same_picture(request, view_of(ViewKind::head, StageId::weights), 0);
  ViewSpec scores = small_view(ViewKind::head);
  scores.stage = StageId::scores;
  expect_same_picture(request, scores, 0);
}

TEST(HeadLook, WordsAreThoseOfTheSummaryThatIsRead) {
  const Request request = small_request(1700, {{"mask", "causal"}, {"heads", "2"}});
  const auto texts_of = [&](std::int64_t memory) {
    std::vector<std::string> texts;
    const FigurePlan plan = figure_plan(*run(request, memory), small_view(ViewKind::head), false);
    for (const TextItem& item : items_of<TextItem>(plan)) texts.push_back(item.text);
    return texts;
  };
  EXPECT_EQ(texts_of(0), texts_of(std::int64_t{1} << 34));
}

}  // namespace
}  // namespace headscope
