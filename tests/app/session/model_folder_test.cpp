// What a window opens where a file of a model, or a folder of the hub's cache, was given.
#include "app/session/model_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "app/session/documents.h"
#include "core/base/error.h"
#include "core/model/demo_checkpoints.h"
#include "core/request/problem.h"
#include "core/request/request_text.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/core/io/torch_lists.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

const std::string kModel = HEADSCOPE_SOURCE_DIR "/tests/golden/models/llama2c";

Document opened(const std::string& path) {
  return open_document(path, Request(), ViewState());
}

TEST(ModelFolder, AFileOfWeightsOpensItsFolderInTheWindow) {
  const Document document = opened(kModel + "/model.safetensors");
  EXPECT_TRUE(document.request.model.ends_with("/models/llama2c")) << document.request.model;
  EXPECT_TRUE(document.request.weights.empty());
  EXPECT_EQ(document.title, "llama2c");
}

TEST(ModelFolder, AFolderOfTheHubsCacheIsCalledAsItsModel) {
  const TemporaryFolder folder;
  const std::string hub = folder / "models--x--tiny";
  fs::create_directories(hub + "/snapshots");
  fs::copy(kModel, hub + "/snapshots/abc");
  const Document document = opened(hub);
  EXPECT_TRUE(document.request.model.ends_with("models--x--tiny/snapshots/abc")) << document.request.model;
  EXPECT_EQ(document.title, "x/tiny");
  // A commit that leads elsewhere is none.
  folder.write("models--x--tiny/refs/main", "../../elsewhere");
  EXPECT_EQ(place_in_hub(hub).path, hub + "/snapshots/abc");
}

TEST(ModelFolder, WeightsOfTorchSaveAreACapture) {
  const TemporaryFolder folder;
  const std::vector<float> shares = {1, 0, 0.5F, 0.5F};
  const std::string weights = folder.write("weights.pt", test::saved_tensor({{1, 2, 2}, shares}));
  EXPECT_EQ(opened(weights).request.model, weights);
  const std::string list = folder.write("list.pt", test::saved_list({{{1, 1, 2, 2}, shares}}));
  EXPECT_EQ(opened(list).request.model, list);
  const std::string others = folder.write("others.pt", test::saved_list({{{1, 1, 2, 2}, {3, 4, 5, 6}}}));
  EXPECT_THROW(opened(others), Error);
}

// Returns examples of a word of the option's "demo:NAME|seeded|PATH".
std::vector<std::string> examples_of(const std::string& word) {
  if (word == "seeded") return {"seeded"};
  if (word == "PATH") return {kModel, kModel + "/model.safetensors"};
  std::vector<std::string> names;
  if (word == "demo:NAME") {
    for (const std::string& name : demo_names()) names.push_back("demo:" + name);
  }
  return names;
}

TEST(ModelFolder, TheWindowOpensWhateverTheCommandLineTakesForAModel) {
  std::istringstream words(find_request_option("model")->placeholder);
  for (std::string word; std::getline(words, word, '|');) {
    const std::vector<std::string> examples = examples_of(word);
    EXPECT_FALSE(examples.empty()) << "no example of " << word;
    for (const std::string& named : examples) {
      Request of_option;  // as headscope-cli takes it
      find_request_option("model")->set(of_option, model_place(named).path);
      const Document document = opened(named);
      EXPECT_EQ(document.request.model, of_option.model) << named;
      EXPECT_EQ(document.request.weights, "") << named;
      EXPECT_FALSE(find_problem(document.request).has_value()) << named;
    }
  }
}

TEST(ModelFolder, AModelIsNamedWithItsAdapters) {
  const TemporaryFolder folder;
  const std::string demo = "demo:stories with adapter " + folder.path();
  EXPECT_THROW(opened(demo), Error) << "no adapter lies there";
  EXPECT_EQ(opened("demo:stories with adapter off:" + folder.path()).request.model,
            "demo:stories with adapter off:" + folder.path());
  EXPECT_EQ(opened(kModel + " with adapter off:" + folder.path()).request.model,
            opened(kModel).request.model + " with adapter off:" + folder.path());
  const std::string session = folder.write("one with adapter two.json", "{\"phrase\": \"of a file\"}");
  EXPECT_EQ(opened(session).request.phrase, "of a file") << "a file may be called so";
}

}  // namespace
}  // namespace headscope
