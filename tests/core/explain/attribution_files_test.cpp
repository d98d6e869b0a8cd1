// Logits of GGUF files are taken apart as those of the folder with the same weights; a file without a head has none.
#include "core/base/error.h"
#include "core/model/checkpoint.h"
#include "tests/core/explain/attributed.h"
#include "tests/core/model/gguf_models.h"

namespace headscope {
namespace {

class AttributionFiles : public FilesTest {};

TEST_F(AttributionFiles, ALogitHasThePartsOfTheFolder) {
  for (const char* name : {"gpt2", "llama"}) {
    const TwoSpellings model = golden_model(kGoldenModels + name, name);
    write_text("model.gguf", gguf_bytes(model));
    Request request = golden_request(name);
    const auto folder = whole_model(request);
    request.model = path("model.gguf");
    const auto file = whole_model(request);
    for (const AttributionBy by : kEveryWay) {
      const Attribution a = attributed(*file, 2, {3, 1}, by), b = attributed(*folder, 2, {3, 1}, by);
      expect_exact(a, name);
      EXPECT_EQ(a.total, b.total) << name;
      ASSERT_EQ(a.parts.size(), b.parts.size()) << name;
      for (std::size_t k = 0; k < a.parts.size(); ++k) EXPECT_EQ(a.parts[k].value, b.parts[k].value) << name;
    }
  }
}

TEST_F(AttributionFiles, AModelThatWasSavedWithoutItsHeadIsRefused) {
  std::filesystem::create_directories(path("bert"));
  std::filesystem::copy(kGoldenModels + "bert/config.json", path("bert/config.json"));
  const SafetensorsFile whole = SafetensorsFile::open(kGoldenModels + "bert/model.safetensors");
  std::vector<Tensor> tensors;
  std::vector<std::string> names;
  for (const SafetensorsEntry& entry : whole.entries()) {
    if (entry.name.starts_with("cls.")) continue;
    tensors.push_back(whole.tensor(entry));
    names.push_back(entry.name);
  }
  std::vector<NamedTensorRef> named;
  for (std::size_t k = 0; k < tensors.size(); ++k) named.push_back({names[k], &tensors[k]});
  {
    std::ofstream out(path("bert/model.safetensors"), std::ios::binary);
    write_safetensors(out, named, {});
  }
  Request request = golden_request("bert");
  request.model = path("bert");
  const auto trace = whole_model(request);
  expect_refusal<UsageError>([&] { attributed(*trace, 0, {1}, AttributionBy::components); },
                             {"--model: bert was saved without its output head", "expected a model with one"});
}

}  // namespace
}  // namespace headscope
