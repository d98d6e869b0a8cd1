// Every stage of all three attentions of the tiny models in encoder_decoders/, and what their decoders predict, against
// what PyTorch computed (make_encoder_decoder_golden.py).
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/attention/engine.h"
#include "core/attention/output_head.h"
#include "core/backend/backend_factory.h"
#include "core/io/safetensors.h"
#include "core/model/checkpoint.h"
#include "tests/golden/golden_run.h"

namespace headscope {
namespace {

const std::string kModels = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/encoder_decoders/";

// Within 2e-5 of the largest magnitude in the row of `beside`; both -inf where the mask hides.
::testing::AssertionResult rows_agree(const std::vector<float>& found, const std::vector<float>& expected,
                                      const std::vector<float>& beside, std::int64_t row) {
  if (found.size() != expected.size()) {
    return ::testing::AssertionFailure() << found.size() << " numbers, expected " << expected.size();
  }
  for (std::size_t begin = 0; begin < expected.size(); begin += static_cast<std::size_t>(row)) {
    const std::size_t end = begin + static_cast<std::size_t>(row);
    double largest = 0;
    for (std::size_t k = begin; k < end; ++k) {
      if (std::isfinite(beside[k])) largest = std::max(largest, std::abs(static_cast<double>(beside[k])));
    }
    for (std::size_t k = begin; k < end; ++k) {
      if (std::isinf(expected[k]) && found[k] == expected[k]) continue;
      const double difference = std::abs(static_cast<double>(found[k]) - static_cast<double>(expected[k]));
      if (!(difference <= 2e-5 * largest)) {
        return ::testing::AssertionFailure()
               << "number " << k << ": found " << found[k] << ", expected " << expected[k] << " beside " << largest;
      }
    }
  }
  return ::testing::AssertionSuccess();
}

class EncoderDecoders : public GoldenTest, public ::testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    GoldenTest::SetUp();
    expected_ = SafetensorsFile::open(kModels + GetParam() + "/expected.safetensors");
  }
  Tensor expected(const std::string& name) const {
    const SafetensorsEntry* entry = expected_.find(name);
    if (entry == nullptr) throw std::runtime_error("expected.safetensors has no " + name);
    return expected_.tensor(*entry);
  }
  // `beside` names the stage whose rows say how large a number is where a row may have one visible cell, and a small
  // one.
  ::testing::AssertionResult agrees(const Tensor& found, const std::string& name,
                                    const std::string& beside = "") const {
    const Tensor wanted = expected(name);
    if (found.dim(found.rank() - 1) != wanted.dim(wanted.rank() - 1)) {
      return ::testing::AssertionFailure() << "found " << to_string(found.shape());
    }
    const Tensor all = beside.empty() ? wanted : expected(beside);
    return rows_agree(found.values(), wanted.values(), all.values(), wanted.dim(wanted.rank() - 1));
  }
  std::vector<std::int64_t> ids(const std::string& name) const {
    std::vector<std::int64_t> result;
    for (const float id : expected(name).values()) result.push_back(static_cast<std::int64_t>(id));
    return result;
  }
  std::string id_text(const std::string& name) const {
    std::string text;
    for (const std::int64_t id : ids(name)) text += (text.empty() ? "" : ",") + std::to_string(id);
    return text;
  }
  std::int64_t layers_of(const std::string& list) const {
    std::int64_t count = 0;
    while (expected_.find(list + "." + std::to_string(count) + ".input") != nullptr) ++count;
    return count;
  }

 private:
  SafetensorsFile expected_;
};

TEST_P(EncoderDecoders, EveryStageOfEveryLayerOfEveryList) {
  for (const std::string list : {"encoder", "decoder", "cross"}) {
    const std::int64_t layers = layers_of(list);
    ASSERT_GE(layers, 2) << list;
    for (std::int64_t layer = 0; layer < layers; ++layer) {
      const std::string number = std::to_string(layer);
      const Options options = {{"model", kModels + GetParam()},
                               {"token-ids", id_text("token_ids")},
                               {"decoder-ids", id_text("decoder_ids")},
                               {"attention", list},
                               {"layer", number}};
      for (const GoldenRun& run : run_everywhere(options)) {
        const std::string what = run.label + ", " + list + " " + number + ", ";
        for (const char* stage : {"input", "query", "key", "value", "scores", "weights", "context", "output"}) {
          EXPECT_TRUE(agrees(run.stage(stage), list + "." + number + "." + stage)) << what << stage;
        }
        const std::string at = list + "." + number;
        EXPECT_TRUE(agrees(run.stage("masked_scores"), at + ".masked", at + ".scores")) << what << "masked_scores";
        if (list != "cross") continue;
        EXPECT_TRUE(agrees(run.stage("key_input"), "encoder.final_hidden")) << what << "key_input";
        EXPECT_TRUE(agrees(run.stage("value_input"), "encoder.final_hidden")) << what << "value_input";
      }
    }
  }
}

// Without a text of the decoder the encoder runs, and its numbers are the same.
TEST_P(EncoderDecoders, TheEncoderAlone) {
  const std::string last = std::to_string(layers_of("encoder") - 1);
  for (const GoldenRun& run : run_everywhere({{"model", kModels + GetParam()}, {"token-ids", id_text("token_ids")}})) {
    EXPECT_TRUE(agrees(run.stage("output"), "encoder." + last + ".output")) << run.label;
  }
}

TEST_P(EncoderDecoders, PredictionsOfBothListsOfTheDecoder) {
  Request request;
  request.model = kModels + GetParam();
  request.token_ids = ids("token_ids");
  request.decoder_ids = ids("decoder_ids");
  const std::vector<float> logits = expected("logits").values();
  const std::int64_t vocabulary = expected("logits").dim(1);
  for (const AttentionList list : {AttentionList::decoder, AttentionList::cross}) {
    for (const BackendChoice choice : {BackendChoice::reference, BackendChoice::cpu}) {
      request.attention = list;
      request.backend = choice;
      EngineOptions options;
      options.whole_model = true;
      const auto trace = Engine(options).run(request, CancelToken());
      ASSERT_NE(trace->model, nullptr);
      EXPECT_EQ(static_cast<std::int64_t>(trace->model->layers.size()), layers_of("decoder"));
      EXPECT_TRUE(agrees(trace->model->final_hidden, "final_hidden"));
      std::vector<std::int64_t> positions(request.decoder_ids.size());
      std::iota(positions.begin(), positions.end(), std::int64_t{0});
      std::vector<float> found;
      const auto keep = [&found](std::span<const float> row) { found.insert(found.end(), row.begin(), row.end()); };
      for_each_logits(*trace->model, 0, positions, *make_backend({choice, 2}), CancelToken(), keep);
      EXPECT_TRUE(rows_agree(found, logits, logits, vocabulary));
      const PredictionReport report = prediction_report(*trace->model, 3, CancelToken());
      EXPECT_TRUE(report.next_token);
      ASSERT_EQ(report.positions.size(), 1U);
      EXPECT_EQ(report.positions[0].position, positions.back());
      const auto row = logits.end() - vocabulary;
      EXPECT_EQ(report.positions[0].top.at(0).id, std::max_element(row, logits.end()) - row);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Golden, EncoderDecoders, ::testing::Values("t5", "t5-gated", "bart", "mbart", "marian"),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace headscope
