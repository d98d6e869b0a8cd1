// headscope-cli bench: what it prints, and what it refuses. How fast anything is, is no test's business.
#include <cmath>

#include "tests/app/cli/command.h"

namespace headscope {
namespace {

// A positive finite number, which a comparison that fails on NaN says.
void expect_positive(const nlohmann::json& number) {
  ASSERT_TRUE(number.is_number()) << number;
  EXPECT_TRUE(number.get<double>() > 0 && std::isfinite(number.get<double>())) << number;
}

TEST(Bench, JsonHoldsWhatTheContractNames) {
  const Result result =
      run_cli({"bench", "--json", "--size", "2,3,8,16,4,causal", "--size", "attn:5,2,8,none", "--threads", "1"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const nlohmann::json json = nlohmann::json::parse(result.out);
  expect_positive(json["peak_gflops"]);
  ASSERT_EQ(json["results"].size(), 2u);
  EXPECT_EQ(json["results"][0]["size"], "2,3,8,16,4,causal");
  EXPECT_EQ(json["results"][0]["mode"], "weights");
  EXPECT_EQ(json["results"][1]["size"], "attn:5,2,8,none");
  EXPECT_EQ(json["results"][1]["mode"], "flash");
  for (const nlohmann::json& row : json["results"]) {
    EXPECT_EQ(row["threads"], 1);
    for (const char* key : {"median_s", "min_s", "gflops", "share_of_peak"}) expect_positive(row[key]);
    EXPECT_TRUE(row["min_s"].get<double>() <= row["median_s"].get<double>());
    const double share = row["gflops"].get<double>() / json["peak_gflops"].get<double>();
    EXPECT_TRUE(std::abs(row["share_of_peak"].get<double>() / share - 1) <= 1e-9);
  }
}

// gflops * median_s is the work of the case, whatever the clock said.
double work_of(const std::string& size) {
  const Result result = run_cli({"bench", "--json", "--threads", "1", "--size", size});
  if (result.code != 0) return std::nan("");
  const nlohmann::json row = nlohmann::json::parse(result.out)["results"][0];
  return row["gflops"].get<double>() * row["median_s"].get<double>() * 1e9;
}

TEST(Bench, OnlyVisibleCellsCountAsWork) {
  // 2 * tokens * (3 * input_dim + d_model) * d_model for the projections, 4 * d_model for every visible pair.
  const double projections = 2.0 * 2 * 6 * (3 * 8 + 16) * 16;
  const auto expect_work = [](const std::string& size, double work) {
    EXPECT_TRUE(std::abs(work_of(size) / work - 1) <= 1e-9) << size;
  };
  expect_work("2,6,8,16,4,none", projections + 2 * 4.0 * 16 * 36);
  expect_work("2,6,8,16,4,causal", projections + 2 * 4.0 * 16 * 21);
  expect_work("2,6,8,16,4,causal,padding:2", projections + 2 * 4.0 * 16 * 18);
  expect_work("attn:6,2,8,window:1", 4.0 * 16 * 16);
}

TEST(Bench, TheTableNamesEverySizeAndThePeak) {
  const Result result = run_cli({"bench", "--size", "1,4,8,8,2,none", "--size", "attn:4,2,8,causal"});
  ASSERT_EQ(result.code, 0) << result.err;
  for (const char* part :
       {"Peak", "GFLOP/s", "share of peak", "median", "1,4,8,8,2,none", "attn:4,2,8,causal", "weights", "flash"}) {
    EXPECT_NE(result.out.find(part), std::string::npos) << part << "\n" << result.out;
  }
}

TEST(Bench, SizesThatAreNoneAreRefused) {
  for (const char* size :
       {"", "1,4", "1,4,8,8,2", "1,4,8,8,2,", "0,4,8,8,2,none", "1,-4,8,8,2,none", "1,4.5,8,8,2,none",
        "1,4,8,8,2,nonsense", "1,4,8,8,2,mask.npy", "1,4,8,8,3,none", "1,4,8,8,2,none,4", "attn:4,2,8",
        "attn:4,0,8,none", "attn:1,4,8,8,2,none", "flash:4,2,8,none", "1,4,8,8,2,padding:x",
        "99999999999999999999,4,8,8,2,none", "1, 4,8,8,2,none"}) {
    expect_refused(run_cli({"bench", "--size", size}), 2, {"--size", "'" + std::string(size) + "'", "expected"});
  }
  expect_refused(run_cli({"bench", "--size", "1,4,8,8,2,none", "--size", "x"}), 2, {"--size", "'x'"});
}

TEST(Bench, ASizeThatMemoryCannotHoldIsRefused) {
  expect_refused(run_cli({"bench", "--size", "1,8000000,512,512,8,none"}), 2, {"--size", "8000000", "memory"});
  expect_refused(run_cli({"bench", "--size", "attn:16000000,1000,64,none"}), 2, {"--size", "16000000"});
}

TEST(Bench, ThreadsAndWordsThatAreNoneAreRefused) {
  expect_refused(run_cli({"bench", "--threads", "-1"}), 2, {"--threads", "'-1'"});
  expect_refused(run_cli({"bench", "--threads", "two"}), 2, {"--threads", "'two'"});
  expect_refused(run_cli({"bench", "--phrase", "a"}), 2, {"--phrase", "run"});
  expect_refused(run_cli({"bench", "1,4,8,8,2,none"}), 2, {"'1,4,8,8,2,none'"});
}

}  // namespace
}  // namespace headscope
