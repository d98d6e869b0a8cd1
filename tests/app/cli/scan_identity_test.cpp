// What `scan` and `merge` take for the same model and the same captures, and what they go on with.
#include <filesystem>

#include "tests/app/cli/command.h"
#include "tests/core/corpus/changed_demo.h"
#include "tests/core/corpus/made_captures.h"

namespace headscope {
namespace {

class ScanIdentity : public CommandTest {
 protected:
  ScanIdentity() { folder_.write("p.txt", "Tom went to the market.\nThe king saw a ship.\nShe sang.\nA dog ran.\n"); }
  Result scan(const std::string& model, const std::string& out, const std::string& shard = "0/1") {
    return cli({"scan", "--model", model, "--phrases", "p.txt", "--shard", shard, "--out", out});
  }
  nlohmann::json report(const std::string& name) {
    const Result result = cli({"report", name, "--json"});
    EXPECT_EQ(result.code, 0) << result.err;
    return nlohmann::json::parse(result.out);
  }
};

// rope_theta times 50, with the same file of weights.
TEST_F(ScanIdentity, ShardsOfTheSameWeightsWithOtherSettingsAreNoScan) {
  test::copied_demo("stories", folder_ / "m1");
  test::demo_with("stories", folder_ / "m2", "rope_theta", 50000.0);
  ASSERT_EQ(scan("m1", "a0.hsagg", "0/2").code, 0);
  ASSERT_EQ(scan("m1", "a1.hsagg", "1/2").code, 0);
  ASSERT_EQ(scan("m2", "b1.hsagg", "1/2").code, 0);
  EXPECT_EQ(report("a1.hsagg").at("sha256"), report("b1.hsagg").at("sha256"));
  EXPECT_NE(report("a1.hsagg").at("heads"), report("b1.hsagg").at("heads"));
  expect_refused(cli({"merge", "a0.hsagg", "b1.hsagg", "--out", "x"}), 2,
                 {"a0.hsagg", "b1.hsagg", "settings of the model", "rotary.inverse_frequencies"});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x"));
  EXPECT_EQ(cli({"merge", "a0.hsagg", "a1.hsagg", "--out", "a.hsagg"}).code, 0);
  expect_refused(cli({"report", "a.hsagg", "--format", "headvis", "--phrases", "p.txt", "--model", "m2", "--out", "y"}),
                 2, {"--model", "m2", "settings"});
}

TEST_F(ScanIdentity, ATokenThatTheModelLacksEndsNoScan) {
  test::copied_demo("induction", folder_ / "m");
  test::change_json(folder_ / "m/tokenizer.json", [](auto& json) { json["model"]["vocab"]["zebra"] = 61; });
  folder_.write("p.txt", "cat box\ncat zebra\nfox cat fox\n");
  const Result result = scan("m", "x.hsagg");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.err.find("phrase 1 (line 2) of p.txt cannot be read"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("id 61"), std::string::npos) << result.err;
  EXPECT_EQ(report("x.hsagg").at("phrases"), 2);
}

TEST_F(ScanIdentity, CapturesOfWeightsAreCausalByTheirZerosAndReplacedOnesAreNoPartOfAScan) {
  CorpusFacts facts;
  facts.model = "demo:induction";
  facts.most_tokens = 512;
  const auto write = [&](const char* name, const char* phrase, bool as_weights) {
    test::write_demo_capture(folder_ / name, phrase, facts, as_weights, false);
  };
  folder_.write("p.txt", "cat box ink cat box\njam hat jam hat pen\n");
  ASSERT_EQ(scan("demo:induction", "model.hsagg").code, 0);
  write("c/0.safetensors", "cat box ink cat box", true);
  write("c/1.safetensors", "jam hat jam hat pen", true);
  const auto shard = [&](const std::string& which, const std::string& out) {
    return cli({"scan", "--captures", "c", "--shard", which, "--out", out});
  };
  const Result first = shard("0/2", "0.hsagg");
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(first.err.find("neither causal"), std::string::npos) << first.err;
  ASSERT_EQ(shard("1/2", "1.hsagg").code, 0);
  ASSERT_EQ(cli({"merge", "0.hsagg", "1.hsagg", "--out", "all.hsagg"}).code, 0);
  EXPECT_EQ(report("all.hsagg").at("heads"), report("model.hsagg").at("heads"));
  EXPECT_TRUE(report("all.hsagg").at("architecture").is_null());
  // Of the same size and header: of a capture without phrase and words only the numbers differ.
  const std::string before = bytes_of(folder_ / "c/0.safetensors");
  std::string after = before;
  std::swap_ranges(after.end() - 8, after.end() - 4, after.end() - 4);
  folder_.write("c/0.safetensors", after);
  ASSERT_EQ(shard("1/2", "other.hsagg").code, 0);
  expect_refused(cli({"merge", "0.hsagg", "other.hsagg", "--out", "x"}), 2, {"0.hsagg", "other.hsagg", "sha256"});
  write("c/0.safetensors", "cat box ink cat box", false);
  write("c/1.safetensors", "jam hat jam hat pen", false);
  const Result unmasked = shard("0/1", "unmasked.hsagg");
  EXPECT_EQ(unmasked.code, 0);
  EXPECT_NE(unmasked.err.find("2 of 2 captures hold queries and keys and say neither causal nor a mask"),
            std::string::npos)
      << unmasked.err;
}

}  // namespace
}  // namespace headscope
