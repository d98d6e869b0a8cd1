// `generate`: the text of a model, a token at a time.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "core/base/utf8.h"
#include "tests/app/cli/command.h"

extern char** environ;

namespace headscope {
namespace {

using Words = std::vector<std::string>;

const std::string kModels = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/";
const Words kDemo = {"--model", "demo:induction", "--phrase", "cat box ink fox jam cat box"};

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

class Generate : public CommandTest {
 protected:
  Result demo(const Words& more) { return cli(joined(joined({"generate"}, kDemo), more)); }
  nlohmann::json json_of(const Words& words) {
    const Result result = cli(joined({"generate"}, joined(words, {"--json"})));
    EXPECT_EQ(result.code, 0) << result.err;
    return result.code == 0 ? nlohmann::json::parse(result.out) : nlohmann::json();
  }
};

TEST_F(Generate, PrintsTheTextAndNothingElse) {
  const Result result = demo({"--tokens", "3"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "ink fox jam\n");
  EXPECT_EQ(result.err, "");
}

TEST_F(Generate, JsonHasTheContractsKeysAndTheStepsOfThem) {
  const nlohmann::json json = json_of(joined(kDemo, {"--tokens", "3", "--sample", "top-k:4", "--temperature", "0.5",
                                                     "--sample-seed", "18446744073709551615"}));
  const std::size_t count = json["ids"].size();
  EXPECT_EQ(count, 3u);
  EXPECT_EQ(json["tokens"].size(), count);
  std::string text;
  for (const auto& token : json["tokens"]) text += (text.empty() ? "" : " ") + token.get<std::string>();
  EXPECT_EQ(json["text"], text);
  EXPECT_EQ(json["ended"], false);
  EXPECT_EQ(json["prompt_tokens"], (Words{"cat", "box", "ink", "fox", "jam", "cat", "box"}));
  EXPECT_EQ(json["prompt_ids"].size(), 7u);
  EXPECT_EQ(json["sample"], "top-k:4");
  EXPECT_EQ(json["temperature"], 0.5);
  EXPECT_EQ(json["sample_seed"], 18446744073709551615U);
  EXPECT_EQ(json["cache_positions"], 9);
  EXPECT_EQ(json["cache_bytes"], 9 * 2 * 2 * 8 * 8 * 4);
  ASSERT_EQ(json["steps"].size(), count);
  for (std::size_t n = 0; n < count; ++n) {
    const nlohmann::json& step = json["steps"][n];
    EXPECT_EQ(step["id"], json["ids"][n]);
    EXPECT_EQ(step["token"], json["tokens"][n]);
    EXPECT_EQ(step["kept"], 4);
    ASSERT_EQ(step["top"].size(), 5u);
    double chances = 0;
    for (const auto& each : step["top"]) {
      chances += each["chance"].get<double>();
      EXPECT_GE(step["top"][0]["probability"], each["probability"]);
      if (each["id"] == step["id"]) {
        EXPECT_EQ(each["chance"], step["chance"]);
      }
    }
    EXPECT_TRUE(std::abs(chances - 1) <= 1e-12);
    EXPECT_EQ(step["top"][4]["chance"], 0.0);
  }
}

// What `run --predict` says of the text so far, a run for each token.
TEST_F(Generate, GreedyIdsAreThoseOfRepeatedRuns) {
  for (const auto& [source, count] :
       std::vector<std::pair<Words, int>>{{kDemo, 11},
                                          {{"--model", kModels + "llama", "--token-ids", "3,1,4"}, 10},
                                          {{"--model", kModels + "gpt2", "--token-ids", "3", "--ablate", "1.0"}, 9}}) {
    const nlohmann::json json = json_of(joined(source, {"--tokens", std::to_string(count)}));
    std::string ids;
    for (const auto& id : json["prompt_ids"]) ids += (ids.empty() ? "" : ",") + std::to_string(id.get<int>());
    ASSERT_EQ(json["ids"].size(), static_cast<std::size_t>(count));
    for (int n = 0; n < count; ++n) {
      Words words = {"run", "--model", source[1], "--token-ids", ids, "--predict", "1", "--json"};
      if (source.size() > 4) words.insert(words.end(), source.begin() + 4, source.end());
      const Result run = cli(words);
      ASSERT_EQ(run.code, 0) << run.err;
      const nlohmann::json top = nlohmann::json::parse(run.out)["predictions"]["positions"][0]["top"][0];
      EXPECT_EQ(json["ids"][n], top["id"]) << source[1] << " " << n;
      EXPECT_TRUE(std::abs(json["steps"][n]["probability"].get<double>() - top["probability"].get<double>()) <= 1e-6);
      ids += "," + std::to_string(json["ids"][n].get<int>());
    }
  }
}

TEST_F(Generate, TheSameBytesForAnyNumberOfThreads) {
  for (const Words& more :
       {Words{}, Words{"--sample", "top-p:0.9", "--temperature", "2", "--sample-seed", "5", "--json"}}) {
    Words outputs;
    for (const char* threads : {"1", "2", "8"}) {
      outputs.push_back(demo(joined({"--tokens", "20", "--threads", threads}, more)).out);
    }
    EXPECT_EQ(outputs[0], outputs[1]);
    EXPECT_EQ(outputs[0], outputs[2]);
    EXPECT_FALSE(outputs[0].empty());
  }
}

TEST_F(Generate, ReadsPhrasesFilesIdsAndSessions) {
  folder_.write("p.txt", "cat box ink fox jam cat box");
  folder_.write("s.json", R"({"model": "demo:induction", "phrase": "cat box ink fox jam cat box", "ablate": ["1.0"]})");
  const nlohmann::json plain = json_of(joined(kDemo, {"--tokens", "2"}));
  EXPECT_EQ(json_of({"--model", "demo:induction", "--phrase-file", "p.txt", "--tokens", "2"}), plain);
  std::string ids;
  for (const auto& id : plain["prompt_ids"]) ids += (ids.empty() ? "" : ",") + std::to_string(id.get<int>());
  EXPECT_EQ(json_of({"--model", "demo:induction", "--token-ids", ids, "--tokens", "2"}), plain);
  EXPECT_EQ(json_of({"--session", "s.json", "--tokens", "2"}),
            json_of(joined(kDemo, {"--tokens", "2", "--ablate", "1.0"})));
}

// A model of 24 ids with a word for each.
TEST_F(Generate, EndsAtTheEndTokenAndSaysSo) {
  std::filesystem::copy(kModels + "llama", folder_ / "model");
  const Words source = {"--model", "model", "--token-ids", "3,1,4", "--tokens", "6"};
  const int first = json_of(source)["ids"][0];
  nlohmann::json vocabulary;
  for (int id = 0; id < 24; ++id) vocabulary[id == first ? "</s>" : "w" + std::to_string(id)] = id;
  folder_.write("model/tokenizer.json",
                nlohmann::json{{"model", {{"type", "WordLevel"}, {"vocab", vocabulary}, {"unk_token", "w0"}}}}.dump());
  const nlohmann::json json = json_of(source);
  EXPECT_EQ(json["ended"], true);
  EXPECT_EQ(json["ids"], std::vector<int>{first});
  EXPECT_EQ(json["tokens"], Words{"</s>"});
  EXPECT_EQ(json["text"], "");
  const Result plain = cli(joined({"generate"}, source));
  EXPECT_EQ(plain.code, 0);
  EXPECT_EQ(plain.out, "\n");
  EXPECT_EQ(plain.err, "headscope-cli: notice: ended: the model ended the text after 1 token, with </s>\n");
}

// Pieces that hold control characters or parts of characters, in the order in which a model may say them.
TEST_F(Generate, WhatIsPrintedIsSafeForATerminal) {
  std::filesystem::copy(kModels + "llama", folder_ / "model");
  const Words source = {"--model", "model",         "--token-ids", "3,1,4",    "--sample",
                        "top-p:1", "--temperature", "9",           "--tokens", "40"};
  nlohmann::json vocabulary;
  const Words pieces = {"\xC3\xB0\xC5\x81", "\xC4\xBB", "\xC4\x9B", "\xC4\x8A",
                        "\xC3\xA2\xC4\xA4"};  // f0 9f, 99, 1b, 0a, e2 82
  for (int id = 0; id < 24; ++id) {
    const auto n = static_cast<std::size_t>(id);
    vocabulary[pieces[n % pieces.size()] + (n < pieces.size() ? "" : "w" + std::to_string(id))] = id;
  }
  folder_.write("model/tokenizer.json",
                nlohmann::json{{"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", nlohmann::json::array()}}},
                               {"decoder", {{"type", "ByteLevel"}}}}
                    .dump());
  const std::string text = json_of(source)["text"];
  const Result plain = cli(joined({"generate"}, source));
  ASSERT_EQ(plain.code, 0) << plain.err;
  EXPECT_TRUE(is_valid_utf8(plain.out));
  EXPECT_NE(text.find('\x1b'), std::string::npos) << "JSON holds the text as it is";
  EXPECT_NE(text.find('\n'), std::string::npos);
  EXPECT_NE(text.find("\xEF\xBF\xBD"), std::string::npos);
  std::string safe;
  for (const char c : text) safe += c == '\x1b' ? "\xEF\xBF\xBD" : std::string(1, c);
  EXPECT_EQ(plain.out, safe + "\n");
}

TEST_F(Generate, WhatCannotBeIsRefused) {
  const auto refused = [&](const Words& words, const Words& parts) {
    expect_refused(cli(joined({"generate"}, words)), 2, parts);
  };
  const auto demo_refused = [&](const Words& more, const Words& parts) { refused(joined(kDemo, more), parts); };
  demo_refused({}, {"--tokens", "missing"});
  for (const char* tokens : {"0", "-1", "1.5", "x", "", "nan", "99999999999999999999"}) {
    demo_refused({"--tokens", tokens}, {"--tokens", std::string("'") + tokens + "'", "from 1"});
  }
  for (const char* sample : {"beam", "top-k", "top-k:0", "top-k:nan", "top-p:0", "top-p:1.5", "top-p:nan", "Greedy"}) {
    demo_refused({"--tokens", "2", "--sample", sample}, {"--sample"});
  }
  for (const char* temperature : {"0", "-1", "nan", "inf", "x"}) {
    demo_refused({"--tokens", "2", "--sample", "top-k:2", "--temperature", temperature}, {"--temperature", "above 0"});
  }
  for (const char* seed : {"-1", "1.5", "18446744073709551616", "x"}) {
    demo_refused({"--tokens", "2", "--sample-seed", seed}, {"--sample-seed", "18446744073709551615"});
  }
  demo_refused({"--tokens", "2", "--tokens", "3"}, {"--tokens: found twice"});
  demo_refused({"--tokens", "2", "--batch", "2"}, {"--batch", "One text"});
  demo_refused({"--tokens", "2", "--second-phrase", "cat"}, {"--second-phrase"});
  demo_refused({"--tokens", "2", "--mask", "m.npy"}, {"--mask", "m.npy"});
  demo_refused({"--tokens", "2", "--dropout", "0.1", "--dropout-mask", "d.npy"}, {"--dropout-mask", "d.npy"});
  demo_refused({"--tokens", "2", "--edit", "scores:0,0,7,0=1"}, {"--edit", "outside"});
  demo_refused({"--tokens", "2", "--paint", "hide@:,:"}, {"no numbers", "fully-masked"});
  demo_refused({"--tokens", "2", "--region", "0,0,:,:"}, {"--region", "belongs to run"});
  refused({"--model", "demo:pronouns", "--phrase", "the animal", "--tokens", "2"},
          {"--model", "demo:pronouns predicts masked tokens"});
  refused({"--model", kModels + "bert", "--token-ids", "1,2", "--tokens", "2"}, {"predicts masked tokens"});
  refused({"--model", "seeded", "--phrase", "a", "--tokens", "2"}, {"--model", "no vocabulary", "demo:induction"});
  refused({"--input", "x.npy", "--tokens", "2"}, {"--input", "x.npy"});
  refused({"--weights", "w.safetensors", "--phrase", "a", "--tokens", "2"}, {"--weights"});
  refused({"--query", "q.npy", "--key", "k.npy", "--value", "v.npy", "--tokens", "2"}, {"--query"});
  refused({"--model", "c.safetensors", "--tokens", "2"}, {"--model", "capture"});
  refused({"--model", kModels + "gpt2", "--token-ids", "1,2,3", "--tokens", "8"}, {"--tokens", "At most 7 fit"});
}

TEST_F(Generate, SaysWhatChangesNothing) {
  const Result result = demo({"--tokens", "1", "--temperature", "0.5", "--sample-seed", "4"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "ink\n");
  EXPECT_NE(result.err.find("notice: --temperature changes nothing"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("notice: --sample-seed changes nothing"), std::string::npos) << result.err;
}

TEST_F(Generate, HelpNamesItsOptions) {
  const Result result = cli({"generate", "--help"});
  EXPECT_EQ(result.code, 0);
  for (const char* line : {"\n  --tokens N ", "\n  --sample greedy|top-k:K|top-p:P\n", "\n  --temperature T ",
                           "\n  --sample-seed S ", "\n  --json ", "\n  --phrase TEXT ", "\n  --ablate L.H[,L.H] "}) {
    EXPECT_NE(result.out.find(line), std::string::npos) << line << "\n" << result.out;
  }
}

// A model without a last position, asked for a million tokens.
TEST_F(Generate, CtrlCEndsIt) {
  const std::string binary = std::string(HEADSCOPE_BINARY_DIR) + "/bin/headscope-cli", out = folder_ / "out";
  Words words = {binary, "generate", "--model", kModels + "bloom", "--token-ids", "1,2", "--tokens", "1000000"};
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT, 0644);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t interrupts;
  sigemptyset(&interrupts);
  sigaddset(&interrupts, SIGINT);
  posix_spawnattr_setsigdefault(&attributes, &interrupts);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  ASSERT_EQ(posix_spawn(&child, binary.c_str(), &actions, &attributes, argv.data(), environ), 0);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  for (int k = 0; k < 5000 && bytes_of(out).size() < 8; ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  EXPECT_GE(bytes_of(out).size(), 8u) << "the text comes as it is made";
  kill(child, SIGINT);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 130) << status;
}

}  // namespace
}  // namespace headscope
