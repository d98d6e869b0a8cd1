// `run --layers`: stages of several layers in one folder, each equal to that of a run that shows its layer.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/io/npy.h"
#include "core/io/safetensors.h"
#include "tests/app/cli/command.h"

namespace headscope {
namespace {

class RunLayers : public CommandTest {
 protected:
  Result run(std::vector<std::string> more, const std::string& folder) {
    std::vector<std::string> words = {"run",   "--model",       "demo:stories", "--phrase", "Tom had a ball",
                                      "--out", folder_ / folder};
    words.insert(words.end(), more.begin(), more.end());
    return cli(words);
  }
  bool exists(const std::string& file) const { return std::filesystem::exists(folder_ / file); }
  nlohmann::json json_of(const std::string& file) const {
    std::ifstream in(folder_ / file);
    return nlohmann::json::parse(in, nullptr, false);
  }
  std::vector<float> numbers(const std::string& file) const { return read_npy(folder_ / file).tensor.values(); }
};

TEST_F(RunLayers, EveryLayerHasTheNumbersOfARunThatShowsIt) {
  ASSERT_EQ(run({"--layers", "all", "--export", "weights,value,stream", "--format", "npy"}, "all").code, 0);
  for (const std::string layer : {"0", "1", "2", "3"}) {
    ASSERT_EQ(run({"--layer", layer, "--export", "weights,value", "--format", "npy"}, layer).code, 0);
    for (const std::string stage : {"weights", "value"}) {
      EXPECT_EQ(numbers("all/" + stage + ".l" + layer + ".npy"), numbers(layer + "/" + stage + ".npy")) << stage;
    }
  }
  EXPECT_NE(numbers("all/weights.l0.npy"), numbers("all/weights.l3.npy"));
  EXPECT_TRUE(exists("all/stream.npy"));
  EXPECT_FALSE(exists("all/weights.npy"));
  // The manifest says of each what is in its own file.
  const nlohmann::json stages = json_of("all/manifest.json").at("stages");
  EXPECT_EQ(stages.at("weights").at("files"), nlohmann::json::array());
  for (const std::string layer : {"0", "1", "2", "3"}) {
    const nlohmann::json& own = stages.at("weights.l" + layer);
    EXPECT_EQ(own.at("files"), nlohmann::json{"weights.l" + layer + ".npy"});
    const nlohmann::json shown = json_of(layer + "/manifest.json").at("stages").at("weights");
    for (const char* key : {"shape", "operation", "l2_norm", "mean", "max"})
      EXPECT_EQ(own.at(key), shown.at(key)) << key;
  }
}

TEST_F(RunLayers, SomeLayersInEveryFormat) {
  ASSERT_EQ(run({"--layers", "2,0,2", "--export", "weights"}, "csv").code, 0);
  EXPECT_TRUE(exists("csv/weights.l0.b0.h7.csv"));
  EXPECT_TRUE(exists("csv/weights.l2.b0.h0.csv"));
  EXPECT_FALSE(exists("csv/weights.l1.b0.h0.csv"));
  ASSERT_EQ(run({"--layers", "1", "--export", "weights", "--csv", "long"}, "long").code, 0);
  EXPECT_TRUE(exists("long/weights.l1.csv"));
  ASSERT_EQ(run({"--layers", "1,3", "--export", "weights", "--format", "json"}, "json").code, 0);
  EXPECT_EQ(json_of("json/weights.l3.json").at("stage"), "weights.l3");
  ASSERT_EQ(run({"--layers", "all", "--export", "output", "--format", "safetensors"}, "one").code, 0);
  const SafetensorsFile file = SafetensorsFile::open(folder_ / "one/all.safetensors");
  for (const char* name : {"output.l0", "output.l1", "output.l2", "output.l3"}) {
    EXPECT_NE(file.find(name), nullptr) << name;
  }
  EXPECT_EQ(file.find("output"), nullptr);
}

TEST_F(RunLayers, APartOfEveryLayer) {
  ASSERT_EQ(run({"--layers", "all", "--export", "weights", "--format", "npy", "--region", "0,1,0:2,:"}, "part").code,
            0);
  EXPECT_EQ(read_npy(folder_ / "part/weights.l0.npy").tensor.shape(), (Shape{1, 1, 2, 5}));
}

TEST_F(RunLayers, WhatIsNotThereIsRefused) {
  const Result out = cli({"run", "--model", "demo:stories", "--phrase", "a", "--layers", "all"});
  EXPECT_EQ(out.code, 2);
  EXPECT_NE(out.err.find("--out"), std::string::npos) << out.err;
  EXPECT_EQ(run({"--layers", "4"}, "beyond").code, 2);
  const Result word = run({"--layers", "0,x"}, "word");
  EXPECT_EQ(word.code, 2);
  EXPECT_NE(word.err.find("all, or whole numbers from 0 to 3"), std::string::npos) << word.err;
  EXPECT_EQ(run({"--layers", "0", "--export", "stream"}, "model").code, 2);
  EXPECT_EQ(run({"--layers", "all", "--export", "c2p"}, "stage").code, 2);
  const Result one =
      cli({"run", "--phrase", "a b", "--heads", "2", "--d-model", "8", "--layers", "all", "--out", folder_ / "one"});
  EXPECT_EQ(one.code, 2);
  EXPECT_NE(one.err.find("without the model around it"), std::string::npos) << one.err;
  for (const char* folder : {"beyond", "word", "model", "stage", "one"}) EXPECT_FALSE(exists(folder)) << folder;
}

}  // namespace
}  // namespace headscope
