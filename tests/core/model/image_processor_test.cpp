#include "core/model/image_processor.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace headscope {
namespace {

const char* const kNumbers = R"("image_mean": [0.5, 0, 0.25], "image_std": [0.5, 1, 0.25])";

Architecture architecture_of(const char* family) {
  Architecture architecture;
  architecture.family = family;
  architecture.image = ImageRule{};
  return architecture;
}

ImageProcessor read(const std::string& keys, const char* family = "vit") {
  return parse_image_processor("{" + std::string(kNumbers) + ", " + keys + "}", architecture_of(family),
                               "preprocessor_config.json");
}

std::string processor_refusal_of(const std::string& json, const char* family = "vit") {
  try {
    parse_image_processor(json, architecture_of(family), "preprocessor_config.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ImageProcessor, EverySpellingOfASize) {
  EXPECT_EQ(read(R"("size": 24)").size, (ImageProcessor::Size{24, 24}));
  EXPECT_EQ(read(R"("size": {"height": 20, "width": 30})").size, (ImageProcessor::Size{20, 30}));
  EXPECT_EQ(read(R"("size": {"shortest_edge": 25})").shortest_edge, 25);
  EXPECT_EQ(read(R"("size": 24)", "clip_vision").shortest_edge, 24) << "a number is the shorter side there";
  EXPECT_EQ(read(R"("size": 24, "crop_size": 20)", "clip_vision").crop, (ImageProcessor::Size{20, 20}));
  EXPECT_FALSE(read(R"("size": 24, "crop_size": 20, "do_center_crop": false)").crop.has_value());
}

TEST(ImageProcessor, WhatTheFileLeavesOutIsTheReferences) {
  const ImageProcessor vit = read(R"("size": 24)"), clip = read(R"("size": 24)", "clip_vision");
  EXPECT_STREQ(vit.filter->name, "bilinear");
  EXPECT_STREQ(clip.filter->name, "bicubic");
  EXPECT_EQ(vit.factor, 1.0 / 255);
  const ImageProcessor bare =
      parse_image_processor(R"({"do_resize": false, "do_rescale": false, "do_normalize": false})",
                            architecture_of("vit"), "preprocessor_config.json");
  EXPECT_EQ(bare.filter, nullptr);
  EXPECT_EQ(channel_value(bare, {7, 8, 9, 255}, 1), 8.0F);
}

TEST(ImageProcessor, NumbersAreScaledThenNormalised) {
  const ImageProcessor processor = read(R"("size": 24)");
  EXPECT_EQ(channel_value(processor, {255, 51, 0, 255}, 0), 1.0F);
  EXPECT_EQ(channel_value(processor, {255, 51, 0, 255}, 1), 0.2F);
  EXPECT_EQ(channel_value(processor, {255, 51, 0, 255}, 2), -1.0F);
}

TEST(ImageProcessor, TheShorterSideLeadsAndTheMiddleIsCut) {
  Image wide(40, 21);
  for (int x = 0; x < wide.width; ++x) {
    for (int y = 0; y < wide.height; ++y)
      wide.at(x, y) = {static_cast<std::uint8_t>(x), static_cast<std::uint8_t>(y), 0};
  }
  const ImageProcessor by_edge = read(R"("size": {"shortest_edge": 10})");
  EXPECT_EQ(fitted_image(by_edge, wide, "a.png").width, 19) << "10 * 40 / 21, rounded down";
  EXPECT_EQ(fitted_image(by_edge, wide, "a.png").height, 10);
  const ImageProcessor crop = read(R"("do_resize": false, "crop_size": {"height": 8, "width": 5})");
  const Image cut = fitted_image(crop, wide, "a.png");
  EXPECT_EQ(cut.width, 5);
  EXPECT_EQ(cut.at(0, 0), (Rgba{17, 6, 0, 255}));
  try {
    fitted_image(read(R"("do_resize": false, "crop_size": 22)"), wide, "a.png");
    ADD_FAILURE() << "was cut";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("40 x 21 pixels"), std::string::npos) << error.what();
  }
}

TEST(ImageProcessor, WhatIsNotDoneIsRefused) {
  struct Case {
    const char *keys, *said;
  };
  for (const Case& each : std::vector<Case>{
           {R"("size": 24, "resample": 0)", "nearest"},
           {R"("size": 24, "resample": 9)", "resample is 9"},
           {R"("size": {"longest_edge": 24})", "size has the keys longest_edge"},
           {R"("size": {"shortest_edge": 24, "longest_edge": 30})", "expected height and width, or shortest_edge"},
           {R"("size": -4)", "size is -4"},
           {R"("size": {"height": 0, "width": 4})", "size: height is 0"},
           {R"("size": 24, "crop_size": {"shortest_edge": 5})", "crop_size has the keys shortest_edge"},
           {R"("size": 24, "do_pad": true)", "do_pad is true, which is not implemented"},
           {R"("size": 24, "crop_pct": 0.9)", "crop_pct"},
           {R"("size": 24, "image_processor_type": "Owlv2ImageProcessor")", "Owlv2ImageProcessor"},
           {R"("size": 24, "do_resize": 1)", "do_resize is 1"},
           {R"("do_rescale": true)", "size is missing"},
       }) {
    const std::string refusal = processor_refusal_of("{" + std::string(kNumbers) + ", " + each.keys + "}");
    EXPECT_TRUE(refusal.starts_with("preprocessor_config.json: ")) << each.keys;
    EXPECT_NE(refusal.find(each.said), std::string::npos) << each.keys << ": " << refusal;
  }
  EXPECT_NE(processor_refusal_of(R"({"size": 24, "image_mean": [1, 2], "image_std": [1, 0, 1]})").find("list of 3"),
            std::string::npos);
  EXPECT_NE(processor_refusal_of(R"({"size": 24, "image_mean": [0, 0, 0], "image_std": [1, 0, 1]})").find("above 0"),
            std::string::npos);
  EXPECT_NE(processor_refusal_of("[]").find("expected an object"), std::string::npos);
  for (const char* known :
       {"ViTFeatureExtractor", "BitImageProcessor", "CLIPImageProcessorFast", "SiglipImageProcessor"}) {
    EXPECT_EQ(
        processor_refusal_of(std::string("{") + kNumbers + R"(, "size": 4, "image_processor_type": ")" + known + "\"}"),
        "");
  }
}

}  // namespace
}  // namespace headscope
