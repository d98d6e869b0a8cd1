// What `scan` counts besides means: from captures, of tokens, of random tokens, without heads.
#include <algorithm>

#include "core/corpus/corpus_file.h"
#include "tests/app/cli/command.h"
#include "tests/core/corpus/made_captures.h"
#include "tests/core/corpus/made_records.h"

namespace headscope {
namespace {

class ScanNumbers : public CommandTest {
 protected:
  ScanNumbers() { folder_.write("p.txt", test::demo_lines(12)); }
  void scan(const std::string& out, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"scan", "--model", "demo:induction", "--phrases", "p.txt", "--out", out};
    words.insert(words.end(), more.begin(), more.end());
    const Result result = cli(words);
    ASSERT_EQ(result.code, 0) << result.err;
  }
  nlohmann::json report(const std::string& name) {
    const Result result = cli({"report", name, "--json"});
    EXPECT_EQ(result.code, 0) << result.err;
    return nlohmann::json::parse(result.out);
  }
};

// What `run --export` writes of both layers of a phrase, put together as a capture of its queries and keys.
TEST_F(ScanNumbers, CapturesOfAnotherEngineGiveTheNumbersOfTheModel) {
  const std::vector<std::string> phrases = {"cat box ink cat box", "jam hat jam hat pen"};
  folder_.write("p.txt", phrases[0] + "\n" + phrases[1] + "\n");
  scan("model.hsagg");
  const auto wanted = report("model.hsagg");
  for (std::size_t k = 0; k < phrases.size(); ++k) {
    std::vector<Tensor> stages;
    for (const std::string layer : {"0", "1"}) {
      const std::string out = "run" + std::to_string(k) + layer;
      const Result run = cli({"run", "--model", "demo:induction", "--phrase", phrases[k], "--layer", layer, "--export",
                              "query,key", "--format", "npy", "--out", out});
      ASSERT_EQ(run.code, 0) << run.err;
      for (const char* name : {"query", "key"}) stages.push_back(stage(out, name));
    }
    const Result ids = cli({"tokenize", "--model", "demo:induction", "--phrase", phrases[k], "--json"});
    ASSERT_EQ(ids.code, 0) << ids.err;
    test::write_tensors(folder_ / ("captures/" + std::to_string(k) + ".safetensors"),
                        {{"layers.0.query", &stages[0]},
                         {"layers.0.key", &stages[1]},
                         {"layers.1.query", &stages[2]},
                         {"layers.1.key", &stages[3]}},
                        {{"tokens", manifest("run" + std::to_string(k) + "0").at("tokens").dump()},
                         {"token_ids", nlohmann::json::parse(ids.out).at("ids").dump()},
                         {"causal", "true"},
                         {"phrase", phrases[k]},
                         {"model", "demo:induction"}});
  }
  folder_.write("captures/broken.safetensors", "cat");
  const Result result = cli({"scan", "--captures", "captures", "--out", "x.hsagg"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.err.find("capture 2 cannot be read: captures/broken.safetensors"), std::string::npos) << result.err;
  const auto found = report("x.hsagg");
  EXPECT_TRUE(found.at("heads") == wanted.at("heads"));
  EXPECT_EQ(found.at("tokens"), wanted.at("tokens"));
  EXPECT_EQ(found.at("list").at("unreadable"), 1);
  expect_refused(cli({"scan", "--captures", "none", "--out", "y"}), 3, {"none"});
  expect_refused(cli({"scan", "--captures", "captures", "--phrases", "p.txt", "--out", "y"}), 2, {"--phrases"});
  expect_refused(cli({"scan", "--captures", "captures", "--repeated", "4", "--out", "y"}), 2, {"--repeated"});
  expect_refused(cli({"scan", "--captures", "captures", "--loss", "--out", "y"}), 2, {"--loss"});
  expect_refused(cli({"scan", "--captures", "captures", "--batch", "4", "--out", "y"}), 2, {"--batch"});
  expect_refused(cli({"scan", "--captures", "captures", "--layers", "2", "--out", "y"}), 2, {"--layers", "0 to 1"});
  expect_refused(cli({"scan", "--captures", "captures", "--out", "captures/0.safetensors"}), 2, {"--out", "captures"});
}

TEST_F(ScanNumbers, TokensSamplesAndRepeatedTokensAreReported) {
  scan("x.hsagg", {"--repeated", "5"});
  const auto said = report("x.hsagg");
  EXPECT_EQ(said.at("repeated"), 5);
  for (const auto& head : said.at("heads")) {
    EXPECT_EQ(head.at("repeated").at("rows"), 100);  // ten phrases
    EXPECT_EQ(head.at("samples").size(), 10u);
    std::uint64_t rows = 0;
    for (const auto& token : head.at("key_tokens")) rows += token.at("rows").get<std::uint64_t>();
    EXPECT_EQ(head.at("pointing"), rows);
  }
  const std::string table = cli({"report", "x.hsagg"}).out;
  EXPECT_NE(table.find("repeated_induction"), std::string::npos) << table;
  EXPECT_EQ(table.find("loss_ablated"), std::string::npos) << table;
  scan("y.hsagg", {"--shard", "0/2"});
  EXPECT_EQ(cli({"report", "y.hsagg"}).out.find("repeated"), std::string::npos);
  scan("z.hsagg", {"--shard", "1/2", "--repeated", "5"});
  expect_refused(cli({"merge", "y.hsagg", "z.hsagg", "--out", "w"}), 2, {"y.hsagg", "z.hsagg", "--repeated"});
}

TEST_F(ScanNumbers, LossesOfASampleAreThoseOfRunPredict) {
  folder_.write("p.txt", "cat box ink cat box ink\nfox jam\n");
  scan("x.hsagg", {"--ablation-sample", "1", "--layers", "1", "--heads", "2"});
  const auto said = report("x.hsagg");
  const auto loss = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"run",       "--model", "demo:induction", "--phrase", "cat box ink cat box ink",
                                      "--predict", "1",       "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Result run = cli(words);
    EXPECT_EQ(run.code, 0) << run.err;
    return nlohmann::json::parse(run.out).at("predictions").at("mean_loss").get<double>();
  };
  EXPECT_TRUE(std::abs(said.at("loss").at("mean").get<double>() - loss({})) <= 1e-5) << said.at("loss");
  const double ablated = said.at("heads")[0].at("loss_ablated").get<double>();
  EXPECT_TRUE(std::abs(ablated - loss({"--ablate", "1.2"})) <= 1e-5) << ablated;
  const std::string table = cli({"report", "x.hsagg"}).out;
  EXPECT_NE(table.find("loss_ablated"), std::string::npos) << table;
  EXPECT_NE(table.find("nats a token"), std::string::npos) << table;
  // Of all phrases: the sample's one has five tokens that are predicted, the other one.
  scan("all.hsagg", {"--loss", "--batch", "2", "--layers", "0"});
  scan("other.hsagg", {"--loss", "--shard", "1/2", "--heads", "3"});
  const auto all = report("all.hsagg").at("phrase_loss"), other = report("other.hsagg").at("phrase_loss");
  EXPECT_EQ(all.at("tokens"), 6);
  EXPECT_EQ(other.at("tokens"), 1);
  EXPECT_TRUE(std::abs(6 * all.at("mean").get<double>() - 5 * loss({}) - other.at("mean").get<double>()) <= 1e-5)
      << all;
  EXPECT_NE(cli({"report", "all.hsagg"}).out.find("nats a token over 6 tokens\n"), std::string::npos);
  EXPECT_TRUE(report("x.hsagg").at("phrase_loss").is_null());
}

// The sums of a file against what `run --export` writes of each phrase.
TEST_F(ScanNumbers, SumsOfVectorsAreThoseThatRunExports) {
  const std::vector<std::string> phrases = {"cat box ink cat box ink", "fox jam", "jam hat jam hat pen"};
  folder_.write("p.txt", phrases[0] + "\n" + phrases[1] + "\n" + phrases[2] + "\n");
  scan("x.hsagg", {"--points", "5", "--layers", "1", "--heads", "2"});
  const CorpusRecord record = read_corpus_file(folder_ / "x.hsagg");
  ASSERT_EQ(record.points.size(), 5u);
  std::array<std::vector<double>, kVectorKinds> sums, products;
  for (std::size_t k = 0; k < phrases.size(); ++k) {
    const std::string out = "run" + std::to_string(k);
    const Result run = cli({"run", "--model", "demo:induction", "--phrase", phrases[k], "--layer", "1", "--export",
                            "query,key,value,context", "--format", "npy", "--out", out});
    ASSERT_EQ(run.code, 0) << run.err;
    for (std::size_t kind = 0; kind < kVectorKinds; ++kind) {
      const Tensor rows = stage(out, std::string(stage_name(vector_stage(all_vector_kinds()[kind]))));
      const auto size = static_cast<std::size_t>(rows.dim(3));
      sums[kind].resize(size);
      products[kind].resize(size * (size + 1) / 2);
      for (std::int64_t i = 0; i < rows.dim(2); ++i) {
        std::size_t place = 0;
        for (std::size_t a = 0; a < size; ++a) {
          const double x = rows.at({0, 2, i, static_cast<std::int64_t>(a)});
          sums[kind][a] += x;
          for (std::size_t b = a; b < size; ++b) {
            products[kind][place++] += x * static_cast<double>(rows.at({0, 2, i, static_cast<std::int64_t>(b)}));
          }
        }
      }
    }
  }
  for (std::size_t kind = 0; kind < kVectorKinds; ++kind) {
    const HeadVectors& found = record.heads[0].vectors[kind];
    ASSERT_EQ(found.sums.size(), sums[kind].size());
    for (std::size_t k = 0; k < sums[kind].size(); ++k) {
      EXPECT_TRUE(std::abs(found.sums[k].value() - sums[kind][k]) <= 1e-11) << kind << " " << k;
    }
    for (std::size_t k = 0; k < products[kind].size(); ++k) {
      EXPECT_TRUE(std::abs(found.products[k].value() - products[kind][k]) <= 1e-11) << kind << " " << k;
    }
  }
}

TEST_F(ScanNumbers, PointsOfAHeadAreATable) {
  scan("x.hsagg", {"--points", "5", "--layers", "1"});
  const auto said = report("x.hsagg");
  EXPECT_EQ(said.at("points"), 5);
  EXPECT_EQ(said.at("heads")[2].at("variance").at("output").size(), 8u);
  Result result = cli({"report", "x.hsagg", "--format", "csv", "--head", "1.2", "--out", "tables"});
  ASSERT_EQ(result.code, 0) << result.err;
  const std::string text = bytes_of(folder_ / "tables/points.csv");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 4 * 5) << text;
  EXPECT_NE(text.find("\n1,2,output,"), text.npos);
  EXPECT_EQ(cli({"report", "x.hsagg", "--format", "csv", "--head", "0.2", "--out", "t"}).code, 2);
  scan("none.hsagg");
  result = cli({"report", "none.hsagg", "--format", "csv", "--head", "1.2", "--out", "t"});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("scan --points"), std::string::npos) << result.err;
  for (const char* points : {"-1", "1025", "x"}) {
    EXPECT_EQ(
        cli({"scan", "--model", "demo:induction", "--phrases", "p.txt", "--points", points, "--out", "y.hsagg"}).code,
        2);
  }
}

}  // namespace
}  // namespace headscope
