#include <gtest/gtest.h>

#include "core/io/session_file.h"
#include "core/model/layer_weights.h"
#include "tests/core/picture/figure_items.h"
#include "tests/core/picture/small_traces.h"

namespace headscope {
namespace {

TEST(ShownMask, hides_from_the_mask_on_and_shows_scores_before_it) {
  const auto trace = small_trace(4, {{"mask", "causal"}});
  EXPECT_EQ(shown_mask(*trace, StageId::weights), trace->mask);
  EXPECT_EQ(shown_mask(*trace, StageId::masked_scores), trace->mask);
  EXPECT_EQ(shown_mask(*trace, StageId::scores), nullptr);
  EXPECT_EQ(shown_mask(*trace, StageId::raw_scores), nullptr);
  EXPECT_EQ(shown_mask(*trace, StageId::query), nullptr);
  EXPECT_EQ(shown_mask(*small_trace(4), StageId::weights), nullptr);
  const auto before = small_trace(4, {{"mask", "causal"}, {"mask-order", "before-scale"}});
  EXPECT_EQ(shown_mask(*before, StageId::scores), before->mask);
}

TEST(ShownMask, rows_that_attend_although_they_are_hidden_show_their_weights) {
  const auto uniform = small_trace(4, {{"mask", "padding:4"}, {"mask-fill", "-1e20"}});
  const auto shown = shown_mask(*uniform, StageId::weights);
  ASSERT_NE(shown, nullptr);
  EXPECT_FALSE(shown->hidden.any());
  EXPECT_TRUE(shown_mask(*uniform, StageId::masked_scores)->hidden.any());
  EXPECT_FALSE(shown_mask(*small_trace(4, {{"mask", "padding:4"}, {"fully-masked", "uniform"}}), StageId::weights)
                   ->hidden.any());
  EXPECT_TRUE(
      shown_mask(*small_trace(4, {{"mask", "padding:4"}, {"fully-masked", "zero"}}), StageId::weights)->hidden.any());
}

TEST(Recipe, gives_back_the_request_and_the_view) {
  Request request = small_request(5, {{"mask", "causal,padding:1"}, {"seed", "18446744073709551615"}});
  request.phrase = "quotes \" and \u4e2d\u6587 \\ and\nlines";
  const auto trace = trace_of(request);
  ViewSpec view = view_of(ViewKind::head, StageId::masked_scores);
  view.head = 3;
  view.colormap = ColorMap::cividis;
  view.theme = Theme::light;
  view.cell = 21;
  view.scale = 2;
  const auto chunks = recipe_of(*trace, view);
  const SessionFile session = parse_session(chunks.at("headscope"), "the recipe");
  EXPECT_TRUE(session.request == trace->request);
  ASSERT_TRUE(session.view.has_value());
  EXPECT_TRUE(*session.view == view);
  EXPECT_EQ(chunks.at("headscope-sha256"), sha256_of(trace->inputs->weights));
  EXPECT_NE(chunks.at("headscope").find(chunks.at("headscope-sha256")), std::string::npos);
  EXPECT_EQ(draw_figure(*trace_of(session.request), *session.view).pixels, draw_figure(*trace, view).pixels);
}

}  // namespace
}  // namespace headscope
