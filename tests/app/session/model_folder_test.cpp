// What a window opens where a file of a model, or a folder of the hub's cache, was given.
#include "app/session/model_folder.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "app/session/documents.h"
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

}  // namespace
}  // namespace headscope
