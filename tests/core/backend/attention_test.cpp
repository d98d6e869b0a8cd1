// Attention of the cpu backend in one pass against the reference, and against its own primitives bit by bit.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/core/backend/every_target.h"
#include "tests/core/backend/made_attention.h"

namespace headscope {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

void expect_same(const AttentionResults& a, const AttentionResults& b, const std::string& what) {
  visit_both(a, b, [&](const char* name, const Tensor& left, const Tensor& right) {
    EXPECT_TRUE(same_bits(left, right)) << what << " " << name << " " << largest_difference(left, right);
  });
}

void expect_near(const AttentionResults& a, const AttentionResults& b, const std::string& what) {
  visit_both(a, b, [&](const char* name, const Tensor& left, const Tensor& right) {
    double largest = 1;
    for (float x : right.values()) {
      if (std::isfinite(x)) largest = std::max(largest, std::abs(static_cast<double>(x)));
    }
    EXPECT_TRUE(largest_difference(left, right) <= 2e-5 * largest)
        << what << " " << name << " " << largest_difference(left, right);
  });
}

std::string case_text(const MadeSizes& s, const Options& options) {
  return to_string(Shape{s.batch, s.heads, s.query_len, s.key_len}) + " " + to_string(Shape{s.head_dim}) +
         text_of(options);
}

TEST(Attention, AgreesWithTheReferenceAndHasTheBitsOfItsOwnPrimitives) {
  const auto reference = make_reference_backend();
  const auto cpu = make_cpu_backend(2);
  for (const MadeSizes& sizes : attention_sizes()) {
    for (const Options& options : attention_rules()) {
      const MadeAttention made = made_attention(sizes, options);
      const AttentionResults found = attention_of(*cpu, made);
      // A large scale makes small differences of scores large ones of weights.
      const bool steep = made.rule.scale > 10;
      if (!steep) expect_near(found, attention_of(*reference, made), case_text(sizes, options));
      expect_same(found, step_by_step(*cpu, made), case_text(sizes, options));
    }
  }
}

MaskFile file_of(const Shape& shape, MaskKind kind, std::uint32_t seed) {
  std::vector<float> values = random_values(element_count(shape), seed);
  for (float& value : values) {
    if (kind != MaskKind::additive) {
      value = value < 0.2F ? 1.0F : 0.0F;
    } else if (value < -0.6F) {
      value = -kInfinity;
    }
  }
  return {"mask.npy", tensor_of(shape, std::move(values)), kind != MaskKind::additive};
}

TEST(Attention, TakesMasksFromFiles) {
  const auto reference = make_reference_backend();
  const auto cpu = make_cpu_backend(2);
  const MadeSizes sizes{2, 37, 70, 4, 2, 16, 20};
  for (MaskKind kind : {MaskKind::additive, MaskKind::keep}) {
    for (const Shape& shape :
         {Shape{37, 70}, Shape{2, 1, 37, 70}, Shape{4, 1, 70}, Shape{37, 1}, Shape{2, 4, 37, 70}}) {
      for (const Options& options :
           {Options{}, Options{{"mask", "causal"}}, Options{{"mask-order", "before-scale"}, {"mask-fill", "-1e20"}},
            Options{{"mask-fill", "-1"}, {"softcap", "2"}}, Options{{"variant", "mask-after-softmax"}},
            Options{{"fully-masked", "uniform"}, {"dropout", "0.2"}}}) {
        const MadeAttention made = made_attention(sizes, options, file_of(shape, kind, 5));
        const AttentionResults found = attention_of(*cpu, made);
        expect_near(found, attention_of(*reference, made), to_string(shape) + text_of(options));
        expect_same(found, step_by_step(*cpu, made), to_string(shape) + text_of(options));
      }
    }
  }
}

TEST(Attention, TakesADropoutMaskThatBroadcasts) {
  const auto cpu = make_cpu_backend(2);
  for (const Shape& shape : {Shape{20, 30}, Shape{1, 30}, Shape{2, 1, 20, 1}, Shape{2, 3, 20, 30}}) {
    MadeAttention made = made_attention({2, 20, 30, 3, 3, 8, 8}, {{"mask", "causal"}, {"dropout", "0.25"}});
    made.rule.dropout_mask = file_of(shape, MaskKind::keep, 9).values;
    const AttentionResults found = attention_of(*cpu, made);
    expect_same(found, step_by_step(*cpu, made), to_string(shape));
    expect_near(found, attention_of(*make_reference_backend(), made), to_string(shape));
  }
}

TEST(Attention, GivesTheSameBitsWithoutKeepingWeights) {
  const auto cpu = make_cpu_backend(2);
  for (const MadeSizes& sizes : attention_sizes()) {
    for (const Options& options : attention_rules()) {
      const MadeAttention made = made_attention(sizes, options);
      expect_same(attention_of(*cpu, made, made.all(), false), attention_of(*cpu, made), case_text(sizes, options));
    }
  }
}

TEST(Attention, GivesTheSameBitsForAnyNumberOfThreads) {
  const auto one = make_cpu_backend(1);
  for (int threads : {2, 3, 7}) {
    const auto many = make_cpu_backend(threads);
    for (const MadeSizes& sizes : {MadeSizes{2, 150, 170, 4, 2, 64, 40}, MadeSizes{1, 310, 310, 1, 1, 20, 32}}) {
      for (const Options& options : attention_rules()) {
        const MadeAttention made = made_attention(sizes, options);
        expect_same(attention_of(*one, made), attention_of(*many, made), case_text(sizes, options));
      }
    }
  }
}

TEST(Attention, GivesTheSameBitsForAPartOfTheQueries) {
  const auto cpu = make_cpu_backend(2);
  const MadeSizes sizes{2, 100, 90, 4, 2, 24, 32};
  for (const Options& options : attention_rules()) {
    const MadeAttention made = made_attention(sizes, options);
    const AttentionResults whole = attention_of(*cpu, made);
    for (const QueryRange& part : {QueryRange{{1, 2}, {0, 4}, {0, 100}}, QueryRange{{0, 2}, {2, 3}, {99, 100}},
                                   QueryRange{{0, 1}, {1, 3}, {37, 71}}, QueryRange{{0, 1}, {0, 1}, {5, 5}}}) {
      const AttentionResults found = attention_of(*cpu, made, part);
      visit_both(found, whole, [&](const char* name, const Tensor& mine, const Tensor& all) {
        const Tensor expected = all.sliced(0, part.batch.begin, part.batch.end)
                                    .sliced(1, part.heads.begin, part.heads.end)
                                    .sliced(2, part.queries.begin, part.queries.end);
        EXPECT_TRUE(same_bits(mine, expected)) << text_of(options) << " " << name;
      });
    }
  }
}

TEST(Attention, GivesTheSameBitsInABatchAndAlone) {
  const auto cpu = make_cpu_backend(2);
  const MadeAttention made = made_attention({3, 40, 40, 2, 2, 16, 16}, {{"mask", "causal"}});
  const AttentionResults batch = attention_of(*cpu, made);
  for (std::int64_t b = 0; b < 3; ++b) {
    MadeAttention alone = made_attention({1, 40, 40, 2, 2, 16, 16}, {{"mask", "causal"}});
    alone.query = made.query.sliced(0, b, b + 1);
    alone.key = made.key.sliced(0, b, b + 1);
    alone.value = made.value.sliced(0, b, b + 1);
    visit_both(attention_of(*cpu, alone), batch, [&](const char* name, const Tensor& mine, const Tensor& all) {
      EXPECT_TRUE(same_bits(mine, all.sliced(0, b, b + 1))) << name;
    });
  }
}

TEST(Attention, ARowUnderACausalMaskHasTheSameBitsWhateverFollows) {
  const auto cpu = make_cpu_backend(2);
  for (const char* mask : {"causal", "causal,window:30", "prefix:9"}) {
    const MadeAttention longest = made_attention({1, 200, 200, 2, 1, 40, 33}, {{"mask", mask}});
    const AttentionResults whole = attention_of(*cpu, longest);
    for (std::int64_t len : {1, 2, 15, 16, 17, 47, 48, 49, 96, 127, 199}) {
      MadeAttention shorter = made_attention({1, len, len, 2, 1, 40, 33}, {{"mask", mask}});
      shorter.query = longest.query.sliced(2, 0, len);
      shorter.key = longest.key.sliced(2, 0, len);
      shorter.value = longest.value.sliced(2, 0, len);
      visit_both(attention_of(*cpu, shorter), whole, [&](const char* name, const Tensor& mine, const Tensor& all) {
        Tensor expected = all.sliced(2, 0, len);
        if (std::string(name) == "weights") expected = expected.sliced(3, 0, len);
        // A prefix opens keys that a shorter phrase does not have.
        if (len >= 9 || std::string(mask) != "prefix:9") {
          EXPECT_TRUE(same_bits(mine, expected)) << mask << " " << len << " " << name;
        }
      });
    }
  }
}

TEST(Attention, HiddenKeysAndValuesChangeNoBitWhateverTheyHold) {
  const auto cpu = make_cpu_backend(2);
  for (const MadeSizes& sizes : {MadeSizes{1, 90, 90, 2, 2, 16, 16}, MadeSizes{2, 7, 90, 2, 1, 3, 32}}) {
    for (const Options& options :
         {Options{{"mask", "padding:5"}}, Options{{"mask", "padding:5,causal"}, {"mask-fill", "-1e20"}},
          Options{{"mask", "padding:5"}, {"mask-order", "before-scale"}, {"dropout", "0.4"}},
          Options{{"mask", "padding:5"}, {"softcap", "3"}}}) {
      const MadeAttention clean = made_attention(sizes, options);
      const AttentionResults expected = attention_of(*cpu, clean);
      for (float poison : {kNan, -kNan, kInfinity, -kInfinity, 3.4e38F, -0.0F}) {
        MadeAttention made = made_attention(sizes, options);
        for (Tensor* tensor : {&made.key, &made.value}) {
          const std::int64_t row = tensor->dim(3);
          float* data = tensor->mutable_data();
          for (std::int64_t matrix = 0; matrix < tensor->dim(0) * tensor->dim(1); ++matrix) {
            std::fill_n(data + (matrix * 90 + 85) * row, 5 * row, poison);
          }
        }
        expect_same(attention_of(*cpu, made), expected, std::to_string(poison) + text_of(options));
      }
    }
  }
}

TEST(Attention, NonFiniteScoresAndValuesSpreadAsInTheReference) {
  const auto reference = make_reference_backend();
  const auto cpu = make_cpu_backend(2);
  for (const Options& options :
       {Options{}, Options{{"mask", "causal"}}, Options{{"mask", "window:3"}, {"mask-fill", "-1e20"}},
        Options{{"mask", "causal"}, {"dropout", "0.5"}},
        Options{{"mask", "causal"}, {"variant", "mask-after-softmax"}}}) {
    for (float poison : {kNan, kInfinity, -kInfinity}) {
      for (bool in_key : {true, false}) {
        MadeAttention made = made_attention({1, 70, 70, 2, 1, 4, 5}, options);
        Tensor& tensor = in_key ? made.key : made.value;
        tensor.mutable_data()[41 * tensor.dim(3) + 2] = poison;
        tensor.mutable_data()[63 * tensor.dim(3)] = -poison;
        const AttentionResults found = attention_of(*cpu, made);
        expect_near(found, attention_of(*reference, made), std::to_string(poison) + text_of(options));
        expect_same(found, step_by_step(*cpu, made), std::to_string(poison) + text_of(options));
      }
    }
  }
}

TEST(Attention, ReadsAndWritesStridedTensors) {
  const auto cpu = make_cpu_backend(2);
  const MadeAttention dense = made_attention({2, 30, 30, 3, 3, 20, 32}, {{"mask", "causal"}});
  const AttentionResults expected = attention_of(*cpu, dense);
  // As a fused projection lays them out: [batch, len, heads, features].
  MadeAttention strided = dense;
  for (Tensor* tensor : {&strided.query, &strided.key, &strided.value}) {
    *tensor = tensor->permuted({0, 2, 1, 3}).dense_copy().permuted({0, 2, 1, 3});
  }
  AttentionResults results = empty_results(strided, strided.all(), true);
  Tensor wide = Tensor::zeros({2, 3, 40, 37}, axes_of_rank(4));
  results.weights = wide.writable_sliced(2, 3, 33).writable_sliced(3, 1, 31);
  cpu->attention(strided.score_operands(), strided.value, strided.all(), results, CancelToken());
  expect_same(results, expected, "strided");
  EXPECT_EQ(wide.at({1, 2, 2, 5}), 0);
  EXPECT_EQ(wide.at({1, 2, 32, 0}), 0);
  EXPECT_EQ(wide.at({1, 2, 32, 31}), 0);
  // A last axis with gaps is copied first.
  MadeAttention sparse = dense;
  sparse.key = dense.key.permuted({0, 1, 3, 2}).dense_copy().permuted({0, 1, 3, 2});
  expect_same(attention_of(*cpu, sparse), expected, "columns");
}

TEST(Attention, HasTheSameBitsOnEveryTargetThatFusesAndAgreesOnTheOthers) {
  const auto cpu = make_cpu_backend(2);
  const auto reference = make_reference_backend();
  for (const MadeSizes& sizes : attention_sizes()) {
    for (const Options& options :
         {Options{}, Options{{"mask", "causal"}}, Options{{"mask", "window:4"}, {"softcap", "2"}},
          Options{{"mask", "causal"}, {"mask-fill", "-3"}, {"dropout", "0.1"}}}) {
      const MadeAttention made = made_attention(sizes, options);
      std::optional<AttentionResults> first;
      on_every_target([&](bool fuses) {
        const AttentionResults found = attention_of(*cpu, made);
        expect_near(found, attention_of(*reference, made), case_text(sizes, options));
        expect_same(found, step_by_step(*cpu, made), case_text(sizes, options));
        if (fuses && !first) first = found;
        if (fuses) expect_same(found, *first, case_text(sizes, options));
      });
    }
  }
}

TEST(Attention, WorksWithoutKeysAndWithoutQueries) {
  const auto cpu = make_cpu_backend(2);
  const AttentionResults no_keys = attention_of(*cpu, made_attention({1, 3, 0, 2, 2, 4, 4}, {}));
  for (float x : no_keys.context.values()) EXPECT_EQ(x, 0);
  for (float x : no_keys.statistics.max.values()) EXPECT_EQ(x, -kInfinity);
  for (float x : no_keys.statistics.sum.values()) EXPECT_EQ(x, 0);
  EXPECT_EQ(attention_of(*cpu, made_attention({1, 0, 5, 2, 2, 4, 4}, {{"mask", "causal"}})).weights.size(), 0);
}

TEST(Attention, IsCancelled) {
  const auto cpu = make_cpu_backend(2);
  const MadeAttention made = made_attention({1, 5, 5, 2, 2, 4, 4}, {});
  AttentionResults results = empty_results(made, made.all(), true);
  CancelToken stopped;
  stopped.cancel();
  EXPECT_THROW(cpu->attention(made.score_operands(), made.value, made.all(), results, stopped), Cancelled);
}

}  // namespace
}  // namespace headscope
