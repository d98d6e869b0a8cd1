// Packed and padded texts, and layouts, against plain loops.
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/app/cli/packed_case.h"

namespace headscope {
namespace {

TEST_F(ArrayLayouts, PackedTextsSeeThemselvesAlone) {
  for (const auto& [mask, sees] : {std::pair<const char*, Sees>{"none", same_text}, {"causal", causal_text}}) {
    ASSERT_EQ(cli(packed_files({"run"}, {"--layout", "thd", "--mask", mask, "--export", "context,weights", "--format",
                                         "npy", "--out", mask}))
                  .code,
              0);
    const Tensor found = stage(mask, "context");
    EXPECT_EQ(found.shape(), (Shape{1, kHeads, kTokens, kSize})) << "no cell is one of padding";
    expect_near(found.permuted({0, 2, 1, 3}).dense_copy(), context(sees));
    const nlohmann::json said = manifest(mask);
    EXPECT_EQ(said.dump().find("no mask"), std::string::npos);
    const Tensor weights = stage(mask, "weights");
    for (std::int64_t i = 0; i < kTokens; ++i) {
      for (std::int64_t j = 0; j < kTokens; ++j) {
        EXPECT_EQ(weights.at({0, 1, i, j}) > 0, sees(text_of(i) == text_of(j), i, j)) << i << ' ' << j;
      }
    }
  }
  expect_refused(cli(packed_files({"run"}, {"--layout", "thd", "--mask", "padding:1"})), 2, {"padding:1", "lengths"});
  std::vector<std::string> wrong = packed_files({"run"}, {"--layout", "thd"});
  for (std::string& word : wrong) word = word == kLengthsWords ? "3,4" : word;
  expect_refused(cli(wrong), 2, {"--lengths", "3,4 add up to 7", "8 tokens"});
  expect_refused(cli({"run", "--phrase", "a", "--lengths", "1"}), 2, {"--lengths", "attention alone"});
  expect_refused(cli({"run", "--query", "q.npy", "--key", "k.npy", "--value", "v.npy", "--layout", "thd"}), 2,
                 {"lengths"});
}

TEST_F(ArrayLayouts, PackedAndPaddedResultsAreJudgedByTheirRealCells) {
  const auto judged = [&](const std::string& theirs, const char* mask) {
    return diagnosed(packed_files(
        {"diagnose"}, {"--layout", "thd", "--mask", mask, "--theirs", theirs, "--stage", "context", "--json"}));
  };
  const Shape packed{kTokens, kHeads, kSize}, with_batch{2, kLongest, kHeads, kSize};
  EXPECT_EQ(judged(write_array("right", packed, context(causal_text)), "causal")["equal"], true);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(judged(write_array("padded", with_batch, padded(context(causal_text), nan)), "causal")["equal"], true);
  EXPECT_NE(said_.find("of every item the first places (3,5)"), std::string::npos) << said_;
  const auto first_mistake = [&](const std::string& theirs, const char* mask) {
    const nlohmann::json found = judged(theirs, mask);
    EXPECT_FALSE(found["explanations"].empty()) << found.dump();
    return found["explanations"].empty() ? "" : found["explanations"][0]["mistakes"][0].get<std::string>();
  };
  EXPECT_EQ(first_mistake(write_array("one", packed, context(only_causal)), "causal"), "mask-part-missing");
  EXPECT_EQ(first_mistake(write_array("all", packed, context(anything)), "none"), "mask-missing");
  EXPECT_EQ(first_mistake(write_array("loud", with_batch, padded(context(same_text, 1.0), 0)), "none"), "no-scale");
  // Padded queries with packed results: the same numbers, whichever side is packed.
  const Shape batch{2, kLongest, kHeads, kSize};
  const std::vector<std::string> words = {"diagnose",
                                          "--query",
                                          write_array("pq", batch, padded(query_, 9)),
                                          "--key",
                                          write_array("pk", batch, padded(key_, 9)),
                                          "--value",
                                          write_array("pv", batch, padded(value_, nan)),
                                          "--lengths",
                                          kLengthsWords,
                                          "--layout",
                                          "bshd",
                                          "--theirs",
                                          "right.npy",
                                          "--stage",
                                          "context",
                                          "--mask",
                                          "causal",
                                          "--json"};
  EXPECT_EQ(diagnosed(words)["equal"], true);
}

TEST_F(ArrayLayouts, ALayoutIsOfBothSidesOrOfTheirsAlone) {
  const Shape shape{1, kTokens, kHeads, kSize};
  const auto run = [&](bool own_too) {
    const auto own = [&](const char* name, const std::vector<float>& values) {
      if (own_too) return write_array(name, shape, values);
      const Tensor turned = tensor_of(shape, values).permuted({0, 2, 1, 3}).dense_copy();
      return write_array(name, {1, kHeads, kTokens, kSize}, turned.values());
    };
    return diagnosed({"diagnose", "--query", own("q", query_), "--key", own("k", key_), "--value", own("v", value_),
                      "--layout", "bshd", "--theirs", write_array("right", shape, context(anything)), "--stage",
                      "context", "--json"});
  };
  EXPECT_EQ(run(true)["equal"], true);
  EXPECT_EQ(said_.find("fits theirs alone"), std::string::npos) << said_;
  EXPECT_EQ(run(false)["equal"], true);
  EXPECT_NE(said_.find("--layout bshd fits theirs alone"), std::string::npos) << said_;
}

// A stage of all layers in one array, in either order of layers and batch items.
TEST_F(ArrayLayouts, OfAllLayersThatOfOursIsJudged) {
  const std::vector<std::string> model = {"--model", "demo:induction", "--phrase", "a b a b"};
  const auto with = [&](std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), model.begin(), model.end());
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  std::vector<float> all;
  Shape one;
  for (const std::string layer : {"0", "1"}) {
    ASSERT_EQ(cli(with({"run"}, {"--layer", layer, "--export", "weights", "--format", "npy", "--out", layer})).code, 0);
    one = stage(layer, "weights").shape();
    for (const float value : stage(layer, "weights").values()) all.push_back(value);
  }
  for (const Shape& shape :
       {Shape{2, 1, one[1], one[2], one[3]}, Shape{1, 2, one[1], one[2], one[3]}, Shape{2, one[1], one[2], one[3]}}) {
    const std::string theirs = write_array("all", shape, all);
    for (const std::string layer : {"0", "1"}) {
      const nlohmann::json found =
          diagnosed(with({"diagnose"}, {"--layer", layer, "--theirs", theirs, "--stage", "weights", "--json"}));
      EXPECT_EQ(found["equal"], true) << to_string(shape) << ", layer " << layer;
      EXPECT_NE(said_.find("is read as layer " + layer + " of ["), std::string::npos) << said_;
    }
  }
}

}  // namespace
}  // namespace headscope
