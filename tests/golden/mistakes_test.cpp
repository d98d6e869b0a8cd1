// PyTorch code with one of some seventy mistakes, in float32, bfloat16 and float16, is named for what it is, and right
// code is equal within its format. See make_mistakes_golden.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "core/attention/engine.h"
#include "core/backend/backend_factory.h"
#include "core/diagnose/diagnose.h"
#include "core/io/safetensors.h"
#include "core/request/request_text.h"

namespace headscope {
namespace {

const std::string kMistakesFolder = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/mistakes/";

std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> parts{""};
  for (const char c : name) {
    if (c == '/') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::shared_ptr<const Trace> ours(const std::string& layer, const std::string& mask) {
  Request request;
  if (layer == "plain") {
    request.input = kMistakesFolder + "x.npy";
    request.weights = kMistakesFolder + "layer.safetensors";
    request.heads = 4;
    find_request_option("mask")->set(request, mask);
  } else {
    request.model = kMistakesFolder + "llama";
    find_request_option("token-ids")->set(request, "3,7,21,1,9,12,30,7,18");
    request.layer = 0;
  }
  return Engine().run(request, {});
}

// The mask of the layer that the mistake is one of.
std::string mask_for(const std::string& mistake) {
  if (mistake.starts_with("window-")) return "window:2";
  if (mistake.starts_with("padding-")) return "padding:2";
  return "causal";
}

TEST(GoldenMistakes, EveryMistakeOfTorchCodeIsNamedInEveryFormat) {
  const auto theirs = SafetensorsFile::open(kMistakesFolder + "theirs.safetensors");
  std::map<std::string, std::shared_ptr<const Trace>> layers;
  std::map<std::string, int> asked, first, named;
  for (const SafetensorsEntry& entry : theirs.entries()) {
    const std::vector<std::string> parts = parts_of(entry.name);
    ASSERT_EQ(parts.size(), 4u) << entry.name;
    const std::string &layer = parts[0], &mistake = parts[1], &stage = parts[2], &format = parts[3];
    auto& trace = layers[layer + mask_for(mistake)];
    if (trace == nullptr) trace = ours(layer, mask_for(mistake));
    const Diagnosis found =
        diagnose(*trace, {{*stage_named(stage), theirs.tensor(entry)}}, make_cpu_backend(1), {}, {});
    EXPECT_EQ(found.stages.front().format.option, format) << entry.name;
    if (mistake == "right") {
      EXPECT_TRUE(found.equal) << entry.name << ": " << found.stages.front().where.sentence;
      continue;
    }
    ++asked[format];
    const std::vector<std::string> wanted = {mistake};
    const auto& all = found.explanations;
    const bool is_first = !all.empty() && all.front().variants == wanted;
    const bool is_named =
        std::any_of(all.begin(), all.end(), [&](const auto& each) { return each.variants == wanted; });
    first[format] += is_first ? 1 : 0;
    named[format] += is_named ? 1 : 0;
    // What cannot be told from the right numbers may be called equal; another name alone is wrong.
    EXPECT_TRUE(is_named || all.empty()) << entry.name << " is called " << all.front().variants.front();
    EXPECT_TRUE(is_named || format != "f32") << entry.name << ": " << found.verdict();
  }
  for (const char* format : {"f32", "bf16", "f16"}) {
    EXPECT_GE(asked[format], 80) << format;
    EXPECT_GE(named[format] * 100, asked[format] * 97) << format << ": " << named[format] << " of " << asked[format];
    EXPECT_GE(first[format] * 100, asked[format] * 93) << format << ": " << first[format] << " of " << asked[format];
  }
}

// The mistakes of three stages at once, each judged from their stages before it.
TEST(GoldenMistakes, SeveralStagesNameAMistakeEach) {
  const auto trace = ours("plain", "causal");
  const auto with = [&](StageId stage, double factor) {
    const Tensor& own = trace->tensor(stage);
    std::vector<float> values = own.values();
    for (float& value : values) value *= static_cast<float>(factor);
    return Tensor::of(own.shape(), own.axes(), values);
  };
  // Scores times 2.449 = root of head_dim: not scaled. Everything behind them is ours, and so wrong given these scores.
  const Diagnosis found = diagnose(*trace,
                                   {{StageId::raw_scores, trace->tensor(StageId::raw_scores)},
                                    {StageId::scores, with(StageId::scores, std::sqrt(6.0))},
                                    {StageId::concat, trace->tensor(StageId::concat)}},
                                   make_cpu_backend(1), {}, {});
  ASSERT_EQ(found.stages.size(), 3u);
  EXPECT_TRUE(found.stages[0].equal);
  EXPECT_FALSE(found.stages[1].equal);
  EXPECT_EQ(found.stages[1].mistakes, std::vector<std::string>{"no-scale"});
  EXPECT_EQ(found.stages[1].given, std::vector<StageId>{StageId::raw_scores});
  EXPECT_FALSE(found.stages[2].equal) << "ours does not follow from their scores";
}

}  // namespace
}  // namespace headscope
