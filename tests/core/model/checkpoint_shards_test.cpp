// model.safetensors.index.json and the files that it names.
#include "core/base/error.h"
#include "tests/core/model/checkpoint_files.h"

namespace headscope {
namespace {

class CheckpointShards : public CheckpointTest {
 protected:
  // Every third tensor lies in each of three files.
  void write_shards() {
    const auto tensors = gpt2_tensors();
    std::vector<std::vector<FileTensor>> parts(3);
    for (std::size_t t = 0; t < tensors.size(); ++t) {
      parts[t % 3].push_back(tensors[t]);
      index_["weight_map"][tensors[t].name] = shard_name(t % 3);
    }
    index_["metadata"]["total_size"] = 1;
    write("config.json", gpt2_config().dump());
    for (std::size_t part = 0; part < 3; ++part) write(shard_name(part), safetensors_bytes(parts[part]));
    write_index();
  }
  void write_index() const { write("model.safetensors.index.json", index_.dump()); }
  static std::string shard_name(std::size_t part) {
    return "model-0000" + std::to_string(part + 1) + "-of-00003.safetensors";
  }
  nlohmann::ordered_json index_;
};

TEST_F(CheckpointShards, OpenAsOne) {
  write_shards();
  const auto checkpoint = open();
  EXPECT_EQ(checkpoint->files(), (std::vector<std::string>{shard_name(0), shard_name(1), shard_name(2)}));
  EXPECT_EQ(checkpoint->block(1).down.weight.shape(), (Shape{4, 16}));
  // The second tensor of the model is the first of the second file.
  EXPECT_EQ(checkpoint->embedding().position.values().front(), 0.0f);
  EXPECT_EQ(checkpoint->embedding().position.shape(), (Shape{6, 4}));
}

TEST_F(CheckpointShards, LinksAsTheHubsCacheHasThem) {
  write_shards();
  std::filesystem::create_directories(path("blobs"));
  std::filesystem::rename(path("model/" + shard_name(0)), path("blobs/abc"));
  std::filesystem::create_symlink("../blobs/abc", path("model/" + shard_name(0)));
  EXPECT_NE(open(), nullptr);
}

TEST_F(CheckpointShards, FilesThatAreMissing) {
  write_shards();
  std::filesystem::remove(path("model/" + shard_name(1)));
  std::filesystem::remove(path("model/" + shard_name(2)));
  expect_refused({"2 of 3 files that it names are missing", shard_name(1), shard_name(2)});
}

TEST_F(CheckpointShards, PromisesThatAreNotKept) {
  write_shards();
  index_["weight_map"]["wte.weight"] = shard_name(1);
  index_["weight_map"]["nothing.weight"] = shard_name(1);
  write_index();
  expect_refused({"promises tensors that are not there", "wte.weight in " + shard_name(1), "nothing.weight"});
}

TEST_F(CheckpointShards, ATensorThatTheIndexDoesNotName) {
  write_shards();
  index_["weight_map"].erase("wte.weight");
  write_index();
  EXPECT_NE(open(), nullptr);
}

TEST_F(CheckpointShards, NamesCannotLeaveTheFolder) {
  write_shards();
  write_text("outside.safetensors", safetensors_bytes(gpt2_tensors()));
  for (const std::string& name : {std::string("../outside.safetensors"), path("outside.safetensors"),
                                  std::string("/etc/passwd"), std::string("sub/x.safetensors"),
                                  std::string("..\\outside.safetensors"), std::string(".."), std::string(".")}) {
    index_["weight_map"]["wte.weight"] = name;
    write_index();
    expect_refused({"expected the name of a file in the same folder", "wte.weight"});
  }
}

TEST_F(CheckpointShards, IndexesThatAreNone) {
  write_shards();
  const auto refused = [this](const std::string& text, const std::string& part) {
    write("model.safetensors.index.json", text);
    expect_refused({"model.safetensors.index.json", part});
  };
  refused("[]", "weight_map is missing");
  refused("{\"weight_map\": 3}", "weight_map is a number");
  refused("{\"weight_map\": {}}", "names no tensor");
  refused("{\"weight_map\": {\"wte.weight\": 3}}", "is said to be in 3");
  refused("{\"weight_map\": {\"wte.weight\": \"\"}}", "expected the name of a file");
  refused("{\"weight_map\": {\"a\": \"" + std::string("b\\u0000c") + "\"}}", "expected the name of a file");
  refused("{\"weight_map\": ", "not valid JSON");
  refused("<html>", "an HTML page");
  std::string many = "{\"weight_map\": {";
  for (int i = 0; i < 3000; ++i) many += "\"t" + std::to_string(i) + "\": \"f" + std::to_string(i) + "\",";
  many.back() = '}';
  refused(many + "}", "names 3000 files; at most");
}

TEST_F(CheckpointShards, OneWholeFileComesFirst) {
  write_shards();
  write("model.safetensors", safetensors_bytes(gpt2_tensors()));
  write("model.safetensors.index.json", "broken");
  EXPECT_EQ(open()->files(), std::vector<std::string>{"model.safetensors"});
}

}  // namespace
}  // namespace headscope
