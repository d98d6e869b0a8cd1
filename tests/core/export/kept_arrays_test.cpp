// What sessions keep of the user's own arrays: small ones run again without their files, others are noticed.
#include "core/export/kept_arrays.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "core/attention/engine.h"
#include "core/base/error.h"
#include "core/export/session_file.h"
#include "core/io/npy.h"
#include "core/model/own_arrays.h"
#include "core/request/request_text.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

class KeptArrays : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const Tensor& tensor) const {
    std::ofstream out(folder_ / name, std::ios::binary);
    write_npy(out, tensor, CancelToken());
    return folder_ / name;
  }
  static Request layer(const char* option, const std::string& text) {
    Request request;
    request.phrase = "the cat sat";
    request.d_model = 12;
    request.heads = 3;
    find_request_option(option)->set(request, text);
    return request;
  }
  static std::shared_ptr<const Trace> run(const Request& request) {
    return Engine(EngineOptions{}).run(request, CancelToken());
  }
  static Request saved(const Trace& trace) { return parse_session(session_json(kept_request(trace), {}), "s").request; }
  static std::string refused(const std::string& arrays) {
    try {
      parse_session(R"({"add": "context=a.npy", "arrays": )" + arrays + "}", "s.json");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder_;
};

TEST_F(KeptArrays, ASmallOneRunsWithoutItsFile) {
  const std::string a = file("a.npy", random_tensor({4}, 1)), b = file("b.npy", random_tensor({3, 12}, 2));
  Request request = layer("add", fmt::format("context:1={}*2;query={}", a, a));
  find_request_option("set")->set(request, "input=" + b);
  const auto trace = run(request);
  const Request again = saved(*trace);
  EXPECT_EQ(again.added_arrays.front().values, random_values(4, 1));
  EXPECT_EQ(again.set_arrays.front().shape, (std::vector<std::int64_t>{3, 12}));
  EXPECT_EQ(find_request_option("add")->get(again), find_request_option("add")->get(request));
  EXPECT_EQ(saved(*run(again)), again) << "what was saved is saved again as it is";
  // The file may hold other numbers, or go: those that were saved count.
  file("a.npy", random_tensor({4}, 9));
  std::filesystem::remove(b);
  const auto found = run(again);
  for (const Stage& stage : trace->stages) EXPECT_TRUE(same_bits(found->tensor(stage.id), stage.tensor));
  // Named anew, the file counts.
  Request anew = again;
  find_request_option("set")->set(anew, "none");
  find_request_option("add")->set(anew, fmt::format("context:1={}*2;query={}", a, a));
  EXPECT_FALSE(same_bits(run(anew)->tensor(StageId::output), trace->tensor(StageId::output)));
}

TEST_F(KeptArrays, OtherNumbersOfALargeOrInfiniteOneAreNoticed) {
  for (const bool infinite : {false, true}) {
    const Tensor tensor = infinite ? tensor_of({4}, {1, INFINITY, 0, 2}) : random_tensor({4}, 1);
    const std::string a = file("a.npy", tensor);
    Request again = saved(*run(layer("set", "context:1=" + a)));
    EXPECT_EQ(again.set_arrays.front().sha256.size(), 64u);
    EXPECT_EQ(again.set_arrays.front().values.empty(), infinite);
    again.set_arrays.front().values.clear();  // as a large one is saved
    EXPECT_NO_THROW(run(again));
    file("a.npy", random_tensor({4}, 2));
    try {
      run(again);
      ADD_FAILURE() << "other numbers were taken";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("not those that the session was saved with"), std::string::npos);
    }
  }
}

TEST_F(KeptArrays, AListThatIsNoneIsRefused) {
  const std::string hash(64, 'a');
  for (const auto& [list, part] : std::vector<std::pair<std::string, std::string>>{
           {"3", "a number"},
           {"[3]", "a number"},
           {R"([{"file": "a.npy"}])", "sha256"},
           {R"([{"file": "a.npy", "sha256": "12"}])", "64 hexadecimal digits"},
           {R"([{"file": "other.npy", "sha256": ")" + hash + R"("}])", "other.npy"},
           {R"([{"file": "a.npy", "sha256": ")" + hash + R"(", "shape": [4], "values": [1]}])", "as many as"},
           {R"([{"file": "a.npy", "sha256": ")" + hash + R"(", "shape": [-1], "values": [1]}])", "as many as"},
           {R"([{"file": "a.npy", "sha256": ")" + hash + R"(", "shape": [0], "values": []}])", "as many as"},
           {R"([{"file": "a.npy", "sha256": ")" + hash + R"(", "shape": [1], "values": ["x"]}])", "list of numbers"},
           {R"([{"file": "a.npy", "sha256": ")" + hash + R"(", "values": [1]}])", "shape"}}) {
    const std::string said = refused(list);
    EXPECT_NE(said.find("s.json: \"arrays\""), std::string::npos) << list << ": " << said;
    EXPECT_NE(said.find(part), std::string::npos) << list << ": " << said;
  }
  // Of numbers that do not belong to their hash the run says so.
  const Request request = parse_session(R"({"phrase": "a", "d_model": 4, "heads": 1, "add": "context=a.npy", "arrays": [
      {"file": "a.npy", "sha256": ")" + hash +
                                            R"(", "shape": [4], "values": [1, 2, 3, 4]}]})",
                                        "s")
                              .request;
  EXPECT_THROW(run(request), Error);
}

}  // namespace
}  // namespace headscope
