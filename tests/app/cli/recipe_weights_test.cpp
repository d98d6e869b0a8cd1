// A picture that is drawn again after its model's weights changed in place.
#include <map>

#include "core/export/recipe_weights.h"
#include "tests/app/cli/command.h"
#include "tests/core/model/checkpoint_files.h"

namespace headscope {
namespace {

class RecipeWeights : public CommandTest {
 protected:
  RecipeWeights() { write_model(""); }
  // A model whose tensor of this name has a first value of its own.
  void write_model(const std::string& changed, const std::string& folder = "m") {
    const std::vector<FileTensor> tensors = gpt2_tensors();
    std::uint64_t data_bytes = 0, before = 0;
    const std::string header = safetensors_header(tensors, data_bytes);
    std::string bytes = safetensors_bytes(tensors);
    for (const FileTensor& each : tensors) {
      if (each.name == changed) bytes[header.size() + before] ^= 1;
      before += static_cast<std::uint64_t>(bytes_of(each));
    }
    folder_.write(folder + "/config.json", gpt2_config().dump());
    folder_.write(folder + "/model.safetensors", bytes);
  }
  Result good(const std::vector<std::string>& words) {
    const Result result = cli(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return result;
  }
};

const std::string kSaid = "headscope-cli: notice: the weights of m are not those that fig.svg was made with: SHA-256 ";

TEST_F(RecipeWeights, OtherWeightsAreSaidByEveryCommandThatComputes) {
  good({"render", "--model", "m", "--token-ids", "1,2,3", "--out", "fig.svg"});
  EXPECT_EQ(good({"render", "--session", "fig.svg", "--out", "again.svg"}).err, "");
  write_model("h.0.attn.c_attn.weight");  // a layer before the shown one
  const std::string session = "fig.svg";
  const Result rendered = good({"render", "--session", session, "--out", "again.svg"});
  EXPECT_EQ(rendered.err.find(kSaid), 0u) << rendered.err;
  const std::string then = read_recipe_weights(folder_ / session).used->sha256.substr(0, 12);
  const std::string now = read_recipe_weights(folder_ / "again.svg").used->sha256.substr(0, 12);
  EXPECT_EQ(rendered.err, kSaid + now + "... now, " + then + "... then\n");
  EXPECT_EQ(good({"run", "--session", session}).err, rendered.err);
  EXPECT_EQ(good({"explain", "--session", session, "--stage", "weights", "--at", "0,0,1,1"}).err, rendered.err);
  EXPECT_EQ(good({"attribute", "--session", session, "--at", "1", "--token", "2"}).err, rendered.err);
  const auto manifest = nlohmann::json::parse(good({"run", "--session", session, "--json"}).out);
  ASSERT_EQ(manifest["notices"].size(), 1u) << manifest["notices"];
  EXPECT_EQ(kSaid.substr(0, 23) + manifest["notices"][0].get<std::string>() + "\n", rendered.err);
  EXPECT_EQ(good({"run", "--session", session, "--model", "./m"}).err, "") << "another model is asked for";
}

// What each command that takes a session needs beside it. A new command has no row, and fails.
const std::map<std::string, std::vector<std::string>> kCommands = {
    {"run", {}},
    {"render", {"--out", "again.svg"}},
    {"explain", {"--stage", "weights", "--at", "0,0,1,1"}},
    {"sensitivity", {"--stage", "weights", "--at", "0,0,1,1"}},
    {"attribute", {"--at", "1", "--token", "2"}},
    {"score", {"--head", "0", "--at", "1,1"}},
    {"diagnose", {"--stage", "weights", "--theirs", "theirs/weights.npy"}},
    {"compare", {"--against", "other.json"}},
    {"gradients", {"--metric", "logit:2"}},
    {"sweep", {"--ablation", "zero", "--patch", "heads", "--metric", "logit:2"}},
    {"precision", {}},
    {"script", {"--as", "numpy"}},
    {"generate", {"--tokens", "1"}},
    {"handout", {"--out", "handout.pdf"}},
};

TEST_F(RecipeWeights, NoCommandThatTakesASessionLeavesItOut) {
  good({"render", "--model", "m", "--token-ids", "1,2,3", "--mask", "causal", "--out", "fig.svg"});
  good({"run", "--session", "fig.svg", "--export", "weights", "--format", "npy", "--out", "theirs"});
  folder_.write("other.json", R"({"model": "m", "token_ids": [1, 2, 4], "mask": "causal"})");
  folder_.write("lesson.json", R"({"model": "m", "token_ids": [1, 2, 3], "mask": "causal",
                                   "window": {"lesson": [{"words": "Look.", "view": {"head": 0}}]}})");
  good({"handout", "--session", "lesson.json", "--out", "lesson.html"});
  write_model("h.0.attn.c_attn.weight");
  int tried = 0;
  const std::string help = good({"--help"}).out, begin = "\nheadscope-cli ";
  for (std::size_t at = help.find(begin); at != std::string::npos; at = help.find(begin, at + 1)) {
    const std::size_t word = at + begin.size();
    const std::string name = help.substr(word, help.find_first_of(" \n", word) - word);
    if (good({name, "--help"}).out.find("\n  --session FILE") == std::string::npos) continue;
    const auto row = kCommands.find(name);
    ASSERT_NE(row, kCommands.end()) << name << " takes a session: what does it need beside it?";
    // A handout needs stops, which no picture has.
    const std::string session = name == "handout" ? "lesson.html" : "fig.svg";
    std::vector<std::string> words = {name, "--session", session};
    words.insert(words.end(), row->second.begin(), row->second.end());
    EXPECT_NE(good(words).err.find("not those that " + session + " was made with"), std::string::npos) << name;
    ++tried;
  }
  EXPECT_EQ(tried, static_cast<int>(kCommands.size()));
}

TEST_F(RecipeWeights, TheRunThatASweepOrAPatchTakesNumbersFromIsLookedAt) {
  write_model("", "a");
  good({"render", "--model", "a", "--token-ids", "1,2,3", "--mask", "causal", "--out", "fig.svg"});
  const std::vector<std::string> own = {"--model", "m", "--token-ids", "1,2,4", "--mask", "causal"};
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.end(), own.begin(), own.end());
    return good(words).err;
  };
  const std::vector<std::vector<std::string>> commands = {
      {"sweep", "--against", "fig.svg", "--patch", "heads", "--metric", "logit:2"},
      {"sweep", "--against", "fig.svg", "--patch", "heads", "--metric", "logit:2", "--direction", "noise"},
      {"run", "--patch-from", "fig.svg", "--patch", "0/context:0@A"}};
  const std::string said = "the weights of a are not those that fig.svg was made with";
  for (const auto& words : commands) EXPECT_EQ(with(words).find(said), std::string::npos) << words[0];
  write_model("h.0.ln_1.bias", "a");
  for (const auto& words : commands) EXPECT_NE(with(words).find(said), std::string::npos) << words[0];
}

