// What models with an encoder and a decoder read from config.json and from their files, which position tables they
// compute, and what is refused; their arithmetic is in tests/golden/encoder_decoders.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "core/attention/engine.h"
#include "core/attention/model_stages.h"
#include "core/attention/output_head.h"
#include "core/model/checkpoint.h"
#include "core/model/position_tables.h"
#include "tests/core/model/model_files.h"
#include "tests/core/model/read_config.h"

namespace headscope {
namespace {

using Arch = Architecture;

const std::string kDecoderModels = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/encoder_decoders/";

Request request_of(const std::string& name) {
  Request request;
  request.model = kDecoderModels + name;
  request.token_ids = {5, 6, 7, 8};
  request.decoder_ids = {0, 9, 10};
  return request;
}

std::shared_ptr<const Trace> run_of(const Request& request, bool whole = false) {
  EngineOptions options;
  options.whole_model = whole;
  return Engine(options).run(request, CancelToken());
}

// The option that is refused and why; "" where it runs.
std::string decoder_refusal_of(const Request& request) {
  try {
    run_of(request);
  } catch (const UsageError& error) {
    return error.what();
  } catch (const ProblemError& error) {
    return error.what();
  }
  return "";
}

void expect_refused(const Request& request, const std::vector<std::string>& words) {
  const std::string found = decoder_refusal_of(request);
  for (const std::string& word : words) EXPECT_NE(found.find(word), std::string::npos) << found;
}

TEST(FamilyEncoderDecoder, T5SaysItsMlpAndWhetherLogitsAreScaled) {
  const ConfigJson t5 = {{"model_type", "t5"}, {"vocab_size", 32}, {"d_model", 16}, {"d_kv", 3},
                         {"num_heads", 5},     {"num_layers", 2},  {"d_ff", 12}};
  const ModelConfig plain = config_of_json(t5);
  EXPECT_EQ(plain.architecture.part, Arch::Part::encoder);
  EXPECT_EQ(plain.architecture.head_dim, 3);
  EXPECT_EQ(plain.architecture.mlp, Arch::Mlp::plain);
  EXPECT_EQ(plain.architecture.activation, Arch::Activation::relu);
  ASSERT_TRUE(plain.architecture.relative.has_value());
  EXPECT_TRUE(plain.architecture.relative->both_directions);
  EXPECT_EQ(plain.family->more_parts.size(), 2U);
  const ConfigJson gated = json_with(t5, "feed_forward_proj", "gated-gelu");
  EXPECT_EQ(config_of_json(gated).architecture.mlp, Arch::Mlp::gated);
  EXPECT_EQ(config_of_json(gated).architecture.activation, Arch::Activation::gelu_tanh);
  EXPECT_EQ(config_of_json(json_with(t5, "model_type", "mt5")).architecture.mlp, Arch::Mlp::gated) << "the default";
  EXPECT_NE(config_refusal_of(json_with(t5, "feed_forward_proj", "gated-tanh")).find("gated-tanh"), std::string::npos);
  EXPECT_NE(config_refusal_of(json_with(t5, "relative_attention_max_distance", 4)).find("max_distance is 4"),
            std::string::npos);
}

TEST(FamilyEncoderDecoder, OldSwitchesOfBartAreRefusedWhereTheyAskForAnotherModel) {
  const ConfigJson bart = {{"model_type", "bart"},          {"vocab_size", 32},    {"d_model", 16},
                           {"encoder_attention_heads", 2},  {"encoder_layers", 2}, {"encoder_ffn_dim", 8},
                           {"activation_function", "swish"}};
  EXPECT_EQ(config_of_json(bart).architecture.activation, Arch::Activation::silu);
  EXPECT_EQ(config_of_json(json_with(bart, "scale_embedding", true)).architecture.embedding_scale, 4);
  EXPECT_NE(config_refusal_of(json_with(bart, "normalize_before", true)).find("normalize_before"), std::string::npos);
  const ConfigJson marian = json_with(bart, "model_type", "marian");
  EXPECT_TRUE(config_of_json(marian).architecture.sinusoidal);
  const ConfigJson two =
      json_with(json_with(marian, "share_encoder_decoder_embeddings", false), "decoder_vocab_size", 40);
  EXPECT_EQ(config_of_json(two).architecture.vocab_size, 32) << "the encoder's";
  EXPECT_STREQ(config_of_json(two).family->names.word, "encoder.embed_tokens");
}

TEST(FamilyEncoderDecoder, ThePartsOfAModelCountTheirTensorsOnce) {
  const auto model = Checkpoint::open(kDecoderModels + "t5");
  EXPECT_EQ(model->unexpected(), std::vector<std::string>{});
  EXPECT_EQ(model->output_head().kind, OutputHead::Kind::none);
  EXPECT_STREQ(model->why_no_head(), "predicts with its decoder, not with its encoder");
  EXPECT_EQ(model->start_token(), 0);
  const auto decoder = model->part(Arch::Part::decoder), cross = model->part(Arch::Part::cross);
  ASSERT_TRUE(decoder != nullptr && cross != nullptr);
  EXPECT_EQ(model->part(Arch::Part::encoder), nullptr) << "it is the encoder";
  EXPECT_EQ(model->architecture().num_layers, 2);
  EXPECT_EQ(decoder->architecture().num_layers, 3);
  EXPECT_TRUE(decoder->architecture().causal);
  EXPECT_EQ(decoder->architecture().mlp, Arch::Mlp::none);
  EXPECT_FALSE(cross->architecture().relative.has_value());
  EXPECT_EQ(cross->output_head().kind, OutputHead::Kind::next_token);
  EXPECT_TRUE(std::abs(cross->architecture().logit_scale * std::sqrt(20.0) - 1) < 1e-12);
  // Of d = 20, heads * d_kv = 21, d_ff 33, 8 buckets of 3 heads, 43 words.
  const std::int64_t attention = 4 * 20 * 21 + 20, mlp = 2 * 20 * 33 + 20, bias = 8 * 3;
  EXPECT_EQ(model->parameters(), 43 * 20 + 2 * (attention + mlp) + bias + 20 + 3 * (2 * attention + mlp) + bias + 20);
  EXPECT_EQ(Checkpoint::open(kDecoderModels + "t5-gated")->part(Arch::Part::cross)->architecture().logit_scale, 1)
      << "its decoder is not tied";
  EXPECT_EQ(Checkpoint::open(kDecoderModels + "marian")->files(), std::vector<std::string>{"pytorch_model.bin"});
}

// Buckets as T5's code counts them: 4 of a direction, 2 of them of one distance each.
TEST(FamilyEncoderDecoder, RelativeBuckets) {
  const RelativeRule both{8, 6, true};
  const std::vector<std::int64_t> expected = {3, 3, 2, 2, 1, 0, 5, 6, 6, 7, 7};
  for (std::int64_t distance = -5; distance <= 5; ++distance) {
    EXPECT_EQ(relative_bucket(both, distance), expected[static_cast<std::size_t>(distance + 5)]) << distance;
  }
  const RelativeRule before{32, 128, false};
  EXPECT_EQ(relative_bucket(before, 7), 0) << "later keys";
  EXPECT_EQ(relative_bucket(before, -15), 15);
  EXPECT_EQ(relative_bucket(before, -16), 16);
  EXPECT_EQ(relative_bucket(before, -31), 21);
  EXPECT_EQ(relative_bucket(before, -32), 21);
  EXPECT_EQ(relative_bucket(before, -1000), 31);
}

TEST(FamilyEncoderDecoder, SinesThenCosines) {
  const Tensor table = sinusoidal_table(3, 5);
  const double slow = 2 / std::pow(10000.0, 0.4);
  const double expected[] = {std::sin(2.0), std::sin(slow), std::sin(2 / std::pow(10000.0, 0.8)), std::cos(2.0),
                             std::cos(slow)};
  for (std::int64_t d = 0; d < 5; ++d) {
    EXPECT_TRUE(std::abs(static_cast<double>(table.at({2, d})) - expected[d]) <= 1e-7) << d;
  }
}

TEST(FamilyEncoderDecoder, ListsAreChosen) {
  Request request = request_of("bart");
  auto trace = run_of(request);
  EXPECT_EQ(trace->tensor(StageId::weights).shape(), (Shape{1, 7, 3, 4})) << "cross-attention";
  EXPECT_EQ(trace->inputs->layer, 2) << "the last of the decoder";
  request.attention = AttentionList::decoder;
  EXPECT_EQ(run_of(request)->tensor(StageId::weights).shape(), (Shape{1, 7, 3, 3}));
  request.attention = AttentionList::encoder;
  trace = run_of(request);
  EXPECT_EQ(trace->tensor(StageId::weights).shape(), (Shape{1, 3, 4, 4}));
  EXPECT_EQ(trace->inputs->encoder, nullptr);
  request.attention = AttentionList::automatic;
  request.decoder_ids.clear();
  EXPECT_EQ(run_of(request)->tensor(StageId::weights).shape(), (Shape{1, 3, 4, 4})) << "without a text";
}

// Masks, scales and switched heads are those of the shown list: the others run as the model has them.
TEST(FamilyEncoderDecoder, OptionsAreOfTheShownListAlone) {
  Request request = request_of("t5");
  request.layer = 0;
  const Tensor input = run_of(request)->tensor(StageId::input), keys = run_of(request)->tensor(StageId::key_input);
  request.scale = 0.5;
  request.mask = {{MaskTerm::Kind::padding, 1, ""}};
  request.ablate = {{{0, 1}, true}};
  const auto trace = run_of(request);
  EXPECT_EQ(trace->tensor(StageId::input).values(), input.values());
  EXPECT_EQ(trace->tensor(StageId::key_input).values(), keys.values());
  EXPECT_EQ(trace->tensor(StageId::weights).at({0, 0, 1, 3}), 0.0F);
  EXPECT_EQ(trace->tensor(StageId::context).at({0, 1, 1, 0}), 0.0F);
}

// What is kept of the encoder between two runs gives the same bits.
TEST(FamilyEncoderDecoder, AReusedEncoderGivesTheSameBits) {
  Request request = request_of("bart");
  EngineOptions options;
  options.reuse = options.whole_model = true;
  Engine engine(options);
  engine.run(request, CancelToken());
  request.decoder_ids.push_back(11);
  const auto again = engine.run(request, CancelToken());
  const auto fresh = run_of(request, true);
  EXPECT_EQ(again->tensor(StageId::output).values(), fresh->tensor(StageId::output).values());
  EXPECT_EQ(again->model->final_hidden.values(), fresh->model->final_hidden.values());
}

TEST(FamilyEncoderDecoder, WhatDoesNotFitIsRefused) {
  Request request = request_of("bart");
  request.layer = 3;
  expect_refused(request, {"layer", "3 layers", "0 to 2"});
  request = request_of("bart");
  request.decoder_ids = {47};
  expect_refused(request, {"decoder-ids", "47", "0 to 46"});
  request.decoder_ids.assign(14, 3);
  expect_refused(request, {"decoder-ids", "14 tokens", "at most 13"});
  request.decoder_ids.clear();
  request.decoder_phrase = "a";
  expect_refused(request, {"decoder-phrase", "no tokenizer", "--decoder-ids"});
  request = request_of("t5");
  request.attention = AttentionList::decoder;
  request.past = 2;
  expect_refused(request, {"past", "relative positions"});
  Request gpt;
  gpt.model = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/gpt2";
  gpt.token_ids = {1, 2};
  gpt.decoder_ids = {1};
  expect_refused(gpt, {"decoder-ids", "no encoder and decoder", "T5"});
  gpt.decoder_ids.clear();
  gpt.attention = AttentionList::encoder;
  expect_refused(gpt, {"attention", "no encoder and decoder"});
}

TEST(FamilyEncoderDecoder, ViewsOfAWholeModelKnowTheirDecoder) {
  const auto trace = run_of(request_of("t5"), true);
  EXPECT_NO_THROW(check_model_stage("export", *trace, ModelStageId::stream));
  EXPECT_NO_THROW(check_model_stage("export", *trace, ModelStageId::mlp_out));
  EXPECT_THROW(check_one_stack("model", *trace->model), UsageError);
  Request request = request_of("t5");
  request.decoder_ids.clear();
  const auto encoder = run_of(request, true);
  EXPECT_NO_THROW(check_model_stage("export", *encoder, ModelStageId::stream));
  EXPECT_THROW(prediction_report(*encoder->model, 1, CancelToken()), UsageError);
}

class EncoderAlone : public FilesTest {};

// A folder that holds the encoder of a T5 alone, as those that condition pictures do.
TEST_F(EncoderAlone, OpensAndSaysThatItHasNoDecoder) {
  std::filesystem::copy(kDecoderModels + "t5/config.json", path("config.json"));
  const SafetensorsFile file = SafetensorsFile::open(kDecoderModels + "t5/model.safetensors");
  std::vector<NamedTensor> tensors;
  for (const SafetensorsEntry& entry : file.entries()) {
    if (!entry.name.starts_with("decoder.")) tensors.push_back({entry.name, file.tensor(entry)});
  }
  write_layer("model.safetensors", tensors);
  const std::string folder = std::filesystem::path(path("config.json")).parent_path().string();
  const auto model = Checkpoint::open(folder);
  EXPECT_EQ(model->part(Arch::Part::cross), nullptr);
  EXPECT_STREQ(model->why_no_head(), "was saved without its decoder, which predicts");
  Request request;
  request.model = folder;
  request.token_ids = {4, 5};
  EXPECT_EQ(decoder_refusal_of(request), "");
  request.decoder_ids = {0};
  expect_refused(request, {"decoder-ids", "saved without its decoder"});
}

}  // namespace
}  // namespace headscope
