// Checkpoints on the command line.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "core/io/safetensors.h"
#include "tests/app/cli/command.h"

namespace headscope {
namespace {

const std::string kModelFolders = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/";

class Models : public CommandTest {
 protected:
  // The reference's tensor of a golden model.
  static Tensor wanted(const std::string& model, const std::string& name) {
    const SafetensorsFile file = SafetensorsFile::open(kModelFolders + model + "/expected.safetensors");
    return file.tensor(*file.find(name));
  }

  static std::string ids_of(const std::string& model) {
    std::string text;
    for (const float id : wanted(model, "token_ids").values()) {
      text += (text.empty() ? "" : ",") + std::to_string(static_cast<int>(id));
    }
    return text;
  }

  // A copy of the golden BERT with a vocabulary, in the working folder.
  std::string bert_with_vocabulary() const {
    const std::filesystem::path folder = std::filesystem::path(folder_.path()) / "bert";
    std::filesystem::copy(kModelFolders + "bert", folder);
    std::ofstream vocabulary(folder / "vocab.txt");
    for (const char* word : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "sat", "##s"}) {
      vocabulary << word << "\n";
    }
    return folder.string();
  }
};

TEST_F(Models, ALayerIsExportedWithTheNumbersOfTheReference) {
  run_to("first", {"--model", kModelFolders + "gpt2", "--token-ids", ids_of("gpt2"), "--layer", "0"});
  run_to("last", {"--model", kModelFolders + "gpt2", "--token-ids", ids_of("gpt2")});
  const auto last = std::to_string(manifest("last")["model"]["num_layers"].get<int>() - 1);
  for (const auto& [name, layer] : {std::pair<std::string, std::string>{"first", "0"}, {"last", last}}) {
    for (const char* each : {"query", "weights", "context"}) {
      const Tensor reference = wanted("gpt2", "layers." + layer + "." + each);
      const Shape& shape = reference.shape();
      EXPECT_LT(
          largest_difference(stage(name, each).reshaped({shape[0], shape[1], shape[2]}, reference.axes()), reference),
          1e-4)
          << name << " " << each;
    }
  }
  EXPECT_EQ(manifest("first")["model"]["name"], "gpt2");
  EXPECT_EQ(manifest("first")["model"]["architecture"], "gpt2");
  EXPECT_EQ(manifest("first")["model"]["layer"], 0);
  EXPECT_EQ(manifest("first")["tokens"].size(), wanted("gpt2", "token_ids").values().size());
}

TEST_F(Models, PredictionsAreThoseOfTheReference) {
  const Result result = cli({"run", "--model", kModelFolders + "llama", "--token-ids", ids_of("llama"), "--layer", "0",
                             "--predict", "3", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const nlohmann::json predictions = nlohmann::json::parse(result.out)["predictions"];
  EXPECT_EQ(predictions["kind"], "next-token");
  ASSERT_EQ(predictions["positions"].size(), 1u);
  const Tensor logits = wanted("llama", "logits");
  const std::int64_t last = logits.dim(0) - 1;
  EXPECT_EQ(predictions["positions"][0]["position"], last);
  const nlohmann::json& top = predictions["positions"][0]["top"];
  ASSERT_EQ(top.size(), 3u);
  double largest = -1e9;
  for (std::int64_t id = 0; id < logits.dim(1); ++id) largest = std::max<double>(largest, logits.at({last, id}));
  EXPECT_NEAR(top[0]["logit"].get<double>(), largest, 1e-3);
  EXPECT_NEAR(logits.at({last, top[0]["id"].get<std::int64_t>()}), largest, 1e-3);
  EXPECT_GT(top[0]["probability"].get<double>(), top[1]["probability"].get<double>());
  EXPECT_TRUE(predictions["token_loss"][0].is_null());
  EXPECT_TRUE(predictions["token_loss"][1].is_number());
  EXPECT_TRUE(predictions["mean_loss"].is_number());

  const Result table =
      cli({"run", "--model", kModelFolders + "llama", "--token-ids", ids_of("llama"), "--predict", "1"});
  EXPECT_NE(table.out.find("model      llama, layer"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("probability"), std::string::npos);
  EXPECT_NE(table.out.find("nats a token"), std::string::npos);
}

TEST_F(Models, PredictionsSayWhatInterventionsDo) {
  const std::vector<std::string> words = {"run",
                                          "--model",
                                          "demo:pronouns",
                                          "--phrase",
                                          "The animal didn't cross the street because it was too tired",
                                          "--predict",
                                          "2"};
  const auto predicted = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = words;
    all.insert(all.end(), more.begin(), more.end());
    all.push_back("--json");
    const Result result = cli(all);
    EXPECT_EQ(result.code, 0) << result.err;
    return nlohmann::json::parse(result.out)["predictions"];
  };
  const nlohmann::json plain = predicted({"--ablate", "off:1.7"});
  EXPECT_FALSE(plain.contains("mean_loss_without")) << "nothing is active";
  EXPECT_FALSE(plain["positions"][7].contains("first"));
  const nlohmann::json off = predicted({"--ablate", "1.7"});
  const nlohmann::json hidden = predicted({"--paint", "hide@7,1"});
  const nlohmann::json both = predicted({"--ablate", "1.7", "--paint", "hide@7,1"});
  const nlohmann::json& first = both["positions"][7]["first"];
  EXPECT_EQ(first["piece"], "animal");
  EXPECT_EQ(first["probability_without"], plain["positions"][7]["top"][0]["probability"]);
  EXPECT_EQ(first["alone"]["1.7"], off["positions"][7]["first"]["probability"]);
  EXPECT_EQ(first["alone"]["hide@7:8,1:2"], hidden["positions"][7]["first"]["probability"]);
  EXPECT_EQ(off["positions"][7]["first"]["alone"]["1.7"], off["positions"][7]["first"]["probability"]);
  EXPECT_LT(first["probability"].get<double>(), first["probability_without"].get<double>());
  EXPECT_EQ(both["mean_loss_without"], plain["mean_loss"]);
  const nlohmann::json& top = both["positions"][7]["top"][0];
  EXPECT_TRUE(top["probability_without"].is_number());

  std::vector<std::string> all = words;
  all.insert(all.end(), {"--ablate", "1.7", "--paint", "hide@7,1"});
  const Result table = cli(all);
  for (const char* part : {"without", "no intervention", "1.7", "hide@7:8,1:2", "all of them", "without interventions"})
    EXPECT_NE(table.out.find(part), std::string::npos) << part << "\n" << table.out;
}

TEST_F(Models, APhraseGoesThroughTheCheckpointsTokenizer) {
  const std::string model = bert_with_vocabulary();
  const Result result = cli({"run", "--model", model, "--phrase", "The [MASK] sats", "--predict", "2", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const nlohmann::json manifest = nlohmann::json::parse(result.out);
  EXPECT_EQ(manifest["tokens"], (std::vector<std::string>{"[CLS]", "the", "[MASK]", "sat", "##s", "[SEP]"}));
  EXPECT_EQ(manifest["predictions"]["kind"], "masked");
  ASSERT_EQ(manifest["predictions"]["positions"].size(), 1u);
  EXPECT_EQ(manifest["predictions"]["positions"][0]["position"], 2);
  EXPECT_EQ(manifest["predictions"]["positions"][0]["token"], "[MASK]");
  EXPECT_TRUE(manifest["predictions"]["token_loss"][2].is_null());
  EXPECT_TRUE(manifest["predictions"]["token_loss"][1].is_number());
  const Result ids = cli({"run", "--model", model, "--token-ids", "2,5,4,7,8,3", "--json"});
  EXPECT_EQ(nlohmann::json::parse(ids.out)["tokens"], manifest["tokens"]);
}

TEST_F(Models, TwoPhrasesAreOneSequence) {
  const std::vector<std::string> base = {"run", "--model", kModelFolders + "bert-pair", "--phrase", "the cat sat"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return cli(more);
  };
  const Result result = with({"--second-phrase", "it ran", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const nlohmann::json manifest = nlohmann::json::parse(result.out);
  EXPECT_EQ(manifest["tokens"],
            (std::vector<std::string>{"[CLS]", "the", "cat", "sat", "[SEP]", "it", "ran", "[SEP]"}));
  EXPECT_EQ(manifest["request"]["second_phrase"], "it ran");
  folder_.write("s.json", manifest["request"].dump());
  const Result again = cli({"run", "--session", "s.json", "--json"});
  const nlohmann::json same = nlohmann::json::parse(again.out);
  EXPECT_EQ(same["tokens"], manifest["tokens"]);
  EXPECT_EQ(same["stages"]["output"]["l2_norm"], manifest["stages"]["output"]["l2_norm"]);
  expect_refused(with({"--second-phrase", "it", "--key-phrase", "a"}), 2, {"--key-phrase"});
  expect_refused(with({"--second-phrase", ""}), 2, {"--second-phrase"});
  expect_refused(with({"--second-phrase", "\u200b"}), 2, {"--second-phrase", "no token"});
  expect_refused(cli({"run", "--model", "demo:pronouns", "--phrase", "a", "--second-phrase", "b"}), 2,
                 {"--second-phrase", "demo:pronouns", "no pairs"});
  expect_refused(cli({"run", "--model", "seeded", "--phrase", "a", "--second-phrase", "b"}), 2,
                 {"--second-phrase", "reads pairs"});
}

TEST_F(Models, TheShippedEncoderNamesTheNounThatItStandsFor) {
  const Result result =
      cli({"run", "--model", "demo:pronouns", "--phrase", "The animal didn't cross the street because it was too tired",
           "--predict", "1", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const nlohmann::json manifest = nlohmann::json::parse(result.out);
  EXPECT_EQ(manifest["model"]["name"], "demo:pronouns");
  const nlohmann::json& it = manifest["predictions"]["positions"][7];
  EXPECT_EQ(it["token"], "it");
  EXPECT_EQ(it["top"][0]["piece"], "animal");
}

TEST_F(Models, RenderDrawsALayer) {
  const Result result = cli({"render", "--model", kModelFolders + "qwen3", "--token-ids", "1,2,3", "--layer", "1",
                             "--view", "heads", "--out", "heads.png"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_GT(std::filesystem::file_size(std::filesystem::path(folder_.path()) / "heads.png"), 100u);
  const Result trace = cli({"run", "--model", kModelFolders + "qwen3", "--token-ids", "1,2,3", "--trace", "torch"});
  EXPECT_NE(trace.out.find("q size: torch.Size("), std::string::npos) << trace.out << trace.err;
}

TEST_F(Models, WhatCannotRunIsRefused) {
  const std::string gpt2 = kModelFolders + "gpt2";
  const auto refused = [&](std::vector<std::string> words, int code, const std::vector<std::string>& parts) {
    words.insert(words.begin(), "run");
    expect_refused(cli(words), code, parts);
  };
  refused({"--model", gpt2, "--token-ids", "1", "--layer", "99"}, 2, {"--layer", "99", "expected 0 to"});
  refused({"--model", gpt2, "--token-ids", "1,99999"}, 2, {"--token-ids", "99999", "vocabulary"});
  refused({"--model", gpt2, "--token-ids", "1,-1"}, 2, {"--token-ids"});
  refused({"--model", gpt2, "--phrase", "a"}, 2, {"tokenizer", "--token-ids"});
  refused({"--model", gpt2, "--token-ids", "1", "--heads", "5"}, 2, {"--heads", "5"});
  refused({"--model", gpt2, "--token-ids", "1", "--weights", "w.safetensors"}, 2, {"--weights"});
  refused({"--model", gpt2, "--token-ids", "1", "--key-phrase", "a"}, 2, {"--key-phrase"});
  refused({"--model", gpt2, "--token-ids", "1", "--ablate", "0.99"}, 2, {"--ablate"});
  refused({"--model", gpt2, "--token-ids", "1", "--predict", "0"}, 2, {"--predict"});
  refused({"--model", gpt2, "--token-ids", "1", "--predict", "1", "--trace", "torch"}, 2, {"--predict"});
  refused({"--phrase", "a", "--model", "seeded", "--predict", "1"}, 2, {"--predict", "vocabulary"});
  refused({"--model", "nothing-here", "--token-ids", "1"}, 3, {"nothing-here"});
  refused({"--model", folder_.path(), "--token-ids", "1"}, 3, {"config.json"});
  std::string many = "1";
  for (int k = 0; k < 2000; ++k) many += ",1";
  refused({"--model", gpt2, "--token-ids", many}, 2, {"--token-ids", "2001 tokens", "at most"});
}

TEST_F(Models, AModelGivenOnTheCommandLineLeavesASessionsSizesBehind) {
  std::ofstream(std::filesystem::path(folder_.path()) / "s.json")
      << R"({"phrase": "a b", "d_model": 64, "heads": 8, "mask": "causal"})";
  const Result result =
      cli({"run", "--session", "s.json", "--model", kModelFolders + "gpt2", "--token-ids", "1,2", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(nlohmann::json::parse(result.out)["request"]["mask"], "causal");
}

TEST_F(Models, AFileOfWeightsStandsForItsFolder) {
  const std::string demo = std::string(HEADSCOPE_SOURCE_DIR) + "/assets/demos/induction";
  const Result folder = cli({"run", "--model", demo, "--token-ids", "1,2,3", "--summary"});
  const Result file = cli({"run", "--model", demo + "/model.safetensors", "--token-ids", "1,2,3", "--summary"});
  ASSERT_EQ(folder.code, 0) << folder.err;
  EXPECT_EQ(file.code, 0) << file.err;
  EXPECT_EQ(file.out, folder.out);
  EXPECT_NE(file.err.find("holds weights of the checkpoint " + demo + ", which is opened"), std::string::npos)
      << file.err;
}

}  // namespace
}  // namespace headscope
