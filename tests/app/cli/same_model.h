// Whether a model in another layout is, stage by stage and bit by bit, one that is written as Hugging Face has it.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/app/cli/command.h"
#include "tests/core/model/other_layouts.h"

namespace headscope {

class SameModel : public CommandTest {
 protected:
  static std::string bytes_of(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void save(const std::string& name, const SavedTensors& tensors) {
    std::filesystem::create_directories(std::filesystem::path(folder_ / name).parent_path());
    save_tensors(folder_ / name, tensors);
  }
  // Runs both models on the same ids in both layers, and compares the files of all stages that both have.
  void expect_same_numbers(const std::string& model, const std::string& expected) {
    for (const char* layer : {"0", "1"}) {
      const auto run = [&](const std::string& name, const std::string& to) {
        const Result result = cli({"run", "--model", name, "--token-ids", "3,1,7,7,2", "--layer", layer, "--export",
                                   "input,query,key,value,scores,weights,context,concat,output,stream,logits",
                                   "--format", "npy", "--out", to});
        ASSERT_EQ(result.code, 0) << result.err;
      };
      std::filesystem::remove_all(folder_ / "a");
      std::filesystem::remove_all(folder_ / "b");
      run(model, "a");
      run(expected, "b");
      for (const char* stage :
           {"input", "query", "key", "value", "scores", "weights", "context", "concat", "output", "stream", "logits"}) {
        const std::string file = std::string(stage) + ".npy";
        ASSERT_TRUE(std::filesystem::exists(folder_ / ("b/" + file))) << stage;
        EXPECT_TRUE(bytes_of(folder_ / ("a/" + file)) == bytes_of(folder_ / ("b/" + file)))
            << model << ", layer " << layer << ", " << stage << ": "
            << largest_difference(this->stage("a", stage), this->stage("b", stage));
      }
    }
  }
};

}  // namespace headscope
