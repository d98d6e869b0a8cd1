// The tokens that Whisper's convolutions make of a sound's features, against PyTorch's, and which features are refused.
#include "core/model/feature_input.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/attention/engine.h"
#include "core/base/error.h"
#include "core/io/npy.h"
#include "core/io/safetensors.h"
#include "core/model/checkpoint.h"
#include "core/request/problem.h"
#include "tests/core/model/model_files.h"
#include "tests/core/model/read_config.h"

namespace headscope {
namespace {

const std::string kWhisper = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/encoder_decoders/whisper";
const std::string kFeatures = kWhisper + "/features.npy";

class Features : public FilesTest {
 protected:
  std::string refusal_of(const Request& request) const {
    try {
      Engine().run(request, CancelToken());
    } catch (const UsageError& error) {
      return error.what();
    } catch (const ProblemError& error) {
      return error.what();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  void expect_refused(const Request& request, const std::vector<std::string>& words) const {
    const std::string found = refusal_of(request);
    for (const std::string& word : words) EXPECT_NE(found.find(word), std::string::npos) << found;
  }
  static Request request() {
    Request result;
    result.model = kWhisper;
    result.features = kFeatures;
    return result;
  }
};

void expect_near(const Tensor& found, const Tensor& expected) {
  ASSERT_EQ(found.shape(), expected.shape());
  const std::vector<float> a = found.values(), b = expected.values();
  for (std::size_t k = 0; k < a.size(); ++k) {
    ASSERT_TRUE(std::abs(static_cast<double>(a[k]) - static_cast<double>(b[k])) <= 2e-6) << k;
  }
}

TEST_F(Features, BothConvolutionsAreTorchs) {
  const SafetensorsFile file = SafetensorsFile::open(kWhisper + "/expected.safetensors");
  const auto input = feature_input(read_npy(kFeatures).tensor, kFeatures, *Checkpoint::open(kWhisper), CancelToken());
  expect_near(input->first, file.tensor(*file.find("first_convolution")));
  expect_near(input->tokens, file.tensor(*file.find("tokens")));
  EXPECT_EQ(input->bands, 5);
  EXPECT_EQ(input->frames, 18);
  ASSERT_EQ(input->names.size(), 9U);
  EXPECT_EQ(input->names[0], "f0");
  EXPECT_EQ(input->names[8], "f16");
}

TEST_F(Features, ABatchOfOneIsTheSame) {
  const Tensor features = read_npy(kFeatures).tensor;
  Request three = request();
  three.features = write_npy_file("three.npy", features.reshaped({1, 5, 18}, {Axis::batch, Axis::feature, Axis::key}));
  const auto run = [](const Request& each) { return Engine().run(each, CancelToken())->tensor(StageId::output); };
  EXPECT_EQ(run(three).values(), run(request()).values());
}

TEST_F(Features, OtherShapesAreRefused) {
  const Tensor features = read_npy(kFeatures).tensor;
  Request other = request();
  for (const Tensor& wrong : {features.sliced(1, 0, 17).dense_copy(), features.sliced(0, 0, 4).dense_copy(),
                              features.permuted({1, 0}).dense_copy()}) {
    other.features = write_npy_file("wrong.npy", wrong);
    expect_refused(other, {"wrong.npy", "expected [5, 18]", "9 positions"});
  }
  other.features = write_npy_file("two.npy", Tensor::zeros({2, 5, 18}, {Axis::batch, Axis::feature, Axis::key}));
  expect_refused(other, {"[2, 5, 18]", "expected [5, 18]"});
  other.features = path("missing.npy");
  expect_refused(other, {"missing.npy"});
}

TEST_F(Features, AModelReadsWhatItReads) {
  Request other = request();
  other.features.clear();
  other.phrase = "a";
  expect_refused(other, {"phrase", "reads the features of sounds", "--features FILE.npy, [5, 18]"});
  other = request();
  other.model = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/encoder_decoders/t5";
  expect_refused(other, {"features", "reads texts", "whisper"});
  other.model = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/vision_models/vit";
  expect_refused(other, {"features", "reads images"});
  other = request();
  other.decoder_ids = {53};
  expect_refused(other, {"decoder-ids", "53", "0 to 52"});
  other.decoder_ids.assign(14, 3);
  expect_refused(other, {"decoder-ids", "14 tokens", "at most 13"});
}

TEST_F(Features, AWhisperIsItsThreeLists) {
  const auto model = Checkpoint::open(kWhisper);
  const Architecture& encoder = model->architecture();
  EXPECT_EQ(encoder.features->bands, 5);
  EXPECT_EQ(encoder.max_positions, 9);
  EXPECT_FALSE(encoder.key_bias);
  EXPECT_TRUE(model->unexpected().empty());
  EXPECT_TRUE(model->block(0).attention.key.bias.empty());
  EXPECT_FALSE(model->block(0).attention.value.bias.empty());
  const auto cross = model->part(Architecture::Part::cross);
  ASSERT_NE(cross, nullptr);
  EXPECT_FALSE(cross->architecture().features.has_value());
  EXPECT_EQ(cross->architecture().max_positions, 13);
  EXPECT_EQ(cross->output_head().kind, OutputHead::Kind::next_token);
  EXPECT_EQ(model->embedding().convolutions.second.weight.shape(), (Shape{30, 90}));
}

TEST_F(Features, ConfigurationsThatAskForAnotherModelAreRefused) {
  const ConfigJson whisper = {{"model_type", "whisper"}, {"d_model", 12}, {"encoder_attention_heads", 2}};
  EXPECT_EQ(config_of_json(whisper).architecture.features->bands, 80) << "the default";
  EXPECT_EQ(config_of_json(whisper).architecture.max_positions, 1500);
  EXPECT_NE(config_refusal_of(json_with(whisper, "scale_embedding", true)).find("scale_embedding"), std::string::npos);
  EXPECT_NE(config_refusal_of(json_with(whisper, "num_mel_bins", 0)).find("num_mel_bins"), std::string::npos);
}

}  // namespace
}  // namespace headscope
