// --adapter in every command that opens a model: as if the adapter had been merged, and never taken for the model
// without it.
#include <filesystem>

#include "tests/app/cli/command.h"
#include "tests/core/model/adapter_files.h"

namespace headscope {
namespace {

const std::string kLlama = HEADSCOPE_SOURCE_DIR "/tests/golden/models/llama";
const std::string kAdapted = "model.layers.0.self_attn.q_proj", kAlso = "model.layers.1.self_attn.v_proj";

class AdapterCommand : public CommandTest {
 protected:
  AdapterCommand() {
    lora_.add(kAdapted, 16, 16);
    lora_.add(kAlso, 8, 16);
    lora_.write(folder_ / "lora");
    Remaking remaking;
    for (const std::string& module : {kAdapted, kAlso}) {
      remaking[module + ".weight"] = [this, module](const PlainMatrix& w) {
        return merged(w, lora_.b(module), lora_.a(module), 1.5);
      };
    }
    write_remade(kLlama, folder_ / "merged", remaking);
    MadeAdapter stories;
    stories.config["lora_alpha"] = 16;
    stories.add(kAdapted, 128, 128);
    stories.add(kAlso, 128, 128);
    stories.write(folder_ / "stories");
  }
  std::string ran(std::vector<std::string> words) {
    words.insert(words.end(), {"--token-ids", "3,1,7,7,2", "--export", "query,value,weights,output,logits", "--format",
                               "npy", "--out", "out"});
    words.insert(words.begin(), "run");
    std::filesystem::remove_all(folder_ / "out");
    const Result result = cli(words);
    EXPECT_EQ(result.code, 0) << result.err;
    std::string bytes;
    for (const char* stage : {"query", "value", "weights", "output", "logits"}) {
      bytes += bytes_of(folder_ / ("out/" + std::string(stage) + ".npy"));
    }
    return bytes;
  }
  nlohmann::json json_of(std::vector<std::string> words) {
    words.push_back("--json");
    const Result result = cli(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.code == 0 ? nlohmann::json::parse(result.out) : nlohmann::json();
  }

  MadeAdapter lora_;
};

TEST_F(AdapterCommand, RunIsTheRunOfTheMergedModel) {
  const std::string plain = ran({"--model", kLlama}), merged = ran({"--model", "merged"});
  EXPECT_NE(plain, merged);
  for (const char* layer : {"0", "1"}) {
    EXPECT_EQ(ran({"--model", kLlama, "--adapter", "lora", "--layer", layer}),
              ran({"--model", "merged", "--layer", layer}));
  }
  EXPECT_EQ(ran({"--model", kLlama, "--adapter", "off:lora"}), plain);
  // Half of it twice is all of it, but for the rounding in between.
  const std::string halves = ran({"--model", kLlama, "--adapter", "lora*0.5", "--adapter", "lora*0.5"});
  EXPECT_EQ(halves, ran({"--model", kLlama, "--adapter", "lora*0.5;lora*0.5"}));
  EXPECT_NE(halves, ran({"--model", kLlama, "--adapter", "lora*0.5"}));
}

TEST_F(AdapterCommand, ASessionKeepsItAndAnotherModelDropsIt) {
  const std::string with = ran({"--model", kLlama, "--adapter", "lora"});
  std::filesystem::copy(folder_ / "out/manifest.json", folder_ / "kept.json");
  EXPECT_EQ(manifest("out").at("request").at("adapter"), "lora");
  EXPECT_EQ(ran({"--session", "kept.json"}), with);
  EXPECT_EQ(ran({"--session", "kept.json", "--adapter", "none"}), ran({"--model", kLlama}));
  EXPECT_EQ(ran({"--session", "kept.json", "--model", "merged"}), with) << "its adapter was of the other model";
  EXPECT_NE(cli({"run", "--session", "kept.json", "--model", "merged"}).err.find("they are left out"),
            std::string::npos);
  EXPECT_EQ(ran({"--session", "kept.json", "--model", kLlama}), with) << "the same model";
  folder_.write("s.json", R"({"adapter": ["lora*0.5", "lora*0.5"], "model": ")" + kLlama + R"("})");
  EXPECT_EQ(ran({"--session", "s.json"}), ran({"--model", kLlama, "--adapter", "lora*0.5;lora*0.5"}));
  // A session that is moved together with its adapter finds it.
  std::filesystem::create_directories(folder_ / "moved");
  std::filesystem::rename(folder_ / "lora", folder_ / "moved/lora");
  std::filesystem::rename(folder_ / "kept.json", folder_ / "moved/kept.json");
  EXPECT_EQ(ran({"--session", "moved/kept.json"}), with);
}

TEST_F(AdapterCommand, NamesOfFoldersAreNoAdapters) {
  const std::string odd = "merged with adapter lora";
  std::filesystem::copy(folder_ / "merged", folder_ / odd);
  std::filesystem::copy(folder_ / "lora", folder_ / "a;b with adapter c");
  const std::string with = ran({"--model", kLlama, "--adapter", "lora"});
  // The folder of that name, and not that of its first word with an adapter.
  EXPECT_EQ(ran({"--model", odd}), with);
  EXPECT_EQ(manifest("out").at("request").at("model"), odd);
  EXPECT_FALSE(manifest("out").at("request").contains("adapter"));
  std::filesystem::copy(folder_ / "out/manifest.json", folder_ / "odd.json");
  EXPECT_EQ(ran({"--session", "odd.json"}), with);
  EXPECT_NE(ran({"--model", odd, "--adapter", "lora"}), with) << "both";
  EXPECT_EQ(json_of({"info", odd}).at("path"), odd);
  // A ; of a folder's name stands twice.
  EXPECT_EQ(ran({"--model", kLlama, "--adapter", "a;;b with adapter c"}), with);
  std::filesystem::copy(folder_ / "out/manifest.json", folder_ / "named.json");
  EXPECT_EQ(ran({"--session", "named.json"}), with);
}

TEST_F(AdapterCommand, InfoSaysWhatIsChanged) {
  const nlohmann::json alone = json_of({"info", "lora"});
  EXPECT_EQ(alone.at("kind"), "adapter");
  EXPECT_EQ(alone.at("largest_rank"), 2);
  EXPECT_EQ(alone.at("changed_numbers"), 16 * 16 + 8 * 16);
  const nlohmann::json model = json_of({"info", kLlama, "--adapter", "lora*0.5"});
  EXPECT_EQ(model.at("kind"), "checkpoint");
  ASSERT_EQ(model.at("adapters").size(), 1u);
  EXPECT_EQ(model.at("adapters")[0].at("scale"), 0.5);
  EXPECT_EQ(model.at("adapters")[0].at("matrices"), 2);
  const Result text = cli({"info", kLlama, "--adapter", "lora*0.5"});
  EXPECT_NE(
      text.out.find("adapter lora times 0.5: LoRA of rank 2, times 1.5, on 2 matrices; 384 numbers of the model are "
                    "changed"),
      std::string::npos)
      << text.out;
}

TEST_F(AdapterCommand, CompareNamesIt) {
  folder_.write("without.json", R"({"model": ")" + kLlama + R"(", "token_ids": [3, 7, 1, 9]})");
  const nlohmann::json found = json_of(
      {"compare", "--model", kLlama, "--adapter", "lora", "--token-ids", "3,7,1,9", "--against", "without.json"});
  EXPECT_EQ(found.at("equal"), false);
  ASSERT_EQ(found.at("options").size(), 1u);
  EXPECT_EQ(found.at("options")[0].at("option"), "adapter");
  EXPECT_EQ(found.at("options")[0].at("b"), "lora");
}

TEST_F(AdapterCommand, AScanOfItIsNoScanOfItsModel) {
  folder_.write("p.txt", "Tom went to the market.\nThe king saw a ship.\n");
  const auto scan = [&](const std::string& out, const std::string& shard, std::vector<std::string> words) {
    words.insert(words.begin(),
                 {"scan", "--model", "demo:stories", "--phrases", "p.txt", "--shard", shard, "--out", out});
    const Result result = cli(words);
    EXPECT_EQ(result.code, 0) << result.err;
  };
  scan("plain.hsagg", "0/2", {});
  scan("with.hsagg", "1/2", {"--adapter", "stories"});
  scan("half.hsagg", "1/2", {"--adapter", "stories*0.5"});
  const nlohmann::json plain = json_of({"report", "plain.hsagg"}), with = json_of({"report", "with.hsagg"}),
                       half = json_of({"report", "half.hsagg"});
  EXPECT_EQ(with.at("model"), "demo:stories with adapter stories");
  EXPECT_EQ(half.at("model"), "demo:stories with adapter stories*0.5");
  EXPECT_NE(with.at("sha256"), plain.at("sha256"));
  EXPECT_NE(with.at("sha256"), half.at("sha256"));
  expect_refused(cli({"merge", "plain.hsagg", "with.hsagg", "--out", "x.hsagg"}), 2,
                 {"demo:stories with adapter stories"});
  const Result again = cli({"report", "with.hsagg", "--format", "headvis", "--phrases", "p.txt", "--out", "y"});
  EXPECT_EQ(again.code, 2);
  EXPECT_NE(again.err.find("found without --adapter"), std::string::npos) << again.err;
}

TEST_F(AdapterCommand, EveryCommandOfAModelTakesIt) {
  const std::vector<std::string> request = {"--model",   "demo:stories", "--adapter",
                                            "stories*8", "--phrase",     "The king saw"};
  const auto differs = [&](std::vector<std::string> words) {
    std::vector<std::string> with = words, without = words;
    with.insert(with.end(), request.begin(), request.end());
    without.insert(without.end(), {"--model", "demo:stories", "--phrase", "The king saw"});
    const Result a = cli(with), b = cli(without);
    EXPECT_EQ(a.code, 0) << words[0] << ": " << a.err;
    EXPECT_EQ(b.code, 0) << words[0] << ": " << b.err;
    EXPECT_NE(a.out, b.out) << words[0];
  };
  folder_.write("other.json", R"({"model": "demo:stories", "phrase": "The dog saw"})");
  differs({"explain", "--stage", "query", "--layer", "0", "--at", "0,0,1,1", "--json"});
  differs({"attribute", "--at", "2", "--token", "5", "--json"});
  differs({"sweep", "--patch", "stages", "--metric", "loss", "--against", "other.json", "--json"});
  differs({"generate", "--tokens", "8", "--json"});
  const Result circuits = cli({"circuits", "--model", "demo:stories", "--adapter", "stories", "--by", "singular"}),
               plain = cli({"circuits", "--model", "demo:stories", "--by", "singular"});
  EXPECT_EQ(circuits.code, 0) << circuits.err;
  EXPECT_NE(circuits.out, plain.out);
}

TEST_F(AdapterCommand, WhatCannotTakeItSaysSo) {
  expect_refused(cli({"run", "--model", "seeded", "--phrase", "a b", "--adapter", "lora"}), 2,
                 {"an adapter needs the model"});
  expect_refused(cli({"run", "--model", kLlama, "--token-ids", "1,2", "--adapter", "lora*x"}), 3, {"lora*x"});
  expect_refused(cli({"run", "--model", kLlama, "--token-ids", "1,2", "--adapter", ";"}), 2,
                 {"--adapter", "DIR[*SCALE]"});
  for (const char* comma : {"lora*1,5", "off:lora*0,5"}) {
    expect_refused(cli({"run", "--model", kLlama, "--token-ids", "1,2", "--adapter", comma}), 2,
                   {"--adapter", comma, "a point and no comma"});
  }
  expect_refused(cli({"run", "--model", kLlama, "--token-ids", "1,2", "--adapter", "lora", "--adapter", "none"}), 2,
                 {"--adapter", "lora;none", "it names adapters, and none"});
  expect_refused(cli({"run", "--model", "lora", "--token-ids", "1,2"}), 3, {"holds an adapter (LORA)", "--adapter"});
  lora_.config["r"] = 5;
  lora_.write(folder_ / "wrong");
  expect_refused(cli({"run", "--model", kLlama, "--token-ids", "1,2", "--adapter", "wrong"}), 3, {"wrong", "rank 2"});
}

}  // namespace
}  // namespace headscope
