// Maps of the whole vocabulary, against those of chosen tokens, which NumPy has proved.
#include "core/circuits/vocabulary_maps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/base/error.h"
#include "core/circuits/token_maps.h"
#include "tests/core/circuits/circuits_models.h"

namespace headscope {
namespace {

std::vector<std::int64_t> all_tokens(const Checkpoint& checkpoint) {
  std::vector<std::int64_t> ids(static_cast<std::size_t>(checkpoint.embedding().word.dim(0)));
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

void expect_near(const Tensor& here, const Tensor& wanted) {
  ASSERT_EQ(here.shape(), wanted.shape());
  const std::vector<float> a = here.values(), b = wanted.values();
  double largest = 0;
  for (const float value : b) largest = std::max(largest, std::abs(static_cast<double>(value)));
  ASSERT_GT(largest, 0);
  for (std::size_t at = 0; at < a.size(); ++at) {
    ASSERT_NEAR(static_cast<double>(a[at]), static_cast<double>(b[at]), 2e-5 * largest) << at;
  }
}

TEST(VocabularyMaps, AreThoseOfAllTokensAsASet) {
  const auto backend = make_cpu_backend(2);
  for (const char* name : {"gpt2", "llama", "bert"}) {
    const auto checkpoint = circuits_model(name);
    const std::vector<std::int64_t> ids = all_tokens(*checkpoint);
    ASSERT_LE(ids.size(), kMostMapTokens);
    for (const NormFolding folding : {NormFolding::fold, NormFolding::ignore}) {
      for (std::int64_t head = 0; head < checkpoint->architecture().num_heads; ++head) {
        SCOPED_TRACE(std::string(name) + " " + std::to_string(head));
        const VocabularyMaps found = vocabulary_maps(*checkpoint, 1, head, folding, backend, {});
        const TokenMaps wanted = token_maps(*checkpoint, {1, head, ids}, folding, {});
        expect_near(found.qk, wanted.qk);
        ASSERT_EQ(found.ov.empty(), wanted.ov.empty());
        if (!wanted.ov.empty()) expect_near(found.ov, wanted.ov);
      }
    }
  }
}

TEST(VocabularyMaps, AreReadInPartsAndNeverWhole) {
  const auto checkpoint = circuits_model("gpt2");
  const VocabularyMaps found = vocabulary_maps(*checkpoint, 0, 1, NormFolding::fold, make_cpu_backend(1), {});
  EXPECT_FALSE(found.qk.stored());
  const std::vector<float> whole = found.ov.values();
  const std::int64_t columns = found.ov.dim(1);
  std::vector<float> part(6);
  found.ov.read({{3, 5}, {2, 5}}, part);
  for (std::size_t at = 0; at < part.size(); ++at) {
    const auto row = 3 + static_cast<std::int64_t>(at) / 3, column = 2 + static_cast<std::int64_t>(at) % 3;
    EXPECT_EQ(part[at], whole[static_cast<std::size_t>(row * columns + column)]);
  }
}

TEST(VocabularyMaps, OfLatentsAreRefused) {
  EXPECT_THROW(vocabulary_maps(*circuits_model("deepseek_v2"), 0, 0, NormFolding::fold, make_cpu_backend(1), {}),
               UsageError);
}

TEST(VocabularyMaps, AreCancelled) {
  CancelToken cancel;
  cancel.cancel();
  EXPECT_THROW(vocabulary_maps(*circuits_model("gpt2"), 0, 0, NormFolding::fold, make_cpu_backend(1), cancel),
               Cancelled);
}

}  // namespace
}  // namespace headscope
