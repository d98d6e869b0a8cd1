// Every stage of all three attentions of the tiny models in encoder_decoders/, and what their decoders predict, against
// what PyTorch computed (make_encoder_decoder_golden.py).
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/attention/engine.h"
#include "core/attention/model_stages.h"
#include "core/attention/output_head.h"
#include "core/backend/backend_factory.h"
#include "core/base/error.h"
#include "core/explain/logit_lens.h"
#include "core/generate/generation.h"
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
  // What the encoder reads: a text, or the features of a sound.
  bool reads_sound() const { return expected_.find("features") != nullptr; }
  std::string features() const { return kModels + GetParam() + "/features.npy"; }
  Options source() const {
    if (reads_sound()) return {{"model", kModels + GetParam()}, {"features", features()}};
    return {{"model", kModels + GetParam()}, {"token-ids", id_text("token_ids")}};
  }
  Request source_request() const {
    Request request;
    request.model = kModels + GetParam();
    if (reads_sound()) {
      request.features = features();
    } else {
      request.token_ids = ids("token_ids");
    }
    return request;
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
      Options options = source();
      options.insert(options.end(), {{"decoder-ids", id_text("decoder_ids")}, {"attention", list}, {"layer", number}});
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
  for (const GoldenRun& run : run_everywhere(source())) {
    EXPECT_TRUE(agrees(run.stage("output"), "encoder." + last + ".output")) << run.label;
  }
}

TEST_P(EncoderDecoders, PredictionsOfBothListsOfTheDecoder) {
  Request request = source_request();
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

// What enters each layer of the decoder as a whole, whichever list is shown, and what the head makes of it.
TEST_P(EncoderDecoders, StreamsAndLensOfTheDecoder) {
  Request request = source_request();
  request.decoder_ids = ids("decoder_ids");
  const std::int64_t vocabulary = expected("logits").dim(1), len = std::ssize(request.decoder_ids);
  for (const AttentionList list : {AttentionList::decoder, AttentionList::cross}) {
    request.attention = list;
    EngineOptions options;
    options.whole_model = true;
    const auto trace = Engine(options).run(request, CancelToken());
    const auto stages = model_stages("export", *trace, std::array{ModelStageId::stream, ModelStageId::logits}, {});
    EXPECT_TRUE(agrees(stages[0].tensor, "streams"));
    EXPECT_TRUE(agrees(stages[1].tensor, "logits"));
    const LogitLens lens = logit_lens("lens", *trace, {}, CancelToken());
    ASSERT_EQ(std::ssize(lens.rows), layers_of("decoder") + 1);
    const std::vector<float> logits = expected("lens").values();
    for (std::size_t l = 0; l < lens.rows.size(); ++l) {
      ASSERT_EQ(std::ssize(lens.rows[l].positions), len);
      for (std::int64_t i = 0; i < len; ++i) {
        const auto row = logits.begin() + (static_cast<std::int64_t>(l) * len + i) * vocabulary;
        const auto largest = std::max_element(row, row + vocabulary);
        const TokenProbability& found = lens.rows[l].positions[static_cast<std::size_t>(i)].top.at(0);
        EXPECT_EQ(found.id, largest - row) << "after layer " << l << " at " << i;
        EXPECT_NEAR(found.logit, *largest, 1e-4);
      }
    }
  }
}

// What cross-attention adds and what the MLP behind it reads and adds make the stream of the next layer.
TEST_P(EncoderDecoders, TheMlpReadsWhatCrossAttentionLeaves) {
  Request request = source_request();
  request.decoder_ids = ids("decoder_ids");
  EngineOptions options;
  options.whole_model = true;
  const auto trace = Engine(options).run(request, CancelToken());
  const Architecture& architecture = trace->model->checkpoint->architecture();
  if (architecture.norms_input()) {
    const auto stages = model_stages(
        "export", *trace,
        std::array{ModelStageId::stream, ModelStageId::attention_out, ModelStageId::mlp_in, ModelStageId::mlp_out}, {});
    const std::vector<float> stream = stages[0].tensor.values(), attention = stages[1].tensor.values(),
                             added = stages[3].tensor.values();
    const std::vector<float> entered = trace->model->streams.at(1).values();
    const std::size_t size = entered.size();
    for (std::size_t k = 0; k < size; ++k) {
      EXPECT_NEAR(stream[2 * size + k], entered[k] + attention[size + k] + added[size + k], 1e-4);
    }
  }
  request.attention = AttentionList::decoder;
  const auto other = Engine(options).run(request, CancelToken());
  EXPECT_THROW(model_stages("export", *other, std::array{ModelStageId::mlp_out}, {}), UsageError);
}

TEST_P(EncoderDecoders, GenerationGoesOnAsTheLikeliestTokens) {
  Request request = source_request();
  request.decoder_ids = ids("decoder_ids");
  const std::vector<std::int64_t> wanted = ids("generated");
  for (const AttentionList list : {AttentionList::automatic, AttentionList::decoder}) {
    request.attention = list;
    for (const bool reuse : {false, true}) {
      EngineOptions options;
      options.whole_model = true;
      options.reuse = reuse;
      Engine engine(options);
      GenerationOptions asked;
      asked.tokens = std::ssize(wanted);
      const Generation found = generate(engine, request, asked, CancelToken());
      EXPECT_EQ(found.prompt_ids, request.decoder_ids);
      std::vector<std::int64_t> made;
      for (const GeneratedToken& token : found.tokens) made.push_back(token.sampled.token.id);
      EXPECT_EQ(made, wanted);
    }
  }
  // Without a text the decoder begins with its start token.
  request.attention = AttentionList::automatic;
  request.decoder_ids.clear();
  EngineOptions options;
  options.whole_model = true;
  Engine engine(options);
  const Generation begun = generate(engine, request, {}, CancelToken());
  EXPECT_EQ(begun.prompt_ids, (std::vector<std::int64_t>{ids("decoder_ids").front()}));
  EXPECT_EQ(begun.tokens.size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(Golden, EncoderDecoders,
                         ::testing::Values("t5", "t5-gated", "bart", "mbart", "marian", "marian-two-vocabularies",
                                           "whisper"),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace headscope
