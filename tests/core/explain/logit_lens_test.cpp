// What a model would say after every layer, against PyTorch's hidden vectors put through plain loops in double.
#include "core/explain/logit_lens.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/model/checkpoint.h"
#include "tests/core/attention/plain_layer.h"
#include "tests/core/explain/attributed.h"

namespace headscope {
namespace {

LogitLens lens_of(const Trace& trace, std::int64_t top_n = 1) {
  return logit_lens("view", trace, 0, top_n, CancelToken());
}

// The probabilities of a hidden vector, by the definition.
PlainRow plain_probabilities(const Checkpoint& checkpoint, const PlainRow& stream) {
  const OutputHead head = checkpoint.output_head();
  const Architecture& architecture = checkpoint.architecture();
  PlainRow x = plain_norm(architecture, head.final_norm, stream);
  if (!head.transform.empty()) {
    x = plain_linear(head.transform, x);
    for (double& each : x) each = plain_activation(architecture.head_activation, each);
    x = plain_norm(architecture, head.transform_norm, x);
  }
  PlainRow logits = plain_linear(head.decoder, x);
  double largest = -1e300, sum = 0;
  for (double& each : logits) {
    each *= architecture.logit_scale;
    if (architecture.logit_softcap) each = *architecture.logit_softcap * std::tanh(each / *architecture.logit_softcap);
    largest = std::max(largest, each);
  }
  for (double& each : logits) sum += each = std::exp(each - largest);
  for (double& each : logits) each /= sum;
  return logits;
}

TEST(LogitLens, RowsArePyTorchsHiddenVectorsThroughNormAndDecoder) {
  int looked_at = 0;
  for (const std::string& name : model_names()) {
    if (name == "bert-pair") continue;
    SCOPED_TRACE(name);
    const auto trace = whole_model(golden_request(name));
    const Checkpoint& checkpoint = *trace->model->checkpoint;
    if (checkpoint.output_head().kind == OutputHead::Kind::none) continue;
    ++looked_at;
    const LogitLens lens = lens_of(*trace);
    ASSERT_EQ(lens.layers.size(), trace->model->layers.size() + 1);
    EXPECT_EQ(lens.next_token, checkpoint.output_head().kind == OutputHead::Kind::next_token);
    for (std::size_t l = 0; l < lens.layers.size(); ++l) {
      const LensLayer& layer = lens.layers[l];
      EXPECT_EQ(layer.layer, static_cast<std::int64_t>(l) - 1);
      const std::string tensor = l == 0 ? "embedded" : "layers." + std::to_string(layer.layer) + ".hidden";
      const Tensor hidden = expected_of(name, tensor.c_str());
      ASSERT_EQ(layer.positions.size(), static_cast<std::size_t>(hidden.dim(0)));
      for (std::int64_t i = 0; i < hidden.dim(0); ++i) {
        const Prediction& found = layer.positions[static_cast<std::size_t>(i)];
        const PlainRow plain = plain_probabilities(checkpoint, plain_row(hidden, {{i, i + 1}, {0, hidden.dim(1)}}));
        ASSERT_EQ(found.top.size(), 1u);
        EXPECT_EQ(found.position, i);
        const double largest = *std::max_element(plain.begin(), plain.end());
        const double own = plain[static_cast<std::size_t>(found.top[0].id)];
        EXPECT_TRUE(std::abs(own - largest) <= 1e-5) << "it is the most probable one, or as probable";
        EXPECT_TRUE(std::abs(found.top[0].probability - largest) <= 2e-5) << l << ", " << i;
      }
    }
  }
  EXPECT_GT(looked_at, 20);
}

TEST(LogitLens, TheLastRowIsWhatTheModelSays) {
  for (const char* name : {"gpt2", "gemma2", "bert-old-names", "opt-after", "gptj"}) {
    const auto trace = whole_model(golden_request(name));
    if (trace->model->checkpoint->output_head().kind == OutputHead::Kind::none) continue;
    const PredictionReport report = prediction_report(*trace->model, 3, CancelToken());
    const LogitLens lens = lens_of(*trace, 3);
    for (const Prediction& each : report.positions) {
      const Prediction& last = lens.layers.back().positions[static_cast<std::size_t>(each.position)];
      ASSERT_EQ(last.top.size(), each.top.size());
      for (std::size_t k = 0; k < each.top.size(); ++k) {
        EXPECT_EQ(last.top[k].id, each.top[k].id) << name;
        EXPECT_EQ(last.top[k].logit, each.top[k].logit) << name;
        EXPECT_EQ(last.top[k].probability, each.top[k].probability) << name;
      }
    }
  }
}

TEST(LogitLens, WhatItCannotLookThroughIsRefused) {
  const auto trace = whole_model(golden_request("gpt2"));
  EXPECT_THROW(logit_lens("view", *trace, 1, 1, CancelToken()), UsageError) << "one item of the batch";
  Request seeded;
  seeded.phrase = "a b";
  seeded.d_model = 8;
  seeded.heads = 2;
  Engine engine;
  try {
    lens_of(*engine.run(seeded, {}));
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_EQ(error.option(), "view");
    EXPECT_NE(std::string(error.what()).find("one layer without the model"), std::string::npos) << error.what();
  }
  CancelToken cancel;
  cancel.cancel();
  EXPECT_THROW(logit_lens("view", *trace, 0, 1, cancel), Cancelled);
}

TEST(LogitLens, RowsHaveNames) {
  EXPECT_EQ(lens_row_name(-1), "embeddings");
  EXPECT_EQ(lens_row_name(0), "layer 0");
}

}  // namespace
}  // namespace headscope
