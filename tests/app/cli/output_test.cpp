// What `run` prints and writes.
#include <algorithm>

#include "core/io/safetensors.h"
#include "tests/app/cli/command.h"

namespace headscope {
namespace {

const std::vector<std::string> kSmall = {"run",     "--phrase", "a, \"b\" c", "--d-model", "8",
                                         "--heads", "2",        "--mask",     "causal"};

std::vector<std::string> small_with(std::initializer_list<std::string> more) {
  std::vector<std::string> words = kSmall;
  words.insert(words.end(), more);
  return words;
}

class Output : public CommandTest {
 protected:
  std::vector<std::string> files_in(const std::string& name) const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / name))
      names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }
};

TEST_F(Output, TheTableHasEveryStageWithItsShapeInColumns) {
  const Result result = cli(kSmall);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("tokens     a, | \"b\" | c\n"), std::string::npos) << result.out;
  for (const char* line : {"input          [1, 3, 8] ", "qkv_split      [1, 3, 2, 12]", "weights        [1, 2, 3, 3]",
                           "output         [1, 3, 8] "}) {
    EXPECT_NE(result.out.find(line), std::string::npos) << line << "\n" << result.out;
  }
  EXPECT_EQ(result.out.find(" \n"), std::string::npos) << "blanks at a line's end";
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path())) << "without --out nothing is written";
}

