// Every option of REQUEST at least once, by what it changes in the numbers.
#include <cmath>

#include "tests/app/cli/command.h"

namespace headscope {
namespace {

const std::vector<std::string> kSmall = {"--phrase", "a b c d", "--d-model", "16", "--heads", "4"};

std::vector<std::string> small_with(std::initializer_list<std::string> more) {
  std::vector<std::string> words = kSmall;
  words.insert(words.end(), more);
  return words;
}

float at4(const Tensor& t, std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) {
  return t.at({b, h, i, j});
}

std::vector<float> ramp(std::int64_t count, float step) {
  std::vector<float> values;
  for (std::int64_t k = 0; k < count; ++k) values.push_back(step * static_cast<float>((k * 7) % 13 - 6));
  return values;
}

class RequestOptions : public CommandTest {};

TEST_F(RequestOptions, SizesShapeTheStages) {
  run_to("o", {"--phrase", "a b c", "--d-model", "24", "--heads", "6", "--kv-heads", "2", "--input-dim", "10",
               "--batch", "3"});
  EXPECT_EQ(to_string(stage("o", "input").shape()), "[3, 3, 10]");
  EXPECT_EQ(to_string(stage("o", "query").shape()), "[3, 6, 3, 4]");
  EXPECT_EQ(to_string(stage("o", "key").shape()), "[3, 2, 3, 4]");
  EXPECT_EQ(to_string(stage("o", "weights").shape()), "[3, 6, 3, 3]");
  EXPECT_EQ(to_string(stage("o", "output").shape()), "[3, 3, 24]");
}

TEST_F(RequestOptions, WithoutAModelTheDemoRunsUnlessAnOptionSpeaksOfDrawnWeights) {
  run_to("demo", {"--phrase", "the animal was tired"});
  EXPECT_EQ(manifest("demo")["request"]["model"], "demo:pronouns");
  EXPECT_EQ(to_string(stage("demo", "weights").shape()), "[1, 8, 4, 4]");
  EXPECT_EQ(to_string(stage("demo", "output").shape()), "[1, 4, 64]");
  for (const auto& [option, value] : {std::pair{"--seed", "0"}, {"--d-model", "512"}, {"--heads", "4"}}) {
    run_to(std::string("drawn") + option, {"--phrase", "the animal was tired", option, value});
    EXPECT_EQ(to_string(stage(std::string("drawn") + option, "output").shape()), "[1, 4, 512]") << option;
  }
  run_to("named", {"--phrase", "the animal was tired", "--model", "demo:pronouns"});
  EXPECT_EQ(largest_difference(stage("demo", "output"), stage("named", "output")), 0);
}

TEST_F(RequestOptions, WithoutSizesTheDefaultsAreTheContracts) {
  run_to("o", {"--model", "seeded", "--phrase", "a b"});
  EXPECT_EQ(to_string(stage("o", "input").shape()), "[1, 2, 512]");
  EXPECT_EQ(to_string(stage("o", "qkv").shape()), "[1, 2, 1536]");
  EXPECT_EQ(to_string(stage("o", "weights").shape()), "[1, 8, 2, 2]");
}

TEST_F(RequestOptions, SeedsCoverSixtyFourBitsAndNoMore) {
  run_to("a", small_with({"--seed", "18446744073709551615"}));
  run_to("b", small_with({"--seed", "0"}));
  EXPECT_TRUE(largest_difference(stage("a", "output"), stage("b", "output")) > 1e-3);
  EXPECT_EQ(manifest("a")["request"]["seed"], 18446744073709551615ull);
  for (const char* seed : {"-1", "18446744073709551616", "1.5", "x", "", "0x10", "1e3"}) {
    expect_refused(cli({"run", "--phrase", "a", "--seed", seed}), 2, {"--seed"});
  }
  expect_refused(cli({"run", "--phrase", "a", "--dropout", "0.5", "--dropout-seed", "-1"}), 2, {"--dropout-seed"});
}

TEST_F(RequestOptions, ThreadsNeverChangeABit) {
  run_to("t1", small_with({"--threads", "1"}));
  for (const char* threads : {"2", "7", "0"}) {
    const std::string name = std::string("t") + threads;
    run_to(name == "t1" ? "again" : name, small_with({"--threads", threads}));
    for (const char* file : {"weights", "output", "raw_scores"}) {
      EXPECT_EQ(bytes_of(folder_ / ("t1/" + std::string(file) + ".npy")),
                bytes_of(folder_ / (name + "/" + file + ".npy")));
    }
  }
  expect_refused(cli({"run", "--phrase", "a", "--threads", "-2"}), 2, {"--threads"});
}

TEST_F(RequestOptions, BackendsAgree) {
  run_to("cpu", small_with({"--backend", "cpu"}));
  run_to("reference", small_with({"--backend", "reference"}));
  EXPECT_TRUE(largest_difference(stage("cpu", "output"), stage("reference", "output")) < 1e-5);
  EXPECT_EQ(manifest("cpu")["backend"], "cpu");
  EXPECT_EQ(manifest("reference")["backend"], "reference");
  expect_refused(cli({"run", "--phrase", "a", "--backend", "tpu"}), 2, {"--backend", "tpu"});
}

TEST_F(RequestOptions, InitGainMultipliesTheWeights) {
  run_to("one", small_with({"--input-dim", "16"}));
  run_to("two", small_with({"--init-gain", "2", "--input-dim", "16"}));
  EXPECT_TRUE(largest_difference(stage("one", "input"), stage("two", "input")) == 0);
  EXPECT_TRUE(largest_difference(stage("one", "qkv"), stage("two", "qkv")) > 1e-3);
}

TEST_F(RequestOptions, EmbeddingAndPosition) {
  run_to("token", {"--phrase", "x y x", "--d-model", "16", "--heads", "2"});
  const Tensor token = stage("token", "input");
  for (std::int64_t d = 0; d < 16; ++d) EXPECT_EQ(token.at({0, 0, d}), token.at({0, 2, d}));
  run_to("sequence", {"--phrase", "x y x", "--d-model", "16", "--heads", "2", "--embedding", "sequence"});
  const Tensor sequence = stage("sequence", "input");
  EXPECT_NE(sequence.at({0, 0, 0}), sequence.at({0, 2, 0}));
  run_to("position", {"--phrase", "x y x", "--d-model", "16", "--heads", "2", "--position", "sinusoidal"});
  const Tensor position = stage("position", "input");
  EXPECT_NEAR(position.at({0, 2, 0}) - token.at({0, 2, 0}), std::sin(2.0), 1e-5);
  EXPECT_NEAR(position.at({0, 0, 1}) - token.at({0, 0, 1}), 1.0, 1e-5);
}

TEST_F(RequestOptions, MasksHideWhatTheySay) {
  run_to("causal", small_with({"--mask", "causal"}));
  run_to("padding", small_with({"--mask", "padding:1"}));
  run_to("window", small_with({"--mask", "window:1"}));
  run_to("prefix", small_with({"--mask", "prefix:2"}));
  run_to("both", small_with({"--mask", "causal,padding:1"}));
  run_to("none", small_with({"--mask", "none"}));
  for (std::int64_t i = 0; i < 4; ++i) {
    for (std::int64_t j = 0; j < 4; ++j) {
      EXPECT_EQ(at4(stage("causal", "weights"), 0, 1, i, j) == 0, j > i);
      EXPECT_EQ(at4(stage("padding", "weights"), 0, 1, i, j) == 0, j == 3);
      EXPECT_EQ(at4(stage("window", "weights"), 0, 1, i, j) == 0, std::abs(i - j) > 1);
      EXPECT_EQ(at4(stage("prefix", "weights"), 0, 1, i, j) == 0, j > i && j >= 2);
      EXPECT_EQ(at4(stage("both", "weights"), 0, 1, i, j) == 0, j > i || j == 3);
      EXPECT_GT(at4(stage("none", "weights"), 0, 1, i, j), 0);
    }
  }
  expect_refused(cli({"run", "--phrase", "a", "--mask", "casual"}), 2, {"--mask", "casual"});
  expect_refused(cli({"run", "--phrase", "a", "--mask", "padding:-1"}), 2, {"--mask"});
}

TEST_F(RequestOptions, MaskFilesAndTheirKinds) {
  const std::string keep = write_array("keep", {2, 2}, {1, 0, 1, 1});
  folder_.write("mask.csv", "0,-inf\n0,0\n");
  run_to("keep", {"--model", "seeded", "--phrase", "a b", "--mask", keep, "--mask-kind", "keep"});
  run_to("hide", {"--model", "seeded", "--phrase", "a b", "--mask", keep, "--mask-kind", "hide"});
  run_to("csv", {"--model", "seeded", "--phrase", "a b", "--mask", "mask.csv", "--mask-kind", "additive"});
  run_to("added", {"--model", "seeded", "--phrase", "a b", "--mask", keep});
  EXPECT_EQ(at4(stage("keep", "weights"), 0, 0, 0, 1), 0);
  EXPECT_GT(at4(stage("keep", "weights"), 0, 0, 1, 0), 0);
  EXPECT_EQ(at4(stage("hide", "weights"), 0, 0, 0, 0), 0);
  EXPECT_TRUE(largest_difference(stage("csv", "weights"), stage("keep", "weights")) == 0);
  EXPECT_FLOAT_EQ(at4(stage("added", "masked_scores"), 0, 0, 0, 0), at4(stage("added", "scores"), 0, 0, 0, 0) + 1);
  expect_refused(cli({"run", "--phrase", "a b c", "--mask", "mask.csv"}), 2, {"mask"});
  expect_refused(cli({"run", "--phrase", "a b", "--mask", "missing.npy"}), 3, {"missing.npy"});
  folder_.write("words.csv", "0,zero\n0,0\n");
  expect_refused(cli({"run", "--phrase", "a b", "--mask", "words.csv"}), 3, {"words.csv"});
}

TEST_F(RequestOptions, CausalAlignMovesTheDiagonal) {
  const std::vector<std::string> cross = {"--phrase", "a b", "--key-phrase", "u v w x", "--mask", "causal"};
  run_to("top", cross);
  std::vector<std::string> bottom = cross;
  bottom.insert(bottom.end(), {"--causal-align", "bottom-right"});
  run_to("bottom", bottom);
  EXPECT_EQ(at4(stage("top", "weights"), 0, 0, 0, 1), 0);
  EXPECT_GT(at4(stage("bottom", "weights"), 0, 0, 0, 2), 0);
  EXPECT_EQ(at4(stage("bottom", "weights"), 0, 0, 0, 3), 0);
  EXPECT_EQ(manifest("top")["key_tokens"], (std::vector<std::string>{"u", "v", "w", "x"}));
}

TEST_F(RequestOptions, MaskOrderAndFill) {
  run_to("tutorial4", small_with({"--mask", "causal", "--mask-order", "before-scale", "--mask-fill", "-1e20"}));
  const Tensor masked = stage("tutorial4", "masked_scores");
  EXPECT_FLOAT_EQ(at4(masked, 0, 0, 0, 1), -1e20f / 2);
  run_to("after", small_with({"--mask", "causal", "--mask-fill", "-1e20"}));
  EXPECT_FLOAT_EQ(at4(stage("after", "masked_scores"), 0, 0, 0, 1), -1e20f);
  run_to("inf", small_with({"--mask", "causal", "--mask-fill", "-inf"}));
  EXPECT_TRUE(std::isinf(at4(stage("inf", "masked_scores"), 0, 0, 0, 1)));
}

TEST_F(RequestOptions, FullyMaskedRows) {
  run_to("nan", small_with({"--mask", "padding:4"}));
  run_to("zero", small_with({"--mask", "padding:4", "--fully-masked", "zero"}));
  run_to("uniform", small_with({"--mask", "padding:4", "--fully-masked", "uniform"}));
  EXPECT_TRUE(std::isnan(at4(stage("nan", "weights"), 0, 0, 0, 0)));
  EXPECT_EQ(at4(stage("zero", "weights"), 0, 0, 0, 0), 0);
  EXPECT_FLOAT_EQ(at4(stage("uniform", "weights"), 0, 0, 0, 0), 0.25f);
  EXPECT_EQ(manifest("nan")["fully_masked_rows"], 16);
  const Result table = cli({"run", "--phrase", "a b", "--mask", "padding:2"});
  EXPECT_NE(table.out.find("every key hidden"), std::string::npos) << table.out;
}

TEST_F(RequestOptions, ScaleAndSoftcap) {
  run_to("auto", small_with({"--scale", "auto"}));
  run_to("three", small_with({"--scale", "3"}));
  run_to("cap", small_with({"--scale", "3", "--softcap", "0.5"}));
  const float raw = at4(stage("auto", "raw_scores"), 0, 1, 2, 3);
  EXPECT_FLOAT_EQ(at4(stage("auto", "scores"), 0, 1, 2, 3), raw / 2);
  EXPECT_FLOAT_EQ(at4(stage("three", "scores"), 0, 1, 2, 3), raw * 3);
  EXPECT_NEAR(at4(stage("cap", "capped_scores"), 0, 1, 2, 3), 0.5 * std::tanh(static_cast<double>(raw) * 3 / 0.5),
              1e-6);
  expect_refused(cli({"run", "--phrase", "a", "--softcap", "5", "--mask", "causal", "--mask-order", "before-scale"}), 2,
                 {"softcap"});
  expect_refused(cli({"run", "--phrase", "a", "--scale", "big"}), 2, {"--scale", "big"});
}

TEST_F(RequestOptions, Dropout) {
  run_to("a", small_with({"--dropout", "0.5", "--dropout-seed", "1"}));
  run_to("b", small_with({"--dropout", "0.5", "--dropout-seed", "2"}));
  EXPECT_TRUE(largest_difference(stage("a", "dropped_weights"), stage("b", "dropped_weights")) > 0);
  EXPECT_TRUE(largest_difference(stage("a", "weights"), stage("b", "weights")) == 0);
  const std::string kept = write_array("kept", {2, 2}, {1, 0, 0, 1});
  run_to("mask", {"--phrase", "a b", "--dropout", "0.5", "--dropout-mask", kept});
  EXPECT_FLOAT_EQ(at4(stage("mask", "dropped_weights"), 0, 0, 0, 0), 2 * at4(stage("mask", "weights"), 0, 0, 0, 0));
  EXPECT_EQ(at4(stage("mask", "dropped_weights"), 0, 0, 0, 1), 0);
  expect_refused(cli({"run", "--phrase", "a", "--dropout", "1.5"}), 2, {"dropout"});
  expect_refused(cli({"run", "--phrase", "a", "--dropout", "0.5", "--dropout-mask", "no.npy"}), 3, {"no.npy"});
}

TEST_F(RequestOptions, MergeVariantAndAblate) {
  run_to("right", small_with({"--merge", "transpose"}));
  run_to("direct", small_with({"--merge", "direct"}));
  const Tensor context = stage("right", "context"), concat = stage("right", "concat"),
               direct = stage("direct", "concat");
  EXPECT_EQ(concat.at({0, 1, 6}), context.at({0, 1, 1, 2}));
  EXPECT_EQ(direct.at({0, 1, 6}), context.values()[1 * 16 + 6]);
  run_to("variant", small_with({"--variant", "merge-direct"}));
  EXPECT_TRUE(largest_difference(stage("variant", "concat"), direct) == 0);
  run_to("no-scale", small_with({"--variant", "no-scale"}));
  EXPECT_TRUE(largest_difference(stage("no-scale", "scores"), stage("right", "raw_scores")) == 0);
  expect_refused(cli({"run", "--phrase", "a", "--variant", "nonsense"}), 2, {"--variant", "nonsense"});
  run_to("ablated", small_with({"--ablate", "0.1,0.3"}));
  for (std::int64_t d = 0; d < 16; ++d)
    EXPECT_EQ(stage("ablated", "concat").at({0, 0, d}) == 0, d / 4 == 1 || d / 4 == 3);
  expect_refused(cli({"run", "--phrase", "a", "--ablate", "0.9"}), 2, {"ablate"});
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

TEST_F(RequestOptions, ModelsOfLaterVersionsSaySo) {
  run_to("seeded", small_with({"--model", "seeded"}));
  expect_refused(cli({"run", "--phrase", "a", "--model", "demo:nobody"}), 2, {"demo:nobody"});
  expect_refused(cli({"run", "--model", "seeded", "--token-ids", "1,2,0"}), 2, {"token-ids"});
  expect_refused(cli({"run", "--phrase", "a", "--layer", "3"}), 2, {"layer"});
  run_to("layer", small_with({"--layer", "0"}));
}

TEST_F(RequestOptions, HeadsThatDoNotDivideNameWhatWould) {
  expect_refused(cli({"run", "--phrase", "a", "--heads", "7"}), 2, {"--heads", "7", "512", "8"});
  expect_refused(cli({"run", "--phrase", "a", "--heads", "0"}), 2, {"--heads"});
  expect_refused(cli({"run", "--phrase", "a", "--heads", "99999999999999999999"}), 2, {"--heads"});
  expect_refused(cli({"run", "--phrase", "a", "--kv-heads", "3"}), 2, {"kv-heads"});
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

// What is computed where it is read has the numbers of what is kept.
TEST_F(RequestOptions, TheMemoryOfStagesChangesNoNumber) {
  run_to("kept", small_with({"--mask", "causal"}));
  run_to("read", small_with({"--mask", "causal", "--stage-memory", "0"}));
  for (const char* name : {"scores", "masked_scores", "weights", "context", "output"}) {
    EXPECT_EQ(stage("kept", name).values(), stage("read", name).values()) << name;
  }
  EXPECT_NE(cli({"run", "--phrase", "a b", "--stage-memory", "0"}).out.find("computed when read"), std::string::npos);
  EXPECT_EQ(cli({"run", "--phrase", "a b"}).out.find("computed when read"), std::string::npos);
  expect_refused(cli({"run", "--phrase", "a", "--stage-memory", "-1"}), 2, {"--stage-memory", "-1"});
  expect_refused(cli({"render", "--phrase", "a", "--out", "a.png", "--stage-memory", "much"}), 2, {"--stage-memory"});
}

}  // namespace
}  // namespace headscope
