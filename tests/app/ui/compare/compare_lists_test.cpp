// What the lists under the pictures of a comparison say.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/compare/compare_panel.h"
#include "core/io/safetensors.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

// A layer of 16 features and two heads; `pairs`: the rows of q_proj and k_proj in the order of rotary pairs.
void write_layer(const std::string& path, bool pairs) {
  constexpr std::int64_t kSize = 16, kHead = 8;
  std::vector<NamedTensor> tensors;
  for (const char* name : {"q_proj_weight", "k_proj_weight", "v_proj_weight", "out_proj.weight"}) {
    Tensor weight = Tensor::zeros({kSize, kSize}, {Axis::feature, Axis::feature});
    const bool turned = pairs && (name[0] == 'q' || name[0] == 'k');
    for (std::int64_t row = 0; row < kSize; ++row) {
      const std::int64_t in_head = row % kHead;
      const std::int64_t from = turned ? row - in_head + in_head / 2 + in_head % 2 * kHead / 2 : row;
      for (std::int64_t column = 0; column < kSize; ++column) {
        weight.mutable_data()[row * kSize + column] =
            static_cast<float>(std::sin(static_cast<double>(name[0] * 31 + from * kSize + column)));
      }
    }
    tensors.push_back({name, std::move(weight)});
  }
  std::vector<NamedTensorRef> refs;
  for (const NamedTensor& tensor : tensors) refs.push_back({tensor.name, &tensor.tensor});
  std::ofstream out(path, std::ios::binary);
  write_safetensors(out, refs, {});
}

TEST(CompareLists, SayThatRowsOfProjectionsStandInAnotherOrder) {
  const TemporaryFolder folder;
  write_layer(folder / "halves.safetensors", false);
  write_layer(folder / "pairs.safetensors", true);
  Document document = phrase_document("one two three four five", 2, 16);
  document.request.weights = folder / "halves.safetensors";
  Driver d(document);
  d.key(KeyName::d, true, true);
  ASSERT_NE(d.session.pinned(), nullptr);
  d.ctrl(KeyName::d);
  d.step(3);
  EXPECT_FALSE(d.has("compare/rows"));
  d.session.draft.weights = folder / "pairs.safetensors";
  d.step(3);
  EXPECT_TRUE(d.has("compare/first/query_proj"));
  ASSERT_TRUE(d.has("compare/rows"));
  EXPECT_TRUE(std::any_of(d.texts.begin(), d.texts.end(),
                          [](const DrawnText& text) { return text.words.starts_with("The rows are permuted"); }));
}

}  // namespace
}  // namespace headscope::ui
