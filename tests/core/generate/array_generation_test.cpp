// A text that grows under the user's own arrays: each token is that of a single run whose places are written out.
#include <fstream>

#include "core/base/error.h"
#include "core/io/npy.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/core/attention/made_inputs.h"
#include "tests/core/generate/generating.h"

namespace headscope {
namespace {

class ArrayGeneration : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const Tensor& tensor) const {
    std::ofstream out(folder_ / (name + ".npy"), std::ios::binary);
    write_npy(out, tensor, CancelToken());
    return folder_ / (name + ".npy");
  }
  // Seven words.
  static Request with(const char* option, const std::string& text) {
    Request request = demo_request();
    find_request_option(option)->set(request, text);
    return request;
  }
  static std::vector<std::int64_t> ids(const Request& request, std::int64_t tokens = 4) {
    GenerationOptions options;
    options.tokens = tokens;
    return ids_of(generated(request, options));
  }
  static std::vector<std::int64_t> one_by_one(const Request& request, std::int64_t tokens = 4) {
    std::vector<std::int64_t> found;
    for (const TokenProbability& each : predicted_one_by_one(request, tokens)) found.push_back(each.id);
    return found;
  }

  TemporaryFolder folder_;
};

TEST_F(ArrayGeneration, EveryStepHasThemAtThePlacesThatAreThere) {
  const std::string v = file("v", random_tensor({64}, 3)), rows = file("rows", random_tensor({7, 64}, 4)),
                    whole = file("whole", random_tensor({1, 7, 64}, 4)), two = file("two", random_tensor({2, 64}, 5));
  const std::vector<std::int64_t> plain = ids(demo_request());
  int changed = 0;
  // What is generated, and the same places as a single run of any length has them.
  const std::pair<std::string, std::string> cases[] = {
      {"1/stream=" + v + "*30", "1/stream=" + v + "*30"},
      {"1/stream:-1=" + v + "*-30", "1/stream:-1=" + v + "*-30"},
      {"1/stream:-2..-1=" + two + "*30", "1/stream:-2..-1=" + two + "*30"},
      {"1/stream:3..-1=" + v + "*30", "1/stream:3..-1=" + v + "*30"},
      {"1/stream=" + rows + "*30", "1/stream:0..6=" + rows + "*30"},
      {"1/stream=" + whole + "*30", "1/stream:0..6=" + rows + "*30"},
      {"1/stream:2..-1=" + file("five", random_tensor({5, 64}, 6)) + "*30",
       "1/stream:2..6=" + folder_ / "five.npy" + "*30"},
      {"1/attention_out:2=" + whole + "*30",
       "1/attention_out:2=" +
           file("third", random_tensor({1, 7, 64}, 4).sliced(1, 2, 3).dense_copy().reshaped({64}, {Axis::feature})) +
           "*30"}};
  for (const auto& each : cases) {
    const std::vector<std::int64_t> found = ids(with("add", each.first));
    EXPECT_EQ(found, one_by_one(with("add", each.second))) << each.first;
    changed += found != plain;
  }
  EXPECT_GE(changed, 4);
}

TEST_F(ArrayGeneration, PlacesToComeAreNoErrorAndActOnceTheyAreThere) {
  const std::string v = file("v", random_tensor({64}, 3));
  // The third token is the first that reads position 8.
  const std::vector<std::int64_t> plain = ids(demo_request()), later = ids(with("add", "1/stream:8..9=" + v + "*90"));
  EXPECT_EQ(std::vector(plain.begin(), plain.begin() + 2), std::vector(later.begin(), later.begin() + 2));
  EXPECT_NE(plain, later);
  EXPECT_EQ(ids(with("set", "1/weights:,20=0")), plain);
  Engine engine(generating(true));
  EXPECT_THROW(engine.run(with("add", "1/stream:8=" + v), CancelToken()), ProblemError);
  EXPECT_THROW(ids(with("add", "1/stream=" + file("six", random_tensor({6, 64}, 4)))), ProblemError);
  EXPECT_THROW(ids(with("set", "1/weights:0,0=" + file("row", random_tensor({7}, 4)))), ProblemError);
}

}  // namespace
}  // namespace headscope
