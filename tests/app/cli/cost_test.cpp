// `run --cost`: its tables, its JSON, and where it is refused.
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "core/io/atomic_file.h"
#include "tests/app/cli/command.h"

namespace headscope {
namespace {

const std::vector<std::string> kRequest = {"--phrase", "a b c d e f", "--model", "seeded", "--d-model",
                                           "16",       "--heads",     "4",       "--mask", "causal"};

std::vector<std::string> words_of(std::vector<std::string> first, const std::vector<std::string>& more = {}) {
  first.insert(first.end(), kRequest.begin(), kRequest.end());
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

class Cost : public CommandTest {};

// From the first line of the costs on.
void expect_narrow(const std::string& out) {
  const std::size_t begin = out.find("What the layer costs");
  ASSERT_NE(begin, out.npos) << out;
  std::istringstream lines(out.substr(begin));
  for (std::string line; std::getline(lines, line);) {
    const auto columns =
        std::count_if(line.begin(), line.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
    EXPECT_LE(columns, 100) << line;
  }
}

TEST_F(Cost, ATableHasEveryStageWithFormulasInAHundredColumns) {
  const Result result = cli(words_of({"run", "--cost"}));
  ASSERT_EQ(result.code, 0) << result.err;
  for (const char* part : {"What the layer costs", "limited by", "raw_scores", "in one pass", "B·H·Q·K·D", "×4",
                           "twice as long", "GFLOP/s", "qkv_rows", "keys, those of a past"}) {
    EXPECT_NE(result.out.find(part), std::string::npos) << part << "\n" << result.out;
  }
  EXPECT_EQ(result.out.find("shape"), std::string::npos) << "no table of shapes";
  expect_narrow(result.out);
}

TEST_F(Cost, FitsWhereNumbersAreLarge) {
  const Result result = cli({"run", "--model", "demo:stories", "--cost", "--phrase", "the cat sat on the mat"});
  ASSERT_EQ(result.code, 0) << result.err;
  expect_narrow(result.out);
  EXPECT_NE(result.out.find("This is layer "), std::string::npos) << result.out;
}

TEST_F(Cost, TheManifestHasTheNumbers) {
  const Result result = cli(words_of({"run", "--cost", "--json"}));
  ASSERT_EQ(result.code, 0) << result.err;
  const auto cost = nlohmann::json::parse(result.out).at("cost");
  const auto& scores = cost.at("stages").at("raw_scores");
  EXPECT_EQ(scores.at("multiply_adds"), 4 * 6 * 6 * 4);
  EXPECT_EQ(scores.at("bytes_read"), 4 * 2 * 4 * 6 * 4);
  EXPECT_EQ(scores.at("bytes_written"), 4 * 4 * 6 * 6);
  EXPECT_EQ(scores.at("twice_as_long").at("multiply_adds"), 4 * (4 * 6 * 6 * 4));
  EXPECT_EQ(cost.at("total").at("cache_bytes"), 4 * 2 * 6 * 16);
  EXPECT_GT(cost.at("machine").at("operations_per_second"), 0);
  EXPECT_EQ(nlohmann::json::parse(cli(words_of({"run", "--json"})).out).count("cost"), 0u);
}

TEST_F(Cost, TheExportedManifestHasThemToo) {
  const Result result = cli(words_of({"run", "--cost", "--out", "there", "--export", "weights"}));
  ASSERT_EQ(result.code, 0) << result.err;
  const auto manifest = nlohmann::json::parse(read_small_file(folder_ / "there/manifest.json", 1 << 20));
  EXPECT_EQ(manifest.at("cost").at("stages").at("context").at("multiply_adds"), 4 * 6 * 6 * 4);
  EXPECT_NE(result.out.find("What the layer costs"), std::string::npos) << result.out;
}

TEST_F(Cost, StandsBesideASummaryAndMetrics) {
  const Result summary = cli(words_of({"run", "--cost", "--summary"}));
  EXPECT_NE(summary.out.find("attends to"), std::string::npos) << summary.out;
  EXPECT_NE(summary.out.find("What the layer costs"), std::string::npos) << summary.out;
  const Result metrics = cli(words_of({"run", "--cost", "--metrics"}));
  EXPECT_NE(metrics.out.find("entropy"), std::string::npos) << metrics.out;
  EXPECT_NE(metrics.out.find("What the layer costs"), std::string::npos) << metrics.out;
}

TEST_F(Cost, IsRefusedWhereItWouldSayNothing) {
  expect_refused(cli(words_of({"run", "--cost", "--trace", "torch"})), 2, {"--trace", "--cost"});
  const std::string weights = write_array("weights", {6, 2, 3, 3}, std::vector<float>(108, 1.0F / 3));
  expect_refused(cli({"run", "--model", weights, "--cost"}), 2, {"--cost", "capture"});
  expect_refused(cli(words_of({"render", "--cost", "--out", "a.png"})), 2, {"--cost", "run"});
}

}  // namespace
}  // namespace headscope
