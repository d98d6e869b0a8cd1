// What a model would say after every layer, against PyTorch's hidden vectors put through plain loops in double.
#include "core/explain/logit_lens.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/attention/model_stages.h"
#include "core/base/error.h"
#include "core/model/checkpoint.h"
#include "tests/core/attention/plain_layer.h"
#include "tests/core/explain/attributed.h"

namespace headscope {
namespace {

LogitLens lens_of(const Trace& trace, std::int64_t top_n = 1, LensOf of = LensOf::layers) {
  return logit_lens("view", trace, {of, 0, top_n}, CancelToken());
}

constexpr LensOf kEveryKind[] = {LensOf::layers, LensOf::attention, LensOf::heads};

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
    ASSERT_EQ(lens.rows.size(), trace->model->layers.size() + 1);
    EXPECT_EQ(lens.next_token, checkpoint.output_head().kind == OutputHead::Kind::next_token);
    for (std::size_t l = 0; l < lens.rows.size(); ++l) {
      const LensRow& layer = lens.rows[l];
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
      const Prediction& last = lens.rows.back().positions[static_cast<std::size_t>(each.position)];
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
  EXPECT_THROW(logit_lens("view", *trace, {LensOf::layers, 1, 1}, CancelToken()), UsageError)
      << "one item of the batch";
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
  for (const LensOf of : kEveryKind) EXPECT_THROW(logit_lens("view", *trace, {of}, cancel), Cancelled);
}

// That a cell of the lens is the most probable token of a vector.
void expect_token(const Checkpoint& checkpoint, const Prediction& found, const PlainRow& vector,
                  const std::string& what) {
  const PlainRow plain = plain_probabilities(checkpoint, vector);
  const double largest = *std::max_element(plain.begin(), plain.end());
  ASSERT_EQ(found.top.size(), 1u) << what;
  EXPECT_TRUE(std::abs(plain[static_cast<std::size_t>(found.top[0].id)] - largest) <= 1e-5) << what;
  EXPECT_TRUE(std::abs(found.top[0].probability - largest) <= 2e-5) << what;
}

// A head's context times its part of W_O, where concat holds the heads one after the other.
PlainRow plain_head(const Trace& trace, std::int64_t head, std::int64_t position) {
  const std::int64_t features = trace.inputs->value_head_dim;
  const PlainRow context =
      plain_row(trace.tensor(StageId::context), {{0, 1}, {head, head + 1}, {position, position + 1}, {0, features}});
  const Tensor& weight = trace.inputs->weights.output.weight;
  PlainRow sum(static_cast<std::size_t>(weight.dim(0)));
  for (std::size_t out = 0; out < sum.size(); ++out) {
    for (std::int64_t d = 0; d < features; ++d) {
      sum[out] += static_cast<double>(weight.at({static_cast<std::int64_t>(out), head * features + d})) *
                  context[static_cast<std::size_t>(d)];
    }
  }
  return sum;
}

TEST(LogitLens, AHeadIsItsOwnVectorThroughNormAndDecoder) {
  for (const char* name : {"gpt2", "gptj", "llama", "attention-only-decoder"}) {
    for (const char* layer : {"0", "1"}) {
      const auto trace = whole_model(golden_request(name), {{"layer", layer}});
      const LogitLens lens = lens_of(*trace, 1, LensOf::heads);
      ASSERT_EQ(std::ssize(lens.rows), trace->num_heads());
      for (std::int64_t h = 0; h < trace->num_heads(); ++h) {
        const LensRow& row = lens.rows[static_cast<std::size_t>(h)];
        EXPECT_EQ(row.head, h);
        EXPECT_EQ(row.layer, trace->inputs->layer);
        for (std::int64_t i = 0; i < trace->query_len(); ++i) {
          const auto& found = row.positions[static_cast<std::size_t>(i)];
          expect_token(*trace->model->checkpoint, found, plain_head(*trace, h, i),
                       fmt::format("{}, layer {}, head {}, {}", name, layer, h, i));
        }
      }
    }
  }
}

TEST(LogitLens, AfterAttentionIsTheStreamAndWhatAttentionAdds) {
  for (const char* name : {"gpt2", "gptj", "gemma2", "opt-after", "bert-old-names"}) {
    const auto trace = whole_model(golden_request(name));
    const ModelTrace& model = *trace->model;
    const Architecture& architecture = model.checkpoint->architecture();
    if (model.checkpoint->output_head().kind == OutputHead::Kind::none) continue;
    const LogitLens lens = lens_of(*trace, 1, LensOf::attention);
    ASSERT_EQ(lens.rows.size(), model.layers.size());
    for (std::int64_t l = 0; l < std::ssize(lens.rows); ++l) {
      const auto at = static_cast<std::size_t>(l);
      EXPECT_EQ(lens.rows[at].layer, l);
      const Tensor& added = attention_added(*model.layers[at]);
      for (std::int64_t i = 0; i < trace->query_len(); ++i) {
        const Region row{{0, 1}, {i, i + 1}, {0, added.dim(2)}};
        PlainRow sum = plain_sum(plain_row(model.streams[at], row), plain_row(added, row));
        if (architecture.norm_place == Architecture::NormPlace::after_sum) {
          sum = plain_norm(architecture, model.checkpoint->block(l).attention_norm, sum);
        }
        expect_token(*model.checkpoint, lens.rows[at].positions[static_cast<std::size_t>(i)], sum, name);
      }
    }
  }
}

TEST(LogitLens, WithoutMlpsTheStreamAfterAttentionIsThatAfterTheLayer) {
  const auto trace = whole_model(golden_request("attention-only-decoder"));
  const LogitLens layers = lens_of(*trace, 3), attention = lens_of(*trace, 3, LensOf::attention);
  ASSERT_EQ(attention.rows.size() + 1, layers.rows.size());
  for (std::size_t l = 0; l < attention.rows.size(); ++l) {
    for (std::size_t i = 0; i < attention.rows[l].positions.size(); ++i) {
      const auto &found = attention.rows[l].positions[i].top, &expected = layers.rows[l + 1].positions[i].top;
      ASSERT_EQ(found.size(), 3u);
      for (std::size_t k = 0; k < found.size(); ++k) {
        EXPECT_EQ(found[k].id, expected[k].id);
        EXPECT_EQ(found[k].logit, expected[k].logit);
        EXPECT_EQ(found[k].probability, expected[k].probability);
      }
    }
  }
}

TEST(LogitLens, EveryKindKnowsWhatTheModelSays) {
  const auto trace = whole_model(golden_request("gpt2"));
  const LogitLens layers = lens_of(*trace);
  for (const LensOf of : kEveryKind) {
    const LogitLens lens = lens_of(*trace, 1, of);
    EXPECT_EQ(lens.of, of);
    ASSERT_EQ(lens.model.size(), layers.rows.back().positions.size());
    for (std::size_t i = 0; i < lens.model.size(); ++i) {
      EXPECT_EQ(lens.model[i].top[0].id, layers.rows.back().positions[i].top[0].id);
      EXPECT_EQ(lens.model[i].top[0].logit, layers.rows.back().positions[i].top[0].logit);
    }
    const std::vector<LensRow> named = lens_rows("view", *trace, of);
    ASSERT_EQ(named.size(), lens.rows.size());
    for (std::size_t r = 0; r < named.size(); ++r) {
      EXPECT_EQ(named[r].layer, lens.rows[r].layer);
      EXPECT_EQ(named[r].head, lens.rows[r].head);
    }
  }
}

TEST(LogitLens, RowsHaveNames) {
  const LensKind& layers = lens_kind(LensOf::layers);
  EXPECT_EQ(layers.row_name({-1, {}, {}}), "embeddings");
  EXPECT_EQ(layers.row_name({0, {}, {}}), "layer 0");
  EXPECT_EQ(layers.place({2, {}, {}}), "After layer 2");
  EXPECT_EQ(lens_kind(LensOf::attention).row_name({3, {}, {}}), "attention 3");
  EXPECT_EQ(lens_kind(LensOf::attention).place({3, {}, {}}), "After the attention of layer 3");
  EXPECT_EQ(lens_kind(LensOf::heads).row_name({3, 7, {}}), "head 7");
  EXPECT_EQ(lens_kind(LensOf::heads).place({3, 7, {}}), "Head 7 of layer 3 alone");
}

TEST(LogitLens, ALegendSaysOfWhatTheNormIs) {
  const auto gpt2 = whole_model(golden_request("gpt2"));
  EXPECT_EQ(lens_legend(*gpt2, LensOf::layers),
            "the stream before and after every layer, put through the final norm and the decoder.");
  EXPECT_NE(lens_legend(*gpt2, LensOf::heads).find("The norm is of the head's vector alone"), std::string::npos);
  const auto opt = whole_model(golden_request("opt-after"));
  EXPECT_NE(lens_legend(*opt, LensOf::heads).find("No norm scales"), std::string::npos);
}

}  // namespace
}  // namespace headscope
