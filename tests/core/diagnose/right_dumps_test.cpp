// What PyTorch computed for every family of models, under the names of two programs, is equal to ours; also in
// bfloat16.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "core/model/checkpoint.h"
#include "tests/core/diagnose/model_dumps.h"

namespace headscope {
namespace {

// The reference of a model under another program's names: {N} in `name` becomes the layer.
class Reference {
 public:
  explicit Reference(const std::string& model)
      : file_(SafetensorsFile::open(kGoldenModels + model + "/expected.safetensors")) {}

  void add(const std::string& own, const std::string& name) {
    if (own.find("{N}") == std::string::npos) return put(own, name);
    for (std::int64_t layer = 0;; ++layer) {
      const std::string number = std::to_string(layer);
      if (file_.find(with(own, number)) == nullptr) return;
      put(with(own, number), with(name, number));
      layers_ = std::max(layers_, layer + 1);
    }
  }
  std::int64_t layers() const { return layers_; }
  Tensor of(const std::string& own) const { return file_.tensor(*file_.find(own)); }
  NamedNumbers numbers;

 private:
  static std::string with(std::string text, const std::string& number) {
    return text.replace(text.find("{N}"), 3, number);
  }
  void put(const std::string& own, const std::string& name) {
    const SafetensorsEntry* entry = file_.find(own);
    if (entry != nullptr) numbers[name] = file_.tensor(*entry);
  }
  SafetensorsFile file_;
  std::int64_t layers_ = 0;
};

NamedNumbers transformers(const std::string& model) {
  Reference from(model);
  from.add("layers.{N}.weights", "attentions.{N}");
  from.add("layers.{N}.key", "past_key_values.{N}.key");
  from.add("layers.{N}.value", "past_key_values.{N}.value");
  from.add("layers.{N}.output", "model.layers.{N}.self_attn.o_proj");
  from.add("embedded", "hidden_states.0");
  for (std::int64_t layer = 1; layer <= from.layers(); ++layer) {
    const std::string name = "hidden_states." + std::to_string(layer);
    from.numbers[name] =
        from.of(layer == from.layers() ? "final_hidden" : "layers." + std::to_string(layer - 1) + ".hidden");
  }
  from.add("logits", "lm_head");
  return from.numbers;
}

// [heads, len, features] -> [len, heads, features], as the evaluation callback has queries and keys.
Tensor by_position(const Tensor& heads) {
  return heads.rank() == 3 ? heads.permuted({1, 0, 2}).dense_copy() : heads;
}

NamedNumbers llama_cpp(const std::string& model) {
  Reference from(model);
  from.add("layers.{N}.input", "attn_norm-{N}");
  from.add("layers.{N}.query", "Qcur-{N}");
  from.add("layers.{N}.key", "Kcur-{N}");
  from.add("layers.{N}.value", "Vcur-{N}");
  for (auto& [name, tensor] : from.numbers) {
    if (name.find("cur-") != std::string::npos) tensor = by_position(tensor);
  }
  from.add("layers.{N}.weights", "kq_soft_max-{N}");
  from.add("layers.{N}.context", "kqv-{N}");
  from.add("layers.{N}.output", "attn_out-{N}");
  from.add("layers.{N}.hidden", "l_out-{N}");
  from.add("final_hidden", "result_norm");
  from.add("logits", "result_output");
  return from.numbers;
}

std::vector<std::string> models() {
  std::vector<std::string> names;
  for (const auto& each : std::filesystem::directory_iterator(kGoldenModels)) {
    // That one's second sentence has token types, which ids alone do not say.
    if (each.is_directory() && each.path().filename() != "bert-pair") names.push_back(each.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string words_of(const ModelDiagnosis& found) {
  std::string text = found.verdict();
  for (const LayerDiagnosis& layer : found.layers) {
    if (layer.equal && layer.layer == layer.ours) continue;
    text += "; layer " + std::to_string(layer.layer) + " " + std::string(layer.first_wrong());
    if (!layer.attention) continue;
    for (const StageComparison& each : layer.attention->stages) {
      if (!each.equal) text += "; " + each.where.sentence;
    }
  }
  for (const LayerDiagnosis& layer : found.layers) {
    for (const PartComparison& each : layer.parts) {
      if (!each.equal) text += "; " + each.where.sentence;
    }
  }
  for (const PartComparison& each : found.behind) {
    if (!each.equal) text += "; " + each.where.sentence;
  }
  return text;
}

class RightDumps : public testing::TestWithParam<std::string> {};

TEST_P(RightDumps, AreEqualUnderTheNamesOfTransformers) {
  const auto ours = whole_model(GetParam());
  const NamedNumbers theirs = transformers(GetParam());
  const ModelDiagnosis found = diagnosed(*ours, theirs);
  EXPECT_EQ(found.verdict(), "equal") << words_of(found);
  EXPECT_EQ(found.layers.size(), ours->model->layers.size());
  EXPECT_TRUE(found.unknown.empty());
  // Hidden states alone, and weights alone.
  EXPECT_EQ(diagnosed(*ours, OtherProgram::only(theirs, {"hidden"})).verdict(), "equal");
  EXPECT_EQ(diagnosed(*ours, OtherProgram::only(theirs, {"attentions"})).verdict(), "equal");
  const ModelDiagnosis narrow = diagnosed(*ours, rounded(theirs, "bf16"));
  EXPECT_EQ(narrow.verdict(), "equal within bfloat16") << words_of(narrow);
  const ModelDiagnosis weights = diagnosed(*ours, rounded(OtherProgram::only(theirs, {"attentions"}), "bf16"));
  EXPECT_EQ(weights.verdict(), "equal within bfloat16") << words_of(weights);
}

TEST_P(RightDumps, AreEqualUnderTheNamesOfLlamaCpp) {
  const auto ours = whole_model(GetParam());
  const ModelDiagnosis found = diagnosed(*ours, llama_cpp(GetParam()));
  EXPECT_EQ(found.verdict(), "equal") << words_of(found);
  EXPECT_EQ(found.layers.size(), ours->model->layers.size());
  const ModelDiagnosis narrow = diagnosed(*ours, rounded(llama_cpp(GetParam()), "bf16"));
  EXPECT_EQ(narrow.verdict(), "equal within bfloat16") << words_of(narrow);
}

INSTANTIATE_TEST_SUITE_P(Golden, RightDumps, testing::ValuesIn(models()), [](const auto& each) {
  std::string name = each.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace headscope
