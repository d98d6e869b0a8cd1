// What a request reads: arrays, phrases and files of phrases.
#include <filesystem>

#include "tests/app/cli/request_options.h"

namespace headscope {
namespace {

std::vector<float> ramp(std::int64_t count, float step) {
  std::vector<float> values;
  for (std::int64_t k = 0; k < count; ++k) values.push_back(step * static_cast<float>((k * 7) % 13 - 6));
  return values;
}

TEST_F(RequestOptions, InputsFromFiles) {
  const std::string x = write_array("x", {2, 3, 16}, ramp(96, 0.1f));
  const std::string flat = write_array("flat", {3, 16}, ramp(48, 0.1f));
  run_to("x", {"--input", x, "--heads", "4", "--d-model", "16"});
  EXPECT_EQ(to_string(stage("x", "output").shape()), "[2, 3, 16]");
  run_to("flat", {"--input", flat, "--heads", "4", "--d-model", "16"});
  EXPECT_EQ(to_string(stage("flat", "output").shape()), "[1, 3, 16]");
  EXPECT_EQ(manifest("flat")["tokens"], (std::vector<std::string>{"0", "1", "2"}));

  const std::string keys = write_array("keys", {2, 5, 16}, ramp(160, 0.2f));
  const std::string values = write_array("values", {2, 5, 16}, ramp(160, 0.3f));
  run_to("cross", {"--input", x, "--key-input", keys, "--heads", "4", "--d-model", "16"});
  run_to("three", {"--input", x, "--key-input", keys, "--value-input", values, "--heads", "4", "--d-model", "16"});
  EXPECT_EQ(to_string(stage("cross", "weights").shape()), "[2, 4, 3, 5]");
  EXPECT_TRUE(largest_difference(stage("cross", "weights"), stage("three", "weights")) == 0);
  EXPECT_TRUE(largest_difference(stage("cross", "output"), stage("three", "output")) > 1e-4);

  expect_refused(cli({"run", "--input", x, "--phrase", "a"}), 2, {"phrase"});
  expect_refused(cli({"run", "--input", x, "--value-input", values}), 2, {"value-input", "key-input"});
  expect_refused(cli({"run", "--input", "missing.npy"}), 3, {"missing.npy"});
  expect_refused(cli({"run", "--input", "."}), 3, {});
  folder_.write("html.npy", "<!DOCTYPE html><html></html>");
  expect_refused(cli({"run", "--input", "html.npy"}), 3, {"html.npy", "HTML"});
}

TEST_F(RequestOptions, AttentionAlone) {
  const std::string q = write_array("q", {1, 2, 3, 4}, ramp(24, 0.1f));
  const std::string k = write_array("k", {1, 2, 5, 4}, ramp(40, 0.1f));
  const std::string v = write_array("v", {1, 2, 5, 6}, ramp(60, 0.1f));
  run_to("alone", {"--query", q, "--key", k, "--value", v});
  EXPECT_EQ(to_string(stage("alone", "context").shape()), "[1, 2, 3, 6]");
  EXPECT_EQ(to_string(stage("alone", "concat").shape()), "[1, 3, 12]");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "alone/output.npy"));
  expect_refused(cli({"run", "--query", q, "--key", k}), 2, {"value"});
}

TEST_F(RequestOptions, PhraseFiles) {
  folder_.write("phrase.txt", "\xef\xbb\xbfHola mi\nnombre  \n");
  run_to("file", {"--model", "seeded", "--phrase-file", "phrase.txt"});
  EXPECT_EQ(manifest("file")["tokens"], (std::vector<std::string>{"Hola", "mi", "nombre"}));
  folder_.write("latin1.txt", "caf\xe9\n");
  expect_refused(cli({"run", "--phrase-file", "latin1.txt"}), 3, {"latin1.txt", "byte 3", "UTF-8"});
  folder_.write("nul.txt", std::string("a\0b", 3));
  expect_refused(cli({"run", "--phrase-file", "nul.txt"}), 3, {"nul.txt", "NUL"});
  folder_.write("empty.txt", "");
  expect_refused(cli({"run", "--phrase-file", "empty.txt"}), 2, {"phrase"});
  expect_refused(cli({"run", "--phrase-file", "missing.txt"}), 3, {"missing.txt"});
  expect_refused(cli({"run", "--phrase-file", "phrase.txt", "--phrase", "a"}), 2, {"--phrase-file", "--phrase"});
}

TEST_F(RequestOptions, PhrasesOfAnyScript) {
  for (const char* phrase : {"🐈 👩‍👩‍👧‍👦 é", "שלום עולם", "我 爱 你",
                             "a\xe2\x80\xae"
                             "b c",
                             "\xf0\x9f\x8f\xb4"}) {
    const Result result = cli({"run", "--phrase", phrase});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.out.find("\xe2\x80\xae"), std::string::npos)
        << "an override would turn the terminal's line around";
    EXPECT_EQ(cli({"run", "--phrase", phrase, "--json"}).code, 0);
  }
  const Result control = cli({"run", "--phrase", "a\x1b[31mred b"});
  EXPECT_EQ(control.code, 0);
  EXPECT_EQ(control.out.find('\x1b'), std::string::npos);
}

// The 800 million numbers of each score-like stage are not computed for a table of shapes.
TEST_F(RequestOptions, TenThousandWordsHaveATableOfShapes) {
  std::string words;
  for (int k = 0; k < 10000; ++k) words += "w" + std::to_string(k) + " ";
  folder_.write("long.txt", words);
  const Result result = cli({"run", "--model", "seeded", "--phrase-file", "long.txt"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("[1, 8, 10000, 10000]"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("note: computed when read, and not gone through for this table: raw_scores, "),
            std::string::npos)
      << result.out;
}

}  // namespace
}  // namespace headscope
