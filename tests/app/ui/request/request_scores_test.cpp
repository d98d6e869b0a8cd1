// What the scores are multiplied by where no number was chosen.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "app/ui/request/request_panel.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

TEST(RequestScores, TheScaleThatIsNotChosenIsTheModelsOwn) {
  EXPECT_EQ(automatic_scale_text(std::nullopt, 7), "auto: 1/\u221A7 = 0.3780");
  EXPECT_EQ(automatic_scale_text(std::nullopt, 0), "auto: 1/\u221Ahead_dim");
  Driver d;
  d.session.draft = Request();
  d.session.draft.model = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/encoder_decoders/t5";
  d.session.draft.phrase.clear();
  d.session.draft.token_ids = {2, 5, 3};
  d.step(6);
  d.choose("request/scale", "the model's: 1");  // T5 does not scale
  EXPECT_FALSE(d.session.draft.scale);
}

}  // namespace
}  // namespace headscope::ui
