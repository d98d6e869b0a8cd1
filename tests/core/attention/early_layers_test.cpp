// What a run of a model gives to look at before its end.
#include "core/attention/early_layers.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/attention/engine.h"
#include "core/attention/model_trace.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

Request of_model(const std::string& name, std::vector<std::int64_t> ids) {
  Request request;
  request.model = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/" + name;
  request.token_ids = std::move(ids);
  request.backend = BackendChoice::cpu;
  request.threads = 2;
  return request;
}

Request with_layer(Request request, std::int64_t layer) {
  request.layer = layer;
  return request;
}

EngineOptions window_options() {
  EngineOptions options;
  options.reuse = options.whole_model = true;
  return options;
}

std::vector<std::shared_ptr<const Trace>> early_traces(Engine& engine, const Request& request) {
  std::vector<std::shared_ptr<const Trace>> early;
  engine.run(request, CancelToken(), [&](std::shared_ptr<const Trace> each) { early.push_back(std::move(each)); });
  return early;
}

std::int64_t known_layers(const Trace& trace) {
  return std::count_if(trace.model->layers.begin(), trace.model->layers.end(),
                       [](const auto& layer) { return layer != nullptr; });
}

TEST(EarlyLayers, GivesTheLayersBelowTheShownOneWhenNothingWasKnown) {
  EngineOptions options = window_options();
  options.between_early = {};
  Engine engine(options);
  const Request last = of_model("gpt2", {3, 1});
  const auto early = early_traces(engine, last);
  const auto all = engine.run(last, CancelToken());
  const std::int64_t shown = all->model->layer;
  ASSERT_GT(shown, 0);
  ASSERT_EQ(std::ssize(early), shown) << "the shown one is the last, and the run's result";
  for (std::int64_t layer = 0; layer < shown; ++layer) {
    const Trace& trace = *early[static_cast<std::size_t>(layer)];
    EXPECT_EQ(trace.request.layer, layer);
    EXPECT_EQ(trace.inputs->layer, layer);
    EXPECT_EQ(trace.model->layer, layer);
    EXPECT_EQ(known_layers(trace), layer + 1);
    EXPECT_FALSE(trace.preview);
    const auto alone = Engine().run(with_layer(last, layer), CancelToken());
    EXPECT_TRUE(same_bits(trace.tensor(StageId::weights), alone->tensor(StageId::weights)));
  }
  EXPECT_TRUE(early_traces(engine, of_model("gpt2", {3, 2})).empty()) << "another phrase: the last result is shown";
}

TEST(EarlyLayers, TheShownLayerComesAgainWithWhatWasAddedMeanwhile) {
  EngineOptions options = window_options();
  options.between_early = {};
  Engine engine(options);
  const auto early = early_traces(engine, with_layer(of_model("gpt2", {3, 1}), 0));
  const auto all = engine.run(with_layer(of_model("gpt2", {3, 1}), 0), CancelToken());
  ASSERT_EQ(std::ssize(early), known_layers(*all) - 1);
  for (std::size_t k = 0; k < early.size(); ++k) {
    EXPECT_EQ(early[k]->inputs->layer, 0);
    EXPECT_EQ(known_layers(*early[k]), static_cast<std::int64_t>(k) + 1);
    EXPECT_TRUE(early[k]->model->final_hidden.empty());
  }
}

TEST(EarlyLayers, ARunThatIsSoonOverGivesTheShownLayerAlone) {
  EngineOptions options = window_options();
  options.between_early = std::chrono::hours(1);
  Engine engine(options);
  EXPECT_TRUE(early_traces(engine, of_model("gpt2", {3, 1})).empty());
  EXPECT_EQ(early_traces(engine, with_layer(of_model("gpt2", {3, 1}), 0)).size(), 1u);
}

}  // namespace
}  // namespace headscope
