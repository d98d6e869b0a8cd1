// Files that the tests of this folder write, in a folder of their own that vanishes.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "core/io/npy.h"
#include "core/io/safetensors.h"
#include "core/model/layer_weights.h"
#include "core/tensor/tensor.h"

namespace headscope {

// 0.001, 0.002, ...: every cell differs.
inline Tensor counted(Shape shape, float first = 0.001f) {
  Axes axes;
  for (int axis = 0; axis < shape.count; ++axis) axes.push_back(Axis::feature);
  Tensor tensor = Tensor::zeros(shape, axes);
  for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.mutable_data()[i] = first + 0.001f * static_cast<float>(i);
  return tensor;
}

class FilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() / ("headscope_" + std::to_string(getpid()) + "_" + info->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string write_text(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  std::string write_npy_file(const std::string& name, const Tensor& tensor) const {
    std::ofstream out(path(name), std::ios::binary);
    write_npy(out, tensor);
    return path(name);
  }
  std::string write_layer(const std::string& name, const std::vector<NamedTensor>& tensors,
                          const std::map<std::string, std::string>& metadata = {}) const {
    std::vector<NamedTensorRef> refs;
    for (const NamedTensor& tensor : tensors) refs.push_back({tensor.name, &tensor.tensor});
    std::ofstream out(path(name), std::ios::binary);
    write_safetensors(out, refs, metadata);
    return path(name);
  }

 private:
  std::filesystem::path folder_;
};

// Expects that `call` throws Exception with every one of `parts` in its sentence.
template <typename Exception, typename Call>
void expect_refusal(const Call& call, const std::vector<std::string>& parts) {
  try {
    call();
    ADD_FAILURE() << "nothing was thrown; expected a sentence with: " << parts.front();
  } catch (const Exception& refusal) {
    const std::string sentence = refusal.what();
    for (const std::string& part : parts) {
      EXPECT_NE(sentence.find(part), std::string::npos) << "\"" << part << "\" is not in: " << sentence;
    }
  }
}

}  // namespace headscope
