// A preview is on screen and said to be one; nothing of it leaves the program.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

class Preview : public testing::Test {
 protected:
  // The engine's trace, said to be a preview while `only_preview_` is set.
  SessionOptions options() {
    SessionOptions options;
    options.compute = [this](const Request& request, Engine& engine, const CancelToken& cancel, const EarlyTrace&) {
      auto trace = std::make_shared<Trace>(*engine.run(request, cancel));
      trace->preview = only_preview_;
      return trace;
    };
    return options;
  }

  bool only_preview_ = true;
  Driver d_{demo_document(), 1600, 1000, 1, options()};
};

TEST_F(Preview, TheStatusBarSaysSo) {
  d_.step();
  EXPECT_TRUE(d_.has("status/preview"));
  only_preview_ = false;
  d_.session.recompute();
  d_.step();
  EXPECT_FALSE(d_.has("status/preview"));
}

TEST_F(Preview, ACopyIsMadeOfTheExactNumbers) {
  d_.click("inspector/picture", 0.1f, 0.9f);
  d_.click("inspector/copy");
  EXPECT_EQ(d_.clipboard, "");
  d_.click("inspector/where/copy");
  EXPECT_EQ(d_.clipboard, "");
  only_preview_ = false;
  d_.session.recompute();
  d_.step();
  EXPECT_NE(d_.clipboard, "");
  d_.clipboard.clear();
  d_.step();
  EXPECT_EQ(d_.clipboard, "") << "once";
}

TEST_F(Preview, NothingIsExported) {
  d_.step();
  d_.ctrl(KeyName::e);
  d_.click("export/primary");
  EXPECT_FALSE(d_.session.jobs.current().running);
  EXPECT_EQ(d_.state.dialog, DialogKind::export_dialog);
  EXPECT_TRUE(d_.session.jobs.current().title.empty());
}

// The first layer of a model in the place of its last one, as a run gives it before its end.
TEST(LayerMeanwhile, IsNamedUntilTheLayerThatIsAskedForIsThere) {
  bool lower = true;
  SessionOptions options;
  options.engine.whole_model = false;  // as if more were to come
  options.compute = [&lower](const Request& request, Engine& engine, const CancelToken& cancel, const EarlyTrace&) {
    Request own = request;
    if (lower) own.layer = 0;
    return engine.run(own, cancel);
  };
  Document document = demo_document();
  document.request = Request();
  document.request.model = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/gpt2";
  document.request.token_ids = {3, 1, 2};
  Driver d{document, 1600, 1000, 1, std::move(options)};
  d.step();
  EXPECT_TRUE(d.has("status/layer"));
  lower = false;
  d.session.recompute();
  d.step();
  EXPECT_FALSE(d.has("status/layer"));
}

}  // namespace
}  // namespace headscope::ui
