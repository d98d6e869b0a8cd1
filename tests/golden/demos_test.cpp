// The shipped demos: they compute what PyTorch computes, and do what they were trained for. Data by
// make_demo_golden.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "core/attention/engine.h"
#include "core/attention/model_trace.h"
#include "core/attention/output_head.h"
#include "core/io/safetensors.h"
#include "core/model/checkpoint.h"
#include "core/text/tokenizer.h"

namespace headscope {
namespace {

const std::string kFolder = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/demos/";

class Demo {
 public:
  explicit Demo(const std::string& name) : engine_(options()) { request_.model = "demo:" + name; }
  std::shared_ptr<const Trace> run(const std::string& phrase) {
    request_.phrase = phrase;
    return engine_.run(request_, {});
  }
  std::string most_probable(const Trace& trace, std::int64_t position) const {
    return predictions(*trace.model, 0, std::vector<std::int64_t>{position}, 1, *make_cpu_backend(1), {})
        .at(0)
        .top.at(0)
        .piece;
  }

 private:
  static EngineOptions options() {
    EngineOptions options;
    options.whole_model = true;
    return options;
  }
  Request request_;
  Engine engine_;
};

// Weights of the last layer, [heads] at (query, key).
std::vector<float> weights_at(const Trace& trace, std::int64_t query, std::int64_t key) {
  std::vector<float> weights;
  const Tensor& last = trace.model->layers.back()->tensor(StageId::weights);
  for (std::int64_t head = 0; head < last.dim(1); ++head) weights.push_back(last.at({0, head, query, key}));
  return weights;
}

std::int64_t place_of(const Trace& trace, const std::string& word) {
  const std::vector<std::string>& tokens = trace.inputs->tokens;
  const auto found = std::find(tokens.begin(), tokens.end(), word);
  EXPECT_NE(found, tokens.end()) << word;
  return found - tokens.begin();
}

void expect_near(const Tensor& found, const Tensor& expected, const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  const std::vector<float> left = found.values(), right = expected.values();
  float scale = 1;
  for (const float value : right) scale = std::max(scale, std::abs(value));
  for (std::size_t at = 0; at < left.size(); ++at) ASSERT_NEAR(left[at], right[at], 2e-5F * scale) << what << ' ' << at;
}

class ShippedDemo : public ::testing::TestWithParam<std::string> {};

TEST_P(ShippedDemo, ComputesWhatPyTorchComputes) {
  for (const char* number : {"-0", "-1"}) {
    SCOPED_TRACE(GetParam() + number);
    const SafetensorsFile file = SafetensorsFile::open(kFolder + GetParam() + number + ".safetensors");
    const auto expected = [&](const std::string& name) { return file.tensor(*file.find(name)); };
    const auto trace = Demo(GetParam()).run(file.metadata().at("phrase"));
    const Tensor ids = expected("token_ids");
    ASSERT_EQ(static_cast<std::int64_t>(trace->inputs->token_ids.size()), ids.size());
    for (std::int64_t i = 0; i < ids.size(); ++i) {
      EXPECT_EQ(static_cast<float>(trace->inputs->token_ids[static_cast<std::size_t>(i)]), ids.at({i}));
    }
    for (std::size_t layer = 0; layer < 2; ++layer) {
      const std::string name = "layers." + std::to_string(layer) + ".weights";
      expect_near(trace->model->layers.at(layer)->tensor(StageId::weights), expected(name), name);
    }
    expect_near(trace->model->final_hidden, expected("final_hidden"), "final_hidden");
    const Tensor logits = expected("logits");
    const std::int64_t last = logits.dim(0) - 1;
    const auto all =
        predictions(*trace->model, 0, std::vector<std::int64_t>{last}, logits.dim(1), *make_cpu_backend(1), {});
    for (const TokenProbability& token : all.at(0).top) EXPECT_NEAR(token.logit, logits.at({last, token.id}), 1e-3);
  }
}

INSTANTIATE_TEST_SUITE_P(All, ShippedDemo, ::testing::Values("pronouns", "induction"),
                         [](const auto& demo) { return demo.param; });

TEST(DemoPronouns, OneHeadFollowsWhatItStandsFor) {
  Demo demo("pronouns");
  std::vector<float> least(8, 1);  // of every head, over the sentences
  for (const char* stop : {"", " ."}) {
    for (const auto& [adjective, noun] : {std::pair("tired", "animal"), std::pair("wide", "street")}) {
      const auto trace =
          demo.run(std::string("The animal didn't cross the street because it was too ") + adjective + stop);
      const std::int64_t it = place_of(*trace, "it");
      EXPECT_EQ(demo.most_probable(*trace, it), noun) << stop;
      const std::vector<float> weights = weights_at(*trace, it, place_of(*trace, noun));
      ASSERT_EQ(weights.size(), least.size());
      for (std::size_t head = 0; head < least.size(); ++head) least[head] = std::min(least[head], weights[head]);
    }
  }
  EXPECT_GE(*std::max_element(least.begin(), least.end()), 0.8F);
}

TEST(DemoPronouns, ResolvesSentencesThatItNeverSaw) {
  Demo demo("pronouns");
  std::ifstream lines(kFolder + "pronouns.jsonl");
  std::vector<double> mean(8, 0);
  int right = 0, count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const auto sentence = nlohmann::json::parse(line);
    const auto trace = demo.run(sentence["phrase"]);
    ASSERT_EQ(trace->inputs->tokens.at(sentence["it"]), "it") << line;
    right += demo.most_probable(*trace, sentence["it"]) == sentence["noun"].get<std::string>() ? 1 : 0;
    const std::vector<float> weights = weights_at(*trace, sentence["it"], sentence["at"]);
    for (std::size_t head = 0; head < mean.size(); ++head) mean[head] += static_cast<double>(weights[head]);
  }
  ASSERT_GE(count, 300);
  EXPECT_GE(right, 0.99 * count);
  EXPECT_GE(*std::max_element(mean.begin(), mean.end()), 0.8 * count);
}

TEST(DemoInduction, ContinuesWhatItHasSeenBefore) {
  Demo demo("induction");
  const auto checkpoint = Checkpoint::open("demo:induction");
  std::vector<std::string> words;
  for (std::int64_t id = 2; id < checkpoint->architecture().vocab_size; ++id) {
    words.push_back(checkpoint->tokenizer()->piece_of(id));
  }
  std::mt19937 draw(7);
  std::vector<double> before(8, 0), after(8, 0);
  int right = 0, known = 0, sequences = 0, queries = 0;
  for (const auto& [period, length] : {std::pair(3, 6), {5, 16}, {8, 24}, {20, 40}, {31, 64}, {45, 90}, {45, 128}}) {
    for (int repeat = 0; repeat < 3; ++repeat, ++sequences) {
      for (std::size_t at = words.size() - 1; at > 0; --at) std::swap(words[at], words[draw() % (at + 1)]);
      std::string phrase;
      for (int i = 0; i < length; ++i) phrase += words[static_cast<std::size_t>(i % period)] + ' ';
      const auto trace = demo.run(phrase);
      const Tensor& first = trace->model->layers.at(0)->tensor(StageId::weights);
      const Tensor& second = trace->model->layers.at(1)->tensor(StageId::weights);
      for (std::int64_t head = 0; head < 8; ++head) {
        double sum = 0;
        for (std::int64_t i = 1; i < length; ++i) sum += static_cast<double>(first.at({0, head, i, i - 1}));
        before[static_cast<std::size_t>(head)] += sum / (length - 1);
        for (std::int64_t i = period; i < std::min(2 * period, length); ++i) {
          after[static_cast<std::size_t>(head)] += static_cast<double>(second.at({0, head, i, i - period + 1}));
        }
      }
      queries += std::min(2 * period, length) - period;
      for (std::int64_t i = period; i + 1 < length; ++i, ++known) {
        right += demo.most_probable(*trace, i) == words[static_cast<std::size_t>((i + 1) % period)] ? 1 : 0;
      }
    }
  }
  EXPECT_GE(*std::max_element(before.begin(), before.end()), 0.8 * sequences);
  EXPECT_GE(*std::max_element(after.begin(), after.end()), 0.8 * queries);
  EXPECT_GE(right, 0.99 * known);
}

TEST(Demos, AreSmall) {
  for (const char* name : {"pronouns", "induction"}) {
    for (const char* file : {"config.json", "model.safetensors", "tokenizer.json"}) {
      std::ifstream in(std::string(HEADSCOPE_SOURCE_DIR) + "/assets/demos/" + name + "/" + file,
                       std::ios::binary | std::ios::ate);
      ASSERT_TRUE(in) << name << '/' << file;
      EXPECT_LE(in.tellg(), 500'000) << name << '/' << file;
    }
  }
}

}  // namespace
}  // namespace headscope
