// Which weights a recipe's hash covers, and what is said of others.
#include "core/export/used_weights.h"

#include "core/attention/engine.h"
#include "core/export/recipe.h"
#include "core/export/recipe_weights.h"
#include "core/export/session_file.h"
#include "core/request/request_text.h"
#include "tests/core/model/checkpoint_files.h"

namespace headscope {
namespace {

struct Recipe {
  Request request;
  RecipeWeights weights;
};

Recipe recipe_in(const std::string& json) {
  return {parse_session(json, "the recipe").request, parse_recipe_weights(json, "the recipe")};
}

class UsedWeightsTest : public CheckpointTest {
 protected:
  UsedWeightsTest() {
    request_.token_ids = {1, 2, 1};
    request_.layer = 1;
  }
  // The model whose tensor of this name has a first value of its own.
  void write_with(const std::string& changed, std::size_t at = 0) const {
    const std::vector<FileTensor> tensors = gpt2_tensors();
    std::uint64_t data_bytes = 0, before = 0;
    const std::string header = safetensors_header(tensors, data_bytes);
    std::string bytes = safetensors_bytes(tensors);
    for (const FileTensor& each : tensors) {
      if (each.name == changed) bytes[header.size() + before + 4 * at] ^= 1;
      before += static_cast<std::uint64_t>(bytes_of(each));
    }
    write("config.json", gpt2_config().dump());
    write("model.safetensors", bytes);
  }
  std::shared_ptr<const Trace> run() const {
    Request request = request_;
    request.model = folder();
    return Engine().run(request, {});
  }
  Recipe recipe(const ViewSpec& view = {}) const { return recipe_in(recipe_of(*run(), view).at("headscope")); }
  std::string said(const Recipe& recipe) const {
    return other_weights_sentence(recipe.weights, recipe.request, "fig.svg", *run(), CancelToken());
  }

  Request request_;
};

TEST_F(UsedWeightsTest, EveryWeightThatActsOnThePictureIsCovered) {
  write_with("");
  const Recipe then = recipe();
  ASSERT_TRUE(then.weights.used);
  EXPECT_EQ(then.weights.used->layers, 2);
  EXPECT_FALSE(then.weights.used->whole);
  EXPECT_EQ(said(then), "");
  for (const FileTensor& each : gpt2_tensors()) {
    const bool after =
        each.name.starts_with("h.1.mlp") || each.name.starts_with("h.1.ln_2") || each.name.starts_with("ln_f");
    write_with(each.name, each.name == "wte.weight" ? 4 : 0);
    EXPECT_EQ(said(then).empty(), after) << each.name << ": " << said(then);
  }
}

TEST_F(UsedWeightsTest, TheSentenceNamesTheModelAndBothHashes) {
  write_with("");
  const Recipe then = recipe();
  write_with("h.0.mlp.c_fc.bias");
  const Recipe now = recipe();
  EXPECT_EQ(said(then), "the weights of " + folder() + " are not those that fig.svg was made with: SHA-256 " +
                            now.weights.used->sha256.substr(0, 12) + "... now, " +
                            then.weights.used->sha256.substr(0, 12) + "... then");
  EXPECT_EQ(then.weights.sha256, now.weights.sha256) << "the shown layer's attention is the same";
}

TEST_F(UsedWeightsTest, OnlyWordsOfTheTextCountAndOnlyWhileItIsTheSame) {
  write_with("");
  const Recipe then = recipe();
  write_with("wte.weight", 4 * 4);
  EXPECT_EQ(said(then), "") << "the text does not have token 4";
  write_with("wte.weight", 2 * 4);
  EXPECT_NE(said(then).find("the vectors of the words in " + folder()), std::string::npos) << said(then);
  request_.token_ids = {0, 2};
  EXPECT_EQ(said(then), "") << "the recipe says nothing of another text's words";
}

TEST_F(UsedWeightsTest, APictureOfTheWholeModelCoversAllOfIt) {
  write_with("");
  ViewSpec view;
  view.view = ViewKind::layers;
  request_.layer = 0;
  const Recipe then = recipe(view);
  EXPECT_TRUE(then.weights.used->whole);
  for (const char* name : {"h.1.mlp.c_proj.weight", "ln_f.bias"}) {
    write_with(name);
    EXPECT_NE(said(then), "") << name;
  }
}

TEST_F(UsedWeightsTest, NothingIsSaidWhereNothingCanBeCompared) {
  write_with("");
  const Recipe good = recipe();
  write_with("h.0.ln_1.bias");
  ASSERT_NE(said(good), "");
  Recipe other = good;
  other.request.model = folder() + "/../model";
  EXPECT_EQ(said(other), "") << "another model was asked for";
  other = good;
  other.weights.used->sha256 = "00ff";
  EXPECT_EQ(said(other), "") << "that is no hash";
  other = good;
  other.weights.used.reset();
  EXPECT_EQ(said(other), "") << "an older recipe, whose hash covers the shown layer's attention alone";
  other.weights.sha256 = "";
  EXPECT_EQ(said(other), "");
}

TEST_F(UsedWeightsTest, AnOlderRecipeIsComparedWithWhatItsHashCovers) {
  write_with("");
  Recipe then = recipe();
  then.weights.used.reset();
  EXPECT_EQ(said(then), "");
  write_with("h.1.attn.c_attn.weight");
  EXPECT_NE(said(then).find("the weights of "), std::string::npos);
  request_.layer = 0;
  EXPECT_EQ(said(then), "") << "it was of another layer";
  request_.layer = 1;
  request_.edits = {};
  find_request_option("edit")->set(request_, "h.1.attn.c_attn.weight:0,0=3");
  EXPECT_EQ(said(then), "") << "an edited weight is no change of the file";
}

TEST_F(UsedWeightsTest, ThreadsAndEditsChangeNoHash) {
  write_with("");
  const UsedWeights plain = *used_weights(*run(), false, CancelToken());
  for (const int threads : {1, 3}) {
    request_.threads = threads;
    EXPECT_EQ(used_weights(*run(), false, CancelToken())->sha256, plain.sha256);
  }
  find_request_option("edit")->set(request_, "h.1.attn.c_attn.weight:0,0=3");
  EXPECT_EQ(used_weights(*run(), false, CancelToken())->sha256, plain.sha256);
}

TEST_F(UsedWeightsTest, ADrawnLayerHasTheHashOfItsAttentionAlone) {
  request_ = Request();
  request_.phrase = "a b c";
  request_.d_model = 16;
  request_.heads = 2;
  const auto trace = Engine().run(request_, {});
  const Recipe then = recipe_in(recipe_of(*trace, ViewSpec()).at("headscope"));
  EXPECT_FALSE(then.weights.used);
  EXPECT_EQ(other_weights_sentence(then.weights, then.request, "fig.svg", *trace, CancelToken()), "");
  request_.seed = 7;
  EXPECT_EQ(other_weights_sentence(then.weights, then.request, "fig.svg", *Engine().run(request_, {}), CancelToken()),
            "");
}

TEST_F(UsedWeightsTest, MalformedHashesOfARecipeAreRefused) {
  for (const char* bad :
       {"3", R"({"layers": 1})", R"({"layers": -1, "whole": false, "sha256": "", "words_sha256": ""})",
        R"({"layers": 1.5, "whole": false, "sha256": "", "words_sha256": ""})",
        R"({"layers": 1, "whole": 0, "sha256": "", "words_sha256": ""})"}) {
    EXPECT_THROW(parse_session(std::string(R"({"phrase": "a", "used_weights": )") + bad + "}", "s"), Error) << bad;
  }
}

}  // namespace
}  // namespace headscope
