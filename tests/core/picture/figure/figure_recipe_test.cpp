#include <gtest/gtest.h>

#include "core/export/recipe.h"
#include "core/export/session_file.h"
#include "core/model/layer_weights.h"
#include "tests/core/picture/figure/figure_items.h"
#include "tests/core/picture/small_traces.h"

namespace headscope {
namespace {

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
