// Which array of a file --theirs is, and which numbers it can be.
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "core/io/npy.h"
#include "core/io/tensor_blocks.h"
#include "tests/app/cli/command.h"
#include "tests/core/io/npz_files.h"
#include "tests/core/io/torch_lists.h"

namespace headscope {
namespace {

const Shape kShape{1, 1, 2, 2};

std::string npy(const std::vector<float>& values, const Shape& shape = kShape) {
  std::ostringstream out;
  write_npy(out, tensor_of_values(shape, values));
  return out.str();
}

// These are the numbers as float64.
std::string wide_npy(const std::vector<double>& values) {
  std::string bytes = npy(std::vector<float>(values.size()));
  bytes.resize(bytes.size() - 4 * values.size());
  bytes.replace(bytes.find("<f4"), 3, "<f8");
  for (const double value : values) test::put_number(bytes, value);
  return bytes;
}

// Two queries that see all of two keys alike: the context is the mean of the values in every row.
class TheirsFiles : public CommandTest {
 protected:
  Result judged(const std::string& theirs, const std::string& stage) {
    const std::string zeros = write_array("zeros", kShape, {0, 0, 0, 0});
    const std::string value = write_array("value", kShape, {1, 2, 3, 4});
    return cli({"diagnose", "--query", zeros, "--key", zeros, "--value", value, "--theirs", theirs, "--stage", stage});
  }
  void equal(const std::string& theirs, const std::string& stage = "context") {
    const Result result = judged(theirs, stage);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_NE(result.out.find(stage + " is equal"), std::string::npos) << theirs << ": " << result.out;
  }

  const std::vector<float> right_ = {2, 3, 2, 3};
};

TEST_F(TheirsFiles, TheOnlyArrayOfAFileIsTheStage) {
  folder_.write("one.npz", test::zip_of({{"arr_0.npy", npy(right_)}}));
  folder_.write("one.pt", test::saved_tensor({{1, 1, 2, 2}, right_}));
  folder_.write("dict.pt", test::saved_dict({{"my_result", {{1, 1, 2, 2}, right_}}}));
  folder_.write("folder/mine.npy", npy(right_));
  for (const char* file : {"one.npz", "one.pt", "dict.pt", "folder"}) equal(file);
  // One of several has a name; what is called another stage is that one.
  folder_.write("two.npz", test::zip_of({{"arr_0.npy", npy(right_)}, {"arr_1.npy", npy(right_)}}));
  folder_.write("weights.npz", test::zip_of({{"weights.npy", npy(right_)}}));
  for (const char* file : {"two.npz", "weights.npz"}) {
    expect_refused(judged(file, "context"), 3, {file, "named like a stage", "context"});
  }
  expect_refused(judged("one.npz", "weights,context"), 3, {"one.npz", "named like a stage"});
}

TEST_F(TheirsFiles, OneStageHasOneFileAndStandsOnce) {
  folder_.write("a.npy", npy(right_));
  folder_.write("a,b.npy", npy(right_));
  equal("a,b.npy");
  expect_refused(judged("a.npy,a.npy", "context"), 2, {"--theirs", "2 files for 1 stage", "one for each"});
  expect_refused(judged("a.npy", "context,context"), 2, {"--stage", "twice", "each stage once"});
  expect_refused(judged("a.npy,a.npy", "context,weights,context"), 2, {"--stage", "twice"});
}

// A finite number is never called infinite.
TEST_F(TheirsFiles, NumbersThatFloat32DoesNotReachAreRefused) {
  folder_.write("wide.npy", wide_npy({2, 3, 2, 3}));
  equal("wide.npy");
  folder_.write("large.npy", wide_npy({2, -1e300, 1e39, 3}));
  folder_.write("large.npz", test::zip_of({{"context.npy", wide_npy({2, 1e39, 2, 3})}}));
  std::string header = R"({"context":{"dtype":"F64","shape":[1,1,2,2],"data_offsets":[0,32]}})", file;
  test::put_number(file, static_cast<std::uint64_t>(header.size()));
  file += header;
  for (const double value : {2.0, 1e39, 2.0, 3.0}) test::put_number(file, value);
  folder_.write("large.safetensors", file);
  expect_refused(judged("large.npy", "context"), 3, {"large.npy", "holds -1e+300", "no float32 number reaches"});
  for (const char* name : {"large.npz", "large.safetensors"}) {
    expect_refused(judged(name, "context"), 3, {name, "holds 1e+39", "at most 3.4e38"});
  }
}

TEST_F(TheirsFiles, ANumberWithoutAxesIsSaidToBeOne) {
  std::string bytes = npy({3}, {1});
  const std::string one = "(1,), }", none = "(), }  ";
  bytes.replace(bytes.find(one), one.size(), none);
  folder_.write("single.npy", bytes);
  expect_refused(judged("single.npy", "context"), 2, {"--theirs", "single.npy is a single number", "[1, 1, 2, 2]"});
  folder_.write("single.npz", test::zip_of({{"context.npy", bytes}}));
  expect_refused(judged("single.npz", "context"), 2, {"--theirs", "a single number", "[1, 1, 2, 2]"});
}

}  // namespace
}  // namespace headscope
