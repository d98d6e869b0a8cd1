// How heads are shown at first, and what of it is kept.
#include "app/session/panel_layout.h"

#include <gtest/gtest.h>

#include "app/session/settings_values.h"
#include "app/session/state_json.h"
#include "app/session/view_state.h"

namespace headscope {
namespace {

TEST(ViewStateJson, HowHeadsAreShownComesBack) {
  ViewState v;
  for (const HeadsShow shows : {HeadsShow::one, HeadsShow::grid, HeadsShow::arcs, HeadsShow::neurons}) {
    v.heads_show = shows;
    EXPECT_EQ(parse_view_state(view_state_json(v)), v);
  }
  EXPECT_EQ(parse_view_state(R"({"heads_show": "one"})").heads_show, HeadsShow::one);
  EXPECT_EQ(parse_view_state("{}").heads_show, HeadsShow::grid) << "of a session of before";
  EXPECT_FALSE(parse_settings("{}").one_head) << "of a user of before";
}

TEST(PanelLayout, DocumentsThatSayNothingShowHeadsAsTheyWereChosen) {
  Settings settings;
  EXPECT_EQ(usual_heads(settings), HeadsShow::grid);
  settings.one_head = true;
  EXPECT_EQ(usual_heads(settings), HeadsShow::one);
}

}  // namespace
}  // namespace headscope
