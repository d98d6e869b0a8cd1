// Files of many gigabytes: `info` says that it reads, is quick where the disk holds nothing, and needs little memory.
#include <linux/magic.h>
#include <sys/vfs.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>

#include "tests/app/cli/command.h"

namespace headscope {
namespace {

class LargeInfo : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    struct statfs system;
    const std::string here = std::string(folder_ / ".");
    if (::statfs(here.c_str(), &system) == 0 && system.f_type == TMPFS_MAGIC) {
      GTEST_SKIP() << "TMPDIR lies in memory, where a hole that is read takes memory; on a disk it takes none";
    }
  }

  // The header, then `bytes` of which the disk holds none.
  std::string sparse(const std::string& name, const std::string& header, std::uint64_t bytes) {
    folder_.write(name, header);
    std::filesystem::resize_file(folder_ / name, header.size() + bytes);
    return folder_ / name;
  }

  static std::string npy_header(const std::string& type, const std::string& shape) {
    std::string text = "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
    text.append((64 - (10 + text.size() + 1) % 64) % 64, ' ');
    text += '\n';
    const std::string begin("\x93NUMPY\x01\x00", 8);
    return begin + static_cast<char>(text.size() & 0xff) + static_cast<char>(text.size() >> 8) + text;
  }

  static std::string safetensors_header(std::string json) {
    json.append((8 - json.size() % 8) % 8, ' ');
    std::string size;
    for (int k = 0; k < 8; ++k) size += static_cast<char>(json.size() >> (8 * k) & 0xff);
    return size + json;
  }
};

TEST_F(LargeInfo, AnArrayOf48GBIsDescribedFromWhatTheDiskHolds) {
  for (const auto& [type, bytes] : {std::pair{"<f4", 4}, {"<f8", 8}, {"<f2", 2}}) {
    const std::uint64_t rows = 48'000'000'000 / (1000 * static_cast<std::uint64_t>(bytes));
    const std::string shape = "(" + std::to_string(rows) + ", 1000)";
    sparse("x.npy", npy_header(type, shape), rows * 1000 * static_cast<std::uint64_t>(bytes));
    const Result result = cli({"info", "x.npy", "--json"});
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.err, "headscope-cli: notice: reading x.npy, 48.0 GB\n");
    const auto json = nlohmann::json::parse(result.out);
    EXPECT_EQ(json["shape"], nlohmann::json({rows, 1000}));
    EXPECT_EQ(json["min"], 0);
    EXPECT_EQ(json["max"], 0);
  }
}

TEST_F(LargeInfo, WhatStandsBetweenHolesIsCounted) {
  const std::string header = npy_header("<f4", "(300000000,)");
  const std::string path = sparse("x.npy", header, 1'200'000'000);
  {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(header.size() + 4 * 123'456'789));
    const float value = 300;
    file.write(reinterpret_cast<const char*>(&value), sizeof value);
  }
  const Result result = cli({"info", "x.npy", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["max"], 300);
  EXPECT_EQ(json["min"], 0);
  EXPECT_TRUE(std::abs(json["mean"].get<double>() - 1e-6) <= 1e-12) << json["mean"];
  EXPECT_EQ(json["nan_count"], 0);
}

TEST_F(LargeInfo, ALayerOf48GBIsDescribedWithoutItsHash) {
  const std::string width = "54600", rows = "163800";
  const std::uint64_t first = 4ULL * 163800 * 54600, second = 4ULL * 54600 * 54600;
  sparse("layer.safetensors",
         safetensors_header(R"({"__metadata__":{"num_heads":"8"},"qkv_layer.weight":{"dtype":"F32","shape":[)" + rows +
                            "," + width + R"(],"data_offsets":[0,)" + std::to_string(first) +
                            R"(]},"linear_layer.weight":{"dtype":"F32","shape":[)" + width + "," + width +
                            R"(],"data_offsets":[)" + std::to_string(first) + "," + std::to_string(first + second) +
                            "]}}"),
         first + second);
  const Result result = cli({"info", "layer.safetensors", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "headscope-cli: notice: reading layer.safetensors, 47.7 GB\n");
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["kind"], "attention_layer");
  EXPECT_EQ(json["layer"]["d_model"], 54600);
  EXPECT_TRUE(json["layer"]["sha256"].is_null());
  EXPECT_EQ(json["tensors"].size(), 2U);
}

}  // namespace
}  // namespace headscope
