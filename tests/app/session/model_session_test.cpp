// A checkpoint in the window: the shown layer at once, the others after it.
#include <gtest/gtest.h>

#include "core/attention/model_trace.h"
#include "tests/app/session/session_fixture.h"

namespace headscope {
namespace {

TEST(ModelSession, ShowsTheLayerFirstAndGoesOnToTheLast) {
  ManualSession s;
  int early_traces = 0;
  s.compute = [&](const Request& request, Engine& engine, const CancelToken& token, const EarlyTrace& early) {
    return engine.run(request, token, [&](std::shared_ptr<const Trace> trace) {
      early(std::move(trace));
      s.session->update(at(10));
      ++early_traces;
      ASSERT_NE(s.session->trace(), nullptr);
      EXPECT_EQ(s.session->trace()->inputs->layer, 0);
      EXPECT_EQ(s.session->trace()->model->layers.back(), nullptr);
      EXPECT_TRUE(s.session->computing());
    });
  };
  Request& draft = s.session->draft;
  draft.model = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/gpt2";
  draft.token_ids = {1, 2, 3};
  draft.layer = 0;
  s.session->update(at(0));
  s.executor->step();
  s.session->update(at(20));
  EXPECT_EQ(early_traces, 1);
  const ModelTrace& model = *s.session->trace()->model;
  EXPECT_EQ(model.layer, 0);
  for (const auto& layer : model.layers) EXPECT_NE(layer, nullptr);
  EXPECT_FALSE(model.final_hidden.empty());
  EXPECT_FALSE(s.session->computing());
}

}  // namespace
}  // namespace headscope
