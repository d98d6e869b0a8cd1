// What ONNX's Attention computes, spelled in options: past keys, causal and file masks, softcap, grouped heads, values
// of another size, rows that hold all heads. Held against plain loops in double that know nothing of the engine.
#include <string>
#include <vector>

#include "tests/app/cli/command.h"
#include "tests/app/cli/onnx_case.h"

namespace headscope {
namespace {

std::vector<OnnxCase> all_cases() {
  const OnnxCase self{.name = "self", .batch = 2, .heads = 3, .kv_heads = 3, .queries = 5, .keys = 5, .features = 7};
  std::vector<OnnxCase> cases;
  const auto add = [&cases](OnnxCase made, const char* name) -> OnnxCase& {
    made.name = name;
    cases.push_back(made);
    return cases.back();
  };
  add(self, "4d");
  add(self, "scaled").scale = 0.01;
  add(self, "causal").causal = true;
  add(self, "softcap").softcap = 2;
  OnnxCase& cross = add(self, "different sizes");
  cross.keys = 6, cross.value_features = 10;
  add(cross, "different sizes, causal").causal = true;
  OnnxCase grouped = self;
  grouped.heads = 9, grouped.keys = 6, grouped.value_features = 8;
  add(grouped, "grouped");
  add(grouped, "grouped, causal").causal = true;
  for (const bool keeps : {false, true}) {
    for (const Shape& shape :
         {Shape{5, 6}, Shape{1, 5, 6}, Shape{9, 5, 6}, Shape{2, 1, 5, 6}, Shape{2, 9, 5, 6}, Shape{1, 6}}) {
      OnnxCase& masked = add(grouped, "mask");
      masked.mask = shape, masked.keeps = keeps;
      if (shape.count == 4) masked.softcap = 1.5, masked.capped_last = !keeps;
    }
  }
  OnnxCase past = grouped;
  past.keys = 5, past.past = 4;
  add(past, "past");
  add(past, "past, causal").causal = true;
  OnnxCase& capped = add(past, "past, causal, added mask, softcap after it");
  capped.causal = true, capped.mask = {5, 9}, capped.softcap = 3, capped.capped_last = true;
  OnnxCase& before = add(capped, "past, softcap before the mask");
  before.capped_last = false;
  OnnxCase& kept = add(past, "past, 4-D kept cells");
  kept.mask = {2, 9, 5, 9}, kept.keeps = true, kept.causal = true;
  OnnxCase& one = add(past, "one query after a past");
  one.queries = 1, one.keys = 1, one.past = 11, one.causal = true;
  OnnxCase& aligned = add(past, "past, diagonal at the first key");
  aligned.causal = true, aligned.begin = 0;
  OnnxCase& later = add(self, "queries begin at key 3");
  later.keys = 9, later.begin = 3, later.causal = true;
  OnnxCase rows = past;
  rows.rows = true;
  add(rows, "3d with past");
  OnnxCase& all = add(rows, "3d, all of it");
  all.causal = true, all.mask = {9, 1, 9}, all.softcap = 2, all.capped_last = true, all.scale = 0.3;
  return cases;
}

class OnnxAttention : public CommandTest {
 protected:
  std::vector<std::string> words_of(const OnnxCase& c, const OnnxFiles& f) {
    const auto write = [&](const char* name, const std::vector<float>& values, std::int64_t heads, std::int64_t len,
                           std::int64_t features) {
      return c.rows
                 ? write_array(name, {c.batch, len, heads * features}, onnx_rows(values, c.batch, heads, len, features))
                 : write_array(name, {c.batch, heads, len, features}, values);
    };
    std::vector<std::string> words = {"--query", write("q", f.query, c.heads, c.queries, c.features),
                                      "--key",   write("k", f.key, c.kv_heads, c.keys, c.features),
                                      "--value", write("v", f.value, c.kv_heads, c.keys, c.value_features)};
    const auto say = [&words](const std::string& option, const std::string& value) {
      words.insert(words.end(), {"--" + option, value});
    };
    if (c.rows) say("heads", std::to_string(c.heads)), say("kv-heads", std::to_string(c.kv_heads));
    if (c.past > 0) {
      say("key-past", write_array("kp", {c.batch, c.kv_heads, c.past, c.features}, f.past_key));
      say("value-past", write_array("vp", {c.batch, c.kv_heads, c.past, c.value_features}, f.past_value));
    }
    if (c.begin >= 0) say("past", std::to_string(c.begin));
    std::string mask = c.causal ? "causal" : "";
    if (c.mask.count > 0) mask += (mask.empty() ? "" : ",") + write_array("m", c.mask, f.mask);
    if (!mask.empty()) say("mask", mask);
    if (c.keeps) say("mask-kind", "keep");
    if (c.scale != 0) say("scale", std::to_string(c.scale));
    if (c.softcap > 0) say("softcap", std::to_string(c.softcap));
    if (c.capped_last) say("softcap-order", "after-mask");
    return words;
  }
};

TEST_F(OnnxAttention, EveryKindOfCaseIsSpelledInOptions) {
  for (const OnnxCase& c : all_cases()) {
    SCOPED_TRACE(std::string(c.name) + (c.keeps ? ", kept cells " : " ") + to_string(c.mask));
    const OnnxFiles files = onnx_files(c);
    const OnnxWanted wanted = onnx_wanted(c, files);
    for (const char* backend : {"cpu", "reference"}) {
      std::vector<std::string> words = words_of(c, files);
      words.insert(words.end(), {"--backend", backend});
      run_to("made", words);
      EXPECT_TRUE(onnx_error(stage("made", "weights"), wanted.weights) <= 2e-6) << backend;
      EXPECT_TRUE(onnx_error(stage("made", "context"), wanted.context) <= 4e-6) << backend;
      EXPECT_EQ(manifest("made")["stages"]["key"]["shape"],
                (std::vector<std::int64_t>{c.batch, c.kv_heads, c.past + c.keys, c.features}));
    }
  }
}

TEST_F(OnnxAttention, KeysOfThePastAreNamedAndExplainedByTheirFile) {
  OnnxCase c{.name = "past", .batch = 1, .heads = 2, .kv_heads = 1, .queries = 3, .keys = 3, .past = 2};
  c.causal = true;
  const OnnxFiles files = onnx_files(c);
  std::vector<std::string> words = words_of(c, files);
  run_to("past", words);
  EXPECT_EQ(manifest("past")["key_tokens"], (std::vector<std::string>{"past 0", "past 1", "0", "1", "2"}));
  words.insert(words.begin(), "explain");
  words.insert(words.end(), {"--stage", "value", "--at", "0,0,1,3", "--json"});
  const Result result = cli(words);
  ASSERT_EQ(result.code, 0) << result.err;
  const nlohmann::json why = nlohmann::json::parse(result.out);
  ASSERT_EQ(why["operands"].size(), 1U);
  EXPECT_EQ(why["operands"][0]["stage"], "vp.npy");
  EXPECT_EQ(why["operands"][0]["index"], (std::vector<int>{0, 0, 1, 3}));
  EXPECT_EQ(why["operands"][0]["role"], "value");
  EXPECT_FLOAT_EQ(why["operands"][0]["value"].get<float>(), files.past_value[7]);
}

TEST_F(OnnxAttention, APastOfOneLayerStandsBeforeItsProjectedKeys) {
  const std::vector<std::string> layer = {"--model", "seeded",    "--phrase", "a b c",  "--heads",
                                          "2",       "--d-model", "6",        "--mask", "causal"};
  const std::vector<float> key = onnx_numbers(12, 7), value = onnx_numbers(12, 8);
  std::vector<std::string> words = layer;
  words.insert(words.end(), {"--key-past", write_array("kp", {1, 2, 2, 3}, key), "--value-past",
                             write_array("vp", {1, 2, 2, 3}, value)});
  run_to("plain", layer);
  run_to("past", words);
  const Tensor keys = stage("past", "key"), own = stage("plain", "key"), weights = stage("past", "weights");
  ASSERT_EQ(keys.shape(), (Shape{1, 2, 5, 3}));
  ASSERT_EQ(weights.shape(), (Shape{1, 2, 3, 5}));
  EXPECT_EQ(stage("past", "qkv").shape(), stage("plain", "qkv").shape());
  for (std::int64_t h = 0; h < 2; ++h) {
    for (std::int64_t d = 0; d < 3; ++d) {
      for (std::int64_t j = 0; j < 2; ++j)
        EXPECT_EQ(keys.at({0, h, j, d}), key[static_cast<std::size_t>((h * 2 + j) * 3 + d)]);
      for (std::int64_t j = 0; j < 3; ++j) EXPECT_EQ(keys.at({0, h, j + 2, d}), own.at({0, h, j, d}));
    }
    for (std::int64_t i = 0; i < 3; ++i) {
      for (std::int64_t j = 0; j < 5; ++j) EXPECT_EQ(weights.at({0, h, i, j}) == 0, j > i + 2);
    }
  }
  EXPECT_EQ(manifest("past")["key_tokens"], (std::vector<std::string>{"past 0", "past 1", "a", "b", "c"}));
  words.insert(words.begin(), "explain");
  words.insert(words.end(), {"--stage", "key", "--at", "0,1,3,2", "--json"});
  const nlohmann::json why = nlohmann::json::parse(cli(words).out);
  ASSERT_EQ(why["operands"].size(), 1U);
  EXPECT_EQ(why["operands"][0]["index"][2], 1) << "the second of its own keys";
}

TEST_F(OnnxAttention, ContradictionsAreRefused) {
  const OnnxCase c{.name = "", .batch = 1, .heads = 2, .kv_heads = 2, .queries = 3, .keys = 3, .past = 2};
  const std::vector<std::string> words = words_of(c, onnx_files(c));
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), words.begin(), words.end());
    more.insert(more.begin(), "run");
    return cli(more);
  };
  expect_refused(with({"--past", "2", "--causal-align", "bottom-right", "--mask", "causal"}), 2,
                 {"--past", "bottom-right"});
  expect_refused(with({"--past", "-1"}), 2, {"--past"});
  expect_refused(cli({"run", "--query", "q.npy", "--key", "k.npy", "--value", "v.npy", "--key-past", "kp.npy"}), 2,
                 {"value-past"});
  expect_refused(cli({"run", "--phrase", "a", "--key-past", "kp.npy", "--value-past", "vp.npy"}), 2, {"key-past"});
  write_array("wrong", {1, 2, 3, 5}, onnx_numbers(30, 1));
  expect_refused(with({"--key-past", "wrong.npy"}), 2, {"--key-past"});
  expect_refused(cli({"run", "--query", "q.npy", "--key", "k.npy", "--value", "v.npy", "--softcap-order", "later"}), 2,
                 {"--softcap-order", "later", "before-mask", "after-mask"});
}

}  // namespace
}  // namespace headscope
