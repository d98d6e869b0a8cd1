// A fused projection whose columns another program writes in another order is read in ours, and the order is said.
#include "core/diagnose/fused_readings.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/attention/engine.h"
#include "core/diagnose/diagnose.h"
#include "tests/core/diagnose/model_dumps.h"

namespace headscope {
namespace {

// Columns of queries, keys and values one after the other, as slices of qkv in the order in which ours writes them.
struct FusedSlices {
  std::vector<std::vector<float>> query, key, value;  // [head][row * width + d]
  std::int64_t rows = 0;
};

FusedSlices sliced(const Trace& ours, bool per_head) {
  const Inputs& in = *ours.inputs;
  const Tensor& qkv = ours.tensor(StageId::qkv);
  const std::vector<float> all = qkv.values();
  const auto width = static_cast<std::size_t>(qkv.dim(qkv.rank() - 1)), d = static_cast<std::size_t>(in.head_dim);
  FusedSlices made;
  made.rows = static_cast<std::int64_t>(all.size() / width);
  const auto take = [&](std::size_t first) {
    std::vector<float> part;
    for (std::size_t row = 0; row < all.size(); row += width) {
      for (std::size_t k = 0; k < d; ++k) part.push_back(all[row + first + k]);
    }
    return part;
  };
  const auto heads = static_cast<std::size_t>(in.num_heads), groups = static_cast<std::size_t>(in.num_kv_heads);
  for (std::size_t h = 0; h < heads; ++h) made.query.push_back(take(per_head ? h * 3 * d : h * d));
  for (std::size_t g = 0; g < groups; ++g) {
    made.key.push_back(take(per_head ? (3 * g + 1) * d : (heads + g) * d));
    made.value.push_back(take(per_head ? (3 * g + 2) * d : (heads + groups + g) * d));
  }
  return made;
}

// The slices behind each other, row by row.
Tensor in_order(const Trace& ours, const FusedSlices& from, const std::vector<const std::vector<float>*>& slices) {
  const auto d = static_cast<std::size_t>(ours.inputs->head_dim);
  std::vector<float> values;
  for (std::size_t row = 0; row < static_cast<std::size_t>(from.rows); ++row) {
    for (const std::vector<float>* each : slices) {
      for (std::size_t k = 0; k < d; ++k) values.push_back((*each)[row * d + k]);
    }
  }
  const Tensor& own = ours.tensor(StageId::qkv);
  return Tensor::of(own.shape(), own.axes(), std::move(values));
}

Tensor in_groups(const Trace& ours, const FusedSlices& from) {
  std::vector<const std::vector<float>*> slices;
  const std::size_t size = from.query.size() / from.key.size();
  for (std::size_t g = 0; g < from.key.size(); ++g) {
    for (std::size_t k = 0; k < size; ++k) slices.push_back(&from.query[g * size + k]);
    slices.push_back(&from.key[g]);
    slices.push_back(&from.value[g]);
  }
  return in_order(ours, from, slices);
}

Tensor in_blocks(const Trace& ours, const FusedSlices& from) {
  std::vector<const std::vector<float>*> slices;
  for (const auto* part : {&from.query, &from.key, &from.value}) {
    for (const std::vector<float>& each : *part) slices.push_back(&each);
  }
  return in_order(ours, from, slices);
}

std::string read_as(const Trace& ours, const Tensor& theirs) {
  const Diagnosis found = diagnose(ours, {{StageId::qkv, theirs}}, make_cpu_backend(1), {}, {});
  return found.verdict() + ": " + found.stages.front().read_as;
}

TEST(FusedReadings, BlocksAreReadPerHeadAndTheOtherWayRound) {
  const auto ours = whole_model("gpt_neox")->model->layers.front();  // [q_h k_h v_h]
  ASSERT_NE(ours->find(StageId::qkv), nullptr);
  EXPECT_EQ(read_as(*ours, ours->tensor(StageId::qkv)), "equal: ");
  EXPECT_EQ(read_as(*ours, in_blocks(*ours, sliced(*ours, true))), "equal: the columns in blocks, [Q K V]");
  const auto gpt2 = whole_model("gpt2")->model->layers.front();  // [Q K V]
  ASSERT_NE(gpt2->find(StageId::qkv), nullptr);
  EXPECT_EQ(read_as(*gpt2, in_groups(*gpt2, sliced(*gpt2, false))), "equal: the columns per head, [q_h k_h v_h]");
  // A number that differs is found in that order, too.
  std::vector<float> wrong = in_groups(*gpt2, sliced(*gpt2, false)).values();
  wrong[3] += 1;
  const Tensor& own = gpt2->tensor(StageId::qkv);
  EXPECT_EQ(read_as(*gpt2, Tensor::of(own.shape(), own.axes(), wrong)).substr(0, 7), "differs");
}

TEST(FusedReadings, FeaturesOfQueryKeyAndValueBesideEachOther) {
  const auto ours = whole_model("gpt2")->model->layers.front();
  const FusedSlices from = sliced(*ours, false);
  const auto d = static_cast<std::size_t>(ours->inputs->head_dim);
  std::vector<float> values;
  for (std::size_t row = 0; row < static_cast<std::size_t>(from.rows); ++row) {
    for (std::size_t h = 0; h < from.query.size(); ++h) {
      for (std::size_t k = 0; k < d; ++k) {
        for (const auto* part : {&from.query, &from.key, &from.value}) values.push_back((*part)[h][row * d + k]);
      }
    }
  }
  const Tensor& own = ours->tensor(StageId::qkv);
  EXPECT_EQ(read_as(*ours, Tensor::of(own.shape(), own.axes(), values)), "equal: the columns as [heads, features, 3]");
}

// Each group is its query heads, their key and their value: what Falcon's new architecture writes.
TEST(FusedReadings, HeadsThatShareKeys) {
  for (const char* model : {"falcon-grouped", "phi3"}) {
    const auto ours = whole_model(model)->model->layers.front();
    if (ours->find(StageId::qkv) == nullptr) continue;
    ASSERT_LT(ours->inputs->num_kv_heads, ours->inputs->num_heads) << model;
    const Tensor theirs = in_groups(*ours, sliced(*ours, false));
    EXPECT_EQ(read_as(*ours, theirs), "equal: the columns per head, [q_h k_h v_h]") << model;
    EXPECT_EQ(fused_readings(*ours, theirs).size(), 1u) << "[heads, features, 3] needs as many keys as queries";
    return;
  }
  FAIL() << "no model with shared keys and a fused projection is left";
}

}  // namespace
}  // namespace headscope
