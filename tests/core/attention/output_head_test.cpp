#include "core/attention/output_head.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/attention/engine.h"
#include "core/base/error.h"
#include "core/io/safetensors.h"
#include "core/model/checkpoint.h"

namespace headscope {
namespace {

const std::string kModels = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/";

struct Computed {
  std::shared_ptr<const Trace> trace;
  std::vector<std::int64_t> ids;
  Tensor logits;  // PyTorch's, [len, vocab]
};

Computed computed(const std::string& name, BackendChoice backend = BackendChoice::cpu) {
  const SafetensorsFile file = SafetensorsFile::open(kModels + name + "/expected.safetensors");
  Computed result;
  for (const float id : file.tensor(*file.find("token_ids")).values()) {
    result.ids.push_back(static_cast<std::int64_t>(id));
  }
  result.logits = file.tensor(*file.find("logits"));
  Request request;
  request.model = kModels + name;
  request.token_ids = result.ids;
  request.backend = backend;
  EngineOptions options;
  options.whole_model = true;
  result.trace = Engine(options).run(request, CancelToken());
  return result;
}

std::vector<std::int64_t> all_positions(const Computed& of) {
  std::vector<std::int64_t> positions(of.ids.size());
  std::iota(positions.begin(), positions.end(), 0);
  return positions;
}

std::vector<Prediction> predicted(const Computed& of, const std::vector<std::int64_t>& positions, std::int64_t top_n) {
  return predictions(*of.trace->model, 0, positions, top_n, *of.trace->model->backend, CancelToken());
}

TEST(OutputHead, LogitsProbabilitiesAndLossAreThoseOfTheReference) {
  for (const char* name : {"gpt2", "gpt2-f16", "bert", "roberta", "distilbert", "llama", "gemma",
                           "attention-only-decoder", "attention-only-encoder"}) {
    for (const BackendChoice backend : {BackendChoice::reference, BackendChoice::cpu}) {
      const Computed of = computed(name, backend);
      const std::int64_t vocabulary = of.logits.dim(1);
      const bool next = of.trace->model->checkpoint->output_head().kind == OutputHead::Kind::next_token;
      const std::vector<Prediction> found = predicted(of, all_positions(of), vocabulary + 5);
      ASSERT_EQ(found.size(), of.ids.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        const auto row = static_cast<std::int64_t>(i);
        double largest = 0, sum = 0;
        for (std::int64_t id = 0; id < vocabulary; ++id) {
          largest = std::max(largest, std::abs(static_cast<double>(of.logits.at({row, id}))));
          sum += std::exp(static_cast<double>(of.logits.at({row, id})));
        }
        EXPECT_EQ(found[i].position, row);
        ASSERT_EQ(static_cast<std::int64_t>(found[i].top.size()), vocabulary);
        for (std::size_t k = 0; k < found[i].top.size(); ++k) {
          const TokenProbability& token = found[i].top[k];
          const double wanted = of.logits.at({row, token.id});
          EXPECT_NEAR(token.logit, wanted, 3e-5 * largest) << name;
          EXPECT_NEAR(token.probability, std::exp(wanted) / sum, 2e-4 * std::exp(wanted) / sum + 1e-7) << name;
          EXPECT_EQ(token.piece, std::to_string(token.id)) << "no tokenizer";
          if (k > 0) {
            EXPECT_GE(found[i].top[k - 1].logit, token.logit);
          }
        }
        if (next && i + 1 == found.size()) {
          EXPECT_EQ(found[i].loss, std::nullopt);
          continue;
        }
        const std::int64_t target = of.ids[next ? i + 1 : i];
        ASSERT_TRUE(found[i].loss.has_value()) << name;
        EXPECT_NEAR(*found[i].loss, std::log(sum) - of.logits.at({row, target}), 1e-4) << name;
      }
    }
  }
}

TEST(OutputHead, LogitsOfOnePositionAreThoseOfItsPrediction) {
  for (const char* name : {"gpt2", "bert", "gemma2"}) {
    const Computed of = computed(name);
    const ModelTrace& model = *of.trace->model;
    for (const Prediction& each : predicted(of, all_positions(of), 1000)) {
      const std::vector<float> logits = logits_at(model, 0, each.position, *model.backend, CancelToken());
      ASSERT_EQ(logits.size(), each.top.size());
      for (const TokenProbability& token : each.top) {
        EXPECT_EQ(static_cast<double>(logits[static_cast<std::size_t>(token.id)]), token.logit) << name;
      }
    }
  }
}

TEST(OutputHead, APredictionHasItsBitsWhateverElseIsAskedFor) {
  const Computed of = computed("gpt2");
  const std::vector<Prediction> all = predicted(of, all_positions(of), 3);
  for (const Prediction& each : all) {
    const Prediction alone = predicted(of, {each.position}, 3).front();
    EXPECT_EQ(alone.loss, each.loss);
    ASSERT_EQ(alone.top.size(), 3u);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(alone.top[k].id, each.top[k].id);
      EXPECT_EQ(alone.top[k].logit, each.top[k].logit);
      EXPECT_EQ(alone.top[k].probability, each.top[k].probability);
    }
  }
}

TEST(OutputHead, ReportsTheLastPositionOfADecoderAndEveryOneOfAnEncoderWithoutMasks) {
  const Computed decoder = computed("gpt2");
  const PredictionReport next = prediction_report(*decoder.trace->model, 2, CancelToken());
  EXPECT_TRUE(next.next_token);
  ASSERT_EQ(next.positions.size(), 1u);
  EXPECT_EQ(next.positions[0].position, static_cast<std::int64_t>(decoder.ids.size()) - 1);
  EXPECT_EQ(next.positions[0].top.size(), 2u);
  ASSERT_EQ(next.token_loss.size(), decoder.ids.size());
  EXPECT_EQ(next.token_loss[0], std::nullopt) << "nothing is before it";
  EXPECT_EQ(next.token_loss[1], predicted(decoder, {0}, 0)[0].loss);
  double sum = 0;
  for (std::size_t i = 1; i < next.token_loss.size(); ++i) sum += *next.token_loss[i];
  ASSERT_TRUE(next.mean_loss.has_value());
  EXPECT_NEAR(*next.mean_loss, sum / static_cast<double>(decoder.ids.size() - 1), 1e-12);

  const Computed encoder = computed("attention-only-encoder");
  const PredictionReport words = prediction_report(*encoder.trace->model, 1, CancelToken());
  EXPECT_FALSE(words.next_token);
  EXPECT_EQ(words.positions.size(), encoder.ids.size());
  EXPECT_EQ(words.token_loss[0], predicted(encoder, {0}, 0)[0].loss);
}

TEST(OutputHead, CancelsAndRefusesAModelWithoutHead) {
  const Computed of = computed("gpt2");
  CancelToken cancelled;
  cancelled.cancel();
  EXPECT_THROW(predictions(*of.trace->model, 0, all_positions(of), 1, *of.trace->model->backend, cancelled), Cancelled);
}

}  // namespace
}  // namespace headscope
