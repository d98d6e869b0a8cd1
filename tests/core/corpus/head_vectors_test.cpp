#include "core/corpus/head_vectors.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headscope {
namespace {

TEST(HeadVectors, KindsHaveNamesAndStages) {
  std::vector<std::string> names;
  for (const VectorKind kind : all_vector_kinds()) {
    names.push_back(std::string(vector_kind_key(kind)) + "=" + std::string(stage_name(vector_stage(kind))));
  }
  EXPECT_EQ(names, (std::vector<std::string>{"query=query", "key=key", "value=value", "output=context"}));
}

TEST(HeadVectors, SumsOfTwoPartsAreAddedNumberByNumber) {
  HeadVectors a(2), b(2);
  EXPECT_EQ(a.products.size(), 3U);
  for (std::size_t k = 0; k < 2; ++k) a.sums[k].add_large(1.5 + static_cast<double>(k));
  for (std::size_t k = 0; k < 2; ++k) b.sums[k].add_large(-4.0 * static_cast<double>(k));
  for (std::size_t k = 0; k < 3; ++k) b.products[k].add_large(static_cast<double>(k));
  a.add_sums(b);
  EXPECT_EQ(a.sums[0].value(), 1.5);
  EXPECT_EQ(a.sums[1].value(), -1.5);
  EXPECT_EQ(a.products[2].value(), 2);
  a.clear();
  EXPECT_EQ(a, HeadVectors(2));
  EXPECT_EQ(vector_sizes_text({16, 8, 0, 2}), "16,8,0,2");
}

}  // namespace
}  // namespace headscope
