// What the tests of files of torch.save share.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "core/io/torch_file.h"
#include "tests/core/io/io_helpers.h"
#include "tests/core/io/pickle_files.h"

namespace headscope::test {

inline std::string floats(std::initializer_list<float> values) {
  std::string bytes;
  for (const float value : values) put_number(bytes, value);
  return bytes;
}

inline TorchContents parse_pt(const std::string& bytes) {
  return parse_torch(bytes_of(bytes), "a.pt");
}

inline std::string refused_pt(const std::string& bytes) {
  return refusal_of([&] { parse_pt(bytes); });
}

inline void expect_in_refusal(const std::string& part, const std::string& sentence) {
  EXPECT_NE(sentence.find(part), std::string::npos) << "\"" << part << "\" is not in: " << sentence;
  EXPECT_TRUE(sentence.starts_with("a.pt")) << sentence;
}

// Both formats of the tensors of `dict`, which all lie in storage 0.
inline std::vector<std::string> both_files(const std::string& dict, const std::string& storage) {
  return {torch_archive(pickled(dict), {{"0", storage}}), legacy_torch_file(pickled(dict), {{"0", storage}})};
}

}  // namespace headscope::test
