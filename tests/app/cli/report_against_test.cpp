// report A --against B: two scans of the same phrases by two models.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/tensor/tensor.h"
#include "tests/app/cli/changed_model.h"
#include "tests/app/cli/command.h"
#include "tests/core/corpus/made_records.h"

namespace headscope {
namespace {

class ReportAgainst : public CommandTest {
 protected:
  ReportAgainst() {
    folder_.write("p.txt", test::demo_lines(12));
    scan("demo:induction", "a.hsagg");
    // The same with queries of head 0.2 twice as large.
    write_changed_model(
        std::string(HEADSCOPE_SOURCE_DIR) + "/assets/demos/induction",
        std::filesystem::path(folder_.path()) / "sharper", [](nlohmann::json&) {},
        [](std::string& name, Tensor& tensor) {
          if (name.rfind("layers.0.qkv.", 0) != 0) return true;
          std::vector<float> values = tensor.values();
          const std::int64_t columns = tensor.size() / tensor.dim(0);
          const std::int64_t head_dim = tensor.dim(0) / 3 / 8;
          for (std::int64_t k = 2 * head_dim * columns; k < 3 * head_dim * columns; ++k) {
            values[static_cast<std::size_t>(k)] *= 2;
          }
          tensor = Tensor::of(tensor.shape(), tensor.axes(), std::move(values));
          return true;
        });
    scan("sharper", "b.hsagg");
  }
  void scan(const std::string& model, const std::string& out, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"scan", "--model", model, "--phrases", "p.txt", "--out", out});
    const Result result = cli(more);
    ASSERT_EQ(result.code, 0) << result.err;
  }
  nlohmann::json json_of(const std::vector<std::string>& words) {
    const Result result = cli(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return nlohmann::json::parse(result.out);
  }
};

TEST_F(ReportAgainst, SubtractsWhatTheTwoReportsSay) {
  const nlohmann::json a = json_of({"report", "a.hsagg", "--json"}), b = json_of({"report", "b.hsagg", "--json"}),
                       found = json_of({"report", "a.hsagg", "--against", "b.hsagg", "--json"});
  EXPECT_EQ(found["a"]["model"], "demo:induction");
  EXPECT_EQ(found["b"]["model"], "sharper");
  EXPECT_NE(found["a"]["sha256"], found["b"]["sha256"]);
  EXPECT_EQ(found["tokens"], a["tokens"]);
  ASSERT_EQ(found["heads"].size(), a["heads"].size());
  double before = INFINITY;
  for (const nlohmann::json& head : found["heads"]) {
    EXPECT_LE(head["share"].get<double>(), before);
    before = head["share"];
    const auto is_it = [&](const nlohmann::json& other) {
      return other["layer"] == head["layer"] && other["head"] == head["head"];
    };
    const nlohmann::json& left = *std::find_if(a["heads"].begin(), a["heads"].end(), is_it);
    const nlohmann::json& right = *std::find_if(b["heads"].begin(), b["heads"].end(), is_it);
    ASSERT_EQ(head["means"].size(), 11U);
    for (const auto& [name, mean] : head["means"].items()) {
      EXPECT_EQ(mean["a"], left[name]) << name;
      EXPECT_EQ(mean["b"], right[name]) << name;
      EXPECT_EQ(mean["difference"].get<double>(), left[name].get<double>() - right[name].get<double>()) << name;
    }
  }
  const nlohmann::json& first = found["heads"][0];
  EXPECT_EQ(first["layer"], 0);
  EXPECT_EQ(first["head"], 2) << "the head that was changed";
}

TEST_F(ReportAgainst, OfTheSameModelNothingDiffers) {
  const Result same = cli({"report", "a.hsagg", "--against", "a.hsagg"});
  ASSERT_EQ(same.code, 0) << same.err;
  EXPECT_NE(same.out.find("A and B are of the same model"), std::string::npos) << same.out;
  EXPECT_NE(same.out.find("no mean of any head differs"), std::string::npos) << same.out;
}

TEST_F(ReportAgainst, IsATableAndAFile) {
  const Result text = cli({"report", "a.hsagg", "--against", "b.hsagg"});
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("A is demo:induction, B sharper: 10 phrases, 48 tokens of each"), std::string::npos)
      << text.out;
  EXPECT_NE(text.out.find("of spread"), std::string::npos) << text.out;
  const Result written = cli({"report", "a.hsagg", "--against", "b.hsagg", "--format", "csv", "--out", "tables"});
  ASSERT_EQ(written.code, 0) << written.err;
  EXPECT_NE(written.out.find("written to tables: differences.csv"), std::string::npos) << written.out;
  std::istringstream lines(bytes_of(folder_ / "tables/differences.csv"));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "layer,head,mean,a,b,difference,share,rows_a,rows_b");
  std::getline(lines, line);
  EXPECT_EQ(line.rfind("0,2,", 0), 0U) << line;
  int count = 1;
  while (std::getline(lines, line)) ++count;
  EXPECT_EQ(count, 16 * 11) << "a line for each of 11 means of 16 heads";
}

TEST_F(ReportAgainst, RefusesOtherCorporaAndOtherFormats) {
  const auto refused = [&](std::vector<std::string> more, const std::vector<std::string>& parts, int code = 2) {
    more.insert(more.begin(), {"report", "a.hsagg", "--against"});
    expect_refused(cli(more), code, parts);
  };
  scan("sharper", "part.hsagg", {"--shard", "0/2"});
  scan("sharper", "short.hsagg", {"--tokens", "3"});
  scan("sharper", "heads.hsagg", {"--layers", "1"});
  refused({"part.hsagg"}, {"--against", "a.hsagg", "part.hsagg", "scanned differ", "0:12", "0:6"});
  refused({"short.hsagg"}, {"--against", "--tokens", "3 in B"});
  refused({"heads.hsagg"}, {"--against", "the heads differ: 16 in A, 8 in B"});
  folder_.write("p.txt", test::demo_lines(11));
  scan("sharper", "list.hsagg");
  refused({"list.hsagg"}, {"--against", "of 12 phrases in A, of 11 in B"});
  refused({"none.hsagg"}, {"none.hsagg"}, 3);
  refused({"."}, {"--against", "folder"});
  refused({"b.hsagg", "--format", "svg", "--out", "x"}, {"--format", "svg", "--against"});
  refused({"b.hsagg", "--format", "csv", "--out", "x", "--head", "0.1"}, {"--head", "--against"});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x"));
}

}  // namespace
}  // namespace headscope