TEST_F(Output, TheTutorialsLinesLetterForLetter) {
  const Result result =
      cli({"run", "--model", "seeded", "--seed", "0", "--batch", "30", "--embedding", "sequence", "--input-dim", "1024",
           "--d-model", "512", "--heads", "8", "--phrase", "a b c d e", "--trace", "torch"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(
      result.out,
      "x.size(): torch.Size([30, 5, 1024])\n"
      "qkv.size(): torch.Size([30, 5, 1536])\n"
      "qkv.size(): torch.Size([30, 5, 8, 192])\n"
      "qkv.size(): torch.Size([30, 8, 5, 192])\n"
      "q size: torch.Size([30, 8, 5, 64]), k size: torch.Size([30, 8, 5, 64]), v size: torch.Size([30, 8, 5, 64]), \n"
      "values.size(): torch.Size([30, 8, 5, 64]), attention.size:torch.Size([30, 8, 5, 5]) \n"
      "values.size(): torch.Size([30, 5, 512])\n"
      "out.size(): torch.Size([30, 5, 512])\n");
}

TEST_F(Output, TorchLinesOfOtherWeightsAreThoseThatApply) {
  const Result grouped = cli(small_with({"--kv-heads", "1", "--trace", "torch"}));
  ASSERT_EQ(grouped.code, 0) << grouped.err;
  EXPECT_EQ(grouped.out,
            "x.size(): torch.Size([1, 3, 8])\n"
            "q size: torch.Size([1, 2, 3, 4]), k size: torch.Size([1, 1, 3, 4]), v size: torch.Size([1, 1, 3, 4]), \n"
            "values.size(): torch.Size([1, 2, 3, 4]), attention.size:torch.Size([1, 2, 3, 3]) \n"
            "values.size(): torch.Size([1, 3, 8])\n"
            "out.size(): torch.Size([1, 3, 8])\n");
  const std::string x = write_array("x", {1, 1, 2, 2}, {1, 2, 3, 4});
  const Result alone = cli({"run", "--query", x, "--key", x, "--value", x, "--trace", "torch"});
  EXPECT_EQ(alone.out,
            "q size: torch.Size([1, 1, 2, 2]), k size: torch.Size([1, 1, 2, 2]), v size: torch.Size([1, 1, 2, 2]), \n"
            "values.size(): torch.Size([1, 1, 2, 2]), attention.size:torch.Size([1, 1, 2, 2]) \n"
            "values.size(): torch.Size([1, 2, 2])\n")
      << alone.err;
  expect_refused(cli(small_with({"--trace", "jax"})), 2, {"--trace", "jax", "torch"});
  expect_refused(cli(small_with({"--trace", "torch", "--json"})), 2, {"--trace", "--json"});
}

TEST_F(Output, JsonIsTheManifest) {
  const Result result = cli(small_with({"--json"}));
  ASSERT_EQ(result.code, 0) << result.err;
  nlohmann::json manifest = nlohmann::json::parse(result.out);
  EXPECT_EQ(manifest["tokens"], (std::vector<std::string>{"a,", "\"b\"", "c"}));
  EXPECT_EQ(manifest["stages"]["weights"]["shape"], (std::vector<int>{1, 2, 3, 3}));
  EXPECT_EQ(manifest["stages"]["weights"]["files"], nlohmann::json::array());
  EXPECT_EQ(manifest["request"]["mask"], "causal");
}

TEST_F(Output, NumbersThatAreNotFiniteAreStringsInJson) {
  const Result result = cli(small_with({"--mask-fill", "-inf", "--json"}));
  ASSERT_EQ(result.code, 0) << result.err;
  const Result nan = cli({"run", "--phrase", "a b", "--mask", "padding:2", "--json"});
  ASSERT_EQ(nan.code, 0);
  EXPECT_EQ(nlohmann::json::parse(nan.out)["stages"]["output"]["mean"], "nan");
}

TEST_F(Output, CsvIsOneMatrixASlice) {
  const Result result = cli(small_with({"--export", "weights,output", "--out", "o"}));
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(files_in("o"),
            (std::vector<std::string>{"manifest.json", "output.b0.csv", "weights.b0.h0.csv", "weights.b0.h1.csv"}));
  const std::string matrix = bytes_of(folder_ / "o/weights.b0.h1.csv");
  EXPECT_EQ(matrix.rfind("query\\key,\"a,\",\"\"\"b\"\"\",c\n\"a,\",1,0,0\n", 0), 0u) << matrix;
  EXPECT_NE(result.out.find("weights.b0.h0.csv ... weights.b0.h1.csv"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("4 files"), std::string::npos) << result.out;
  EXPECT_EQ(manifest("o")["stages"]["weights"]["files"],
            (std::vector<std::string>{"weights.b0.h0.csv", "weights.b0.h1.csv"}));
}

TEST_F(Output, CsvLongIsOneTableAStage) {
  ASSERT_EQ(cli(small_with({"--export", "weights", "--csv", "long", "--format", "csv", "--out", "o"})).code, 0);
  EXPECT_EQ(files_in("o"), (std::vector<std::string>{"manifest.json", "weights.csv"}));
  EXPECT_EQ(bytes_of(folder_ / "o/weights.csv").rfind("batch,head,query,key,query_token,key_token,value\n0,0,0,0,", 0),
            0u);
  EXPECT_EQ(cli(small_with({"--export", "weights", "--csv", "matrix", "--out", "m"})).code, 0);
  expect_refused(cli(small_with({"--csv", "long", "--format", "npy", "--out", "p"})), 2, {"--csv", "npy"});
  expect_refused(cli(small_with({"--csv", "wide", "--out", "p"})), 2, {"--csv", "wide"});
}

TEST_F(Output, SafeTablesHaveNoFormulas) {
  const std::vector<std::string> run = {"run",     "--model", "seeded",   "--d-model",   "8",
                                        "--heads", "2",       "--phrase", "=1 -2 @x ok", "--export",
                                        "weights", "--csv",   "safe",     "--out",       "s"};
  ASSERT_EQ(cli(run).code, 0);
  const std::string matrix = bytes_of(folder_ / "s/weights.b0.h0.csv");
  EXPECT_EQ(matrix.rfind("query\\key,'=1,'-2,'@x,ok\n'=1,", 0), 0u) << matrix;
  EXPECT_EQ(manifest("s")["csv"], "safe");
  EXPECT_EQ(manifest("s")["tokens"][0], "=1") << "as typed";
  std::vector<std::string> both = run;
  both[12] = "long,safe";
  both.back() = "l";
  ASSERT_EQ(cli(both).code, 0);
  EXPECT_NE(bytes_of(folder_ / "l/weights.csv").find("\n0,0,0,1,'=1,'-2,"), std::string::npos);
  both[12] = "long,matrix";
  expect_refused(cli(both), 2, {"--csv", "long,matrix"});
  both[12] = "safe,";
  expect_refused(cli(both), 2, {"--csv"});
}

TEST_F(Output, TheOtherFormats) {
  ASSERT_EQ(cli(small_with({"--format", "npy", "--export", "all", "--out", "npy"})).code, 0);
  EXPECT_EQ(files_in("npy").size(), 15u);
  ASSERT_EQ(cli(small_with({"--format", "safetensors", "--out", "st"})).code, 0);
  EXPECT_EQ(files_in("st"), (std::vector<std::string>{"all.safetensors", "manifest.json"}));
  const SafetensorsFile file = SafetensorsFile::open(folder_ / "st/all.safetensors");
  ASSERT_NE(file.find("weights"), nullptr);
  EXPECT_TRUE(largest_difference(file.tensor(*file.find("weights")), stage("npy", "weights")) == 0);
  ASSERT_EQ(cli(small_with({"--format", "json", "--export", "weights", "--out", "js"})).code, 0);
  EXPECT_FALSE(nlohmann::json::parse(bytes_of(folder_ / "js/weights.json")).empty());
  expect_refused(cli(small_with({"--format", "xlsx", "--out", "x"})), 2, {"--format", "xlsx", "safetensors"});
}

TEST_F(Output, ARegionIsThatPartAlone) {
  ASSERT_EQ(
      cli(small_with({"--export", "weights", "--format", "npy", "--region", "0,1,1:3,0:2", "--out", "part"})).code, 0);
  ASSERT_EQ(cli(small_with({"--export", "weights", "--format", "npy", "--out", "whole"})).code, 0);
  const Tensor part = stage("part", "weights"), all = stage("whole", "weights");
  EXPECT_EQ(to_string(part.shape()), "[1, 1, 2, 2]");
  EXPECT_EQ(part.at({0, 0, 0, 1}), all.at({0, 1, 1, 1}));
  EXPECT_EQ(cli(small_with({"--export", "weights", "--region", ":,:,0:1,:", "--out", "open"})).code, 0);
  for (const char* region :
       {"0,1,1:3", "0,9,:,:", "0,1,2:1,:", "0,1,0:99,:", "a,b,c,d", "", "0,0,0:1,0:1,0", "-1,0,:,:", "0,0,1,:"}) {
    expect_refused(cli(small_with({"--export", "weights", "--region", region, "--out", "refused"})), 2, {"--region"});
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "refused")) << "exit code 2: nothing was written";
}

TEST_F(Output, StagesThatAreUnknownOrMissingAreRefusedBeforeAnythingIsWritten) {
  expect_refused(cli(small_with({"--export", "wieghts", "--out", "o"})), 2, {"--export", "wieghts", "weights"});
  expect_refused(cli(small_with({"--export", "weights,", "--out", "o"})), 2, {"--export"});
  expect_refused(cli(small_with({"--export", "dropped_weights", "--out", "o"})), 2, {"dropped_weights"});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "o"));
}

