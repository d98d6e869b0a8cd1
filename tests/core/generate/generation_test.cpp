#include "core/generate/generation.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/model/checkpoint.h"
#include "core/request/variant_infos.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/core/generate/generating.h"
#include "tests/core/model/gguf_models.h"

namespace headscope {
namespace {

void expect_predicted(const Request& request, std::int64_t count) {
  GenerationOptions options;
  options.tokens = count;
  const Generation found = generated(request, options);
  const std::vector<TokenProbability> wanted = predicted_one_by_one(request, count);
  ASSERT_EQ(found.tokens.size(), wanted.size());
  for (std::size_t n = 0; n < wanted.size(); ++n) {
    const SampledToken& token = found.tokens[n].sampled;
    EXPECT_EQ(token.token.id, wanted[n].id) << request.model << " step " << n;
    EXPECT_EQ(found.tokens[n].piece, wanted[n].piece);
    EXPECT_TRUE(std::abs(token.token.probability - wanted[n].probability) <= 1e-6 * wanted[n].probability);
    EXPECT_EQ(token.token.chance, 1.0);
    EXPECT_EQ(token.top.front().id, wanted[n].id);
    EXPECT_EQ(found.tokens[n].top.front(), wanted[n].piece);
    EXPECT_EQ(token.top.size(), 5u);
  }
  EXPECT_FALSE(found.ended);
}

TEST(Generation, GreedyTokensAreWhatSingleRunsPredict) {
  expect_predicted(demo_request(), 12);
  expect_predicted(golden_request("gpt2", "3"), 9);  // all of its 10 positions
  expect_predicted(golden_request("gpt2-f16", "5,9"), 8);
  expect_predicted(golden_request("llama"), 12);    // rotary positions, grouped keys
  expect_predicted(golden_request("mistral"), 12);  // a window
  expect_predicted(golden_request("bloom"), 12);    // ALiBi, no last position
  expect_predicted(golden_request("gemma2"), 12);   // capped scores and logits
  expect_predicted(golden_request("falcon-alibi"), 6);
  expect_predicted(golden_request("deepseek_v2"), 12);  // latents
}

// What normalises over queries, inverts the mask or hides late changes rows of earlier tokens with every new one.
TEST(Generation, GreedyTokensAreWhatSingleRunsPredictUnderEveryVariant) {
  for (const VariantInfo& info : variant_infos()) {
    if (info.value == Variant::key_not_transposed) continue;        // no text of it grows
    if (std::string_view(info.text).starts_with("qkv-")) continue;  // these layers have no fused projection
    SCOPED_TRACE(info.text);
    Request demo = demo_request(), golden = golden_request("llama");
    demo.phrase = "cat box ink fox jam cat";
    for (Request* request : {&demo, &golden}) {
      request->variants = {info.value};
      request->fully_masked = FullyMasked::zero;  // a mask that is inverted hides every key of the last query
    }
    expect_predicted(demo, 4);
    expect_predicted(golden, 6);
  }
}

TEST(Generation, UnderSoftmaxOverQueriesTheDemoSaysBoxAtItsFourthStep) {
  Request request = demo_request();
  request.phrase = "cat box ink fox jam cat";
  request.variants = {Variant::softmax_over_queries};
  GenerationOptions options;
  options.tokens = 4;
  const Generation found = generated(request, options);
  EXPECT_EQ(found.tokens[3].piece, "box");
  EXPECT_NEAR(found.tokens[3].sampled.token.probability, 0.700, 0.001);
}

TEST(Generation, AGgufFileSaysWhatItsFolderSays) {
  const TemporaryFolder folder;
  Request request = golden_request("llama");
  GenerationOptions options;
  options.tokens = 12;
  const std::vector<std::int64_t> ids = ids_of(generated(request, options));
  request.model = folder.write("llama.gguf", gguf_bytes(golden_model(kGoldenModels + "llama", "llama")));
  EXPECT_EQ(ids_of(generated(request, options)), ids);
}

TEST(Generation, ADemoGoesOnWithWhatItHasSeen) {
  GenerationOptions options;
  options.tokens = 3;
  std::string shown;
  const Generation found = generated(demo_request(), options, true, [&](std::string_view part) { shown += part; });
  EXPECT_EQ(found.text, "ink fox jam");
  EXPECT_EQ(shown, found.text);
  EXPECT_EQ(found.prompt_tokens, (std::vector<std::string>{"cat", "box", "ink", "fox", "jam", "cat", "box"}));
  EXPECT_EQ(found.prompt_ids.size(), 7u);
  // The third token is computed from 9 before it: 2 layers of 8 heads of 8 features, keys and values.
  EXPECT_EQ(found.cache_positions, 9);
  EXPECT_EQ(found.cache_bytes, 9 * 2 * 2 * 8 * 8 * 4);
}

// With what a layer keeps for the next run, without, and on other numbers of threads: the same bits.
TEST(Generation, NeitherReuseNorThreadsChangeABit) {
  GenerationOptions options;
  options.tokens = 12;
  set_sampling(options.sampling, "top-p:0.95");
  options.sampling.temperature = 1.5;
  options.sampling.seed = 11;
  for (const Options& more : std::vector<Options>{
           {},
           {{"ablate", "1.2"}, {"freeze", "0.1=uniform"}, {"scale-query", "1.0=2"}, {"edit", "0/scores:0,0,2,1=3"}},
           {{"mask", "window:3"}, {"paint", "hide@:,1"}, {"dropout", "0.2"}}}) {
    for (Request request : {demo_request(), golden_request("llama")}) {
      for (const auto& [name, value] : more) find_request_option(name)->set(request, value);
      const Generation first = generated(request, options, false);
      ASSERT_EQ(first.tokens.size(), 12u);
      for (const int threads : {1, 2, 8}) {
        request.threads = threads;
        const Generation again = generated(request, options, true);
        EXPECT_EQ(ids_of(again), ids_of(first)) << threads;
        EXPECT_EQ(again.text, first.text);
        for (std::size_t n = 0; n < first.tokens.size(); ++n) {
          EXPECT_EQ(again.tokens[n].sampled.token.chance, first.tokens[n].sampled.token.chance);
          EXPECT_EQ(again.tokens[n].sampled.token.probability, first.tokens[n].sampled.token.probability);
        }
      }
    }
  }
}

TEST(Generation, InterventionsAndMasksActInEveryStep) {
  Request request = demo_request();
  for (const auto& [name, value] : Options{
           {"ablate", "1.0,1.1"}, {"scale-key", "0.3=0.5"}, {"edit", "1/context:0,2,3,1=4"}, {"paint", "hide@8,2:5"}}) {
    find_request_option(name)->set(request, value);
  }
  expect_predicted(request, 10);
  Request masked = golden_request("llama", "3,1,4,1,5");
  find_request_option("mask")->set(masked, "window:2");
  expect_predicted(masked, 10);

  // Without the heads that copy, the demo says something else.
  Request deaf = demo_request();
  find_request_option("ablate")->set(deaf, "0.0,0.1,0.2,0.3,0.4,0.5,0.6,0.7");
  GenerationOptions options;
  options.tokens = 3;
  EXPECT_NE(generated(deaf, options).text, generated(demo_request(), options).text);
}

TEST(Generation, ASeedIsAText) {
  GenerationOptions options;
  options.tokens = 10;
  options.sampling.kind = Sampling::Kind::top_p;
  options.sampling.temperature = 3;
  std::vector<std::vector<std::int64_t>> texts;
  for (const std::uint64_t seed : {0, 1, 2}) {
    options.sampling.seed = seed;
    texts.push_back(ids_of(generated(golden_request("llama"), options)));
    EXPECT_EQ(ids_of(generated(golden_request("llama"), options)), texts.back());
  }
  EXPECT_NE(texts[0], texts[1]);
  EXPECT_NE(texts[1], texts[2]);
  // The first tokens of a longer text are the shorter one's.
  options.tokens = 4;
  EXPECT_EQ(ids_of(generated(golden_request("llama"), options)),
            std::vector<std::int64_t>(texts[2].begin(), texts[2].begin() + 4));
}

TEST(Generation, EndsWhereTheModelEndsItsText) {
  GenerationOptions options;
  options.tokens = 8;
  const std::vector<std::int64_t> all = ids_of(generated(golden_request("llama"), options));
  const auto fifth = std::find(all.begin(), all.end(), all[4]) - all.begin();
  const TemporaryFolder folder;
  std::filesystem::copy(kGoldenModels + "llama", folder / "model");
  nlohmann::json config = nlohmann::json::parse(bytes_of(folder / "model/config.json"));
  Request request = golden_request("llama");
  request.model = folder / "model";
  for (const nlohmann::json& named :
       {nlohmann::json(all[4]), nlohmann::json{all[4]}, nlohmann::json{99, "x", nullptr, -1, all[4]}}) {
    config["eos_token_id"] = named;
    folder.write("model/config.json", config.dump());
    std::string shown;
    const Generation found = generated(request, options, true, [&](std::string_view part) { shown += part; });
    EXPECT_TRUE(found.ended) << named;
    EXPECT_EQ(ids_of(found), std::vector<std::int64_t>(all.begin(), all.begin() + fifth + 1)) << "with the end token";
    std::string text;
    for (std::ptrdiff_t n = 0; n < fifth; ++n) text += (n > 0 ? " " : "") + std::to_string(all[n]);
    EXPECT_EQ(found.text, text) << "without it";
    EXPECT_EQ(shown, text);
  }
  for (const nlohmann::json& named : {nlohmann::json(nullptr), nlohmann::json("2"), nlohmann::json(99)}) {
    config["eos_token_id"] = named;
    folder.write("model/config.json", config.dump());
    EXPECT_FALSE(generated(request, options).ended) << named;
  }

  // Without a word of config.json: the tokenizer's own, by its usual spelling.
  nlohmann::json vocabulary;
  for (std::int64_t id = 0; id < 24; ++id) vocabulary[id == all[4] ? "</s>" : "w" + std::to_string(id)] = id;
  folder.write("model/tokenizer.json",
               nlohmann::json{{"model", {{"type", "WordLevel"}, {"vocab", vocabulary}, {"unk_token", "w0"}}}}.dump());
  const Generation found = generated(request, options);
  EXPECT_TRUE(found.ended);
  EXPECT_EQ(found.tokens.back().piece, "</s>");
  EXPECT_EQ(found.text.find("</s>"), std::string::npos);
}

TEST(Generation, LogitsThatAreNoNumbersEndIt) {
  GenerationOptions options;
  Request request = demo_request();
  find_request_option("paint")->set(request, "hide@:,:");
  try {
    generated(request, options);
    ADD_FAILURE() << "every row is hidden: NaN";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("at position 6"), std::string::npos) << error.what();
  }
  request.fully_masked = FullyMasked::zero;
  EXPECT_EQ(generated(request, options).tokens.size(), 1u);
}

TEST(Generation, ACancelledOneStops) {
  Engine engine(generating(true));
  CancelToken cancel;
  GenerationOptions options;
  options.tokens = 1000;
  int parts = 0;
  const ShowText stop = [&](std::string_view) {
    if (++parts == 3) cancel.cancel();
  };
  EXPECT_THROW(generate(engine, golden_request("bloom"), options, cancel, stop), Cancelled);
  EXPECT_EQ(parts, 3);
}

}  // namespace
}  // namespace headscope