TEST_F(RecipeWeights, AManifestsHashOfTheShownLayerIsComparedToo) {
  good({"run", "--model", "m", "--token-ids", "1,2", "--out", "numbers"});
  const std::vector<std::string> again = {"run", "--session", "numbers/manifest.json"};
  EXPECT_EQ(good(again).err, "");
  write_model("h.1.attn.c_attn.weight");
  EXPECT_NE(good(again).err.find("are not those that numbers/manifest.json was made with"), std::string::npos);
}

TEST_F(RecipeWeights, BothResultsOfADifferenceAreLookedAt) {
  write_model("", "a");
  folder_.write("a.json", R"({"model": "a", "token_ids": [1, 2, 3], "mask": "causal"})");
  good({"render", "--model", "m", "--token-ids", "1,2,4", "--against", "a.json", "--view", "difference", "--out",
        "fig.svg"});
  EXPECT_EQ(good({"render", "--session", "fig.svg", "--out", "again.svg"}).err, "");
  write_model("h.0.ln_1.bias", "a");
  const std::string said = good({"render", "--session", "fig.svg", "--out", "again.svg"}).err;
  EXPECT_NE(said.find("the weights of a are not those that fig.svg was made with"), std::string::npos) << said;
  EXPECT_EQ(said.find("the weights of m"), std::string::npos) << said;
}

TEST_F(RecipeWeights, APageCoversTheWholeModel) {
  good({"render", "--model", "m", "--token-ids", "1,2", "--layer", "0", "--out", "page.html"});
  write_model("h.1.attn.c_proj.bias");
  EXPECT_NE(good({"render", "--session", "page.html", "--out", "again.svg"}).err.find("that page.html was made with"),
            std::string::npos);
}

}  // namespace
}  // namespace headscope