TEST_F(Output, OptionsOfFilesNeedAFolder) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"--export", "weights"}, {"--format", "csv"}, {"--csv", "long"}, {"--region", "0,0,:,:"}}) {
    std::vector<std::string> all = kSmall;
    all.insert(all.end(), words.begin(), words.end());
    expect_refused(cli(all), 2, {words[0], "--out"});
  }
  expect_refused(cli(small_with({"--out", ""})), 2, {"--out"});
}

TEST_F(Output, JsonWithAFolderPrintsTheManifestThatWasWritten) {
  const Result result = cli(small_with({"--export", "weights", "--out", "deep/er", "--json"}));
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(nlohmann::json::parse(result.out), manifest("deep/er"));
}

TEST_F(Output, ExistingFilesAreReplacedAndStrangersLeft) {
  folder_.write("o/weights.b0.h0.csv", "old");
  folder_.write("o/mine.txt", "mine");
  ASSERT_EQ(cli(small_with({"--export", "weights", "--out", "o"})).code, 0);
  EXPECT_NE(bytes_of(folder_ / "o/weights.b0.h0.csv"), "old");
  EXPECT_EQ(bytes_of(folder_ / "o/mine.txt"), "mine");
  EXPECT_EQ(files_in("o").size(), 4u);
}

TEST_F(Output, TheSameRequestGivesTheSameBytes) {
  for (const char* name : {"one", "two"}) ASSERT_EQ(cli(small_with({"--export", "all", "--out", name})).code, 0);
  for (const std::string& file : files_in("one")) {
    if (file == "manifest.json") continue;  // holds the seconds
    EXPECT_EQ(bytes_of(folder_ / ("one/" + file)), bytes_of(folder_ / ("two/" + file))) << file;
  }
}

TEST_F(Output, ThePictureOfARequestIsTheSameBytesEachTime) {
  for (const char* ending : {"png", "svg", "pdf"}) {
    const std::string one = std::string("one.") + ending, two = std::string("two.") + ending;
    for (const std::string& name : {one, two}) {
      const Result result = cli({"render", "--phrase", "a b c", "--d-model", "16", "--heads", "2", "--out", name});
      ASSERT_EQ(result.code, 0) << result.err;
    }
    EXPECT_EQ(bytes_of(folder_ / one), bytes_of(folder_ / two)) << ending;
  }
}

TEST_F(Output, LongWordsAndManyWordsAreShortenedInTheTable) {
  std::string words;
  for (int k = 0; k < 30; ++k) words += "w" + std::to_string(k) + " ";
  const Result many = cli({"run", "--phrase", words, "--d-model", "8"});
  EXPECT_NE(many.out.find("| w23 | ... 30 in all\n"), std::string::npos) << many.out;
  const Result longer = cli({"run", "--phrase", std::string(100000, 'x') + " b", "--d-model", "8"});
  EXPECT_LT(longer.out.size(), 3000u);
  EXPECT_NE(longer.out.find("x... | b\n"), std::string::npos);
  std::string cats;
  for (int k = 0; k < 100; ++k) cats += "🐈";
  const Result emoji = cli({"run", "--phrase", cats, "--d-model", "8"});
  EXPECT_EQ(emoji.out.find("\xef\xbf\xbd"), std::string::npos) << "cut between characters";
}

TEST_F(Output, TheFutureThatDirectMergingLeaksIsSaid) {
  const Result direct = cli({"run", "--phrase", "a b c d", "--merge", "direct", "--mask", "causal"});
  EXPECT_NE(direct.out.find("the future leaks"), std::string::npos) << direct.out;
  const Result right = cli({"run", "--phrase", "a b c d", "--mask", "causal"});
  EXPECT_EQ(right.out.find("note:"), std::string::npos) << right.out;
}

}  // namespace
}  // namespace headscope
