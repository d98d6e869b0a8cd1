// Cells that are computed when they are read have the bits of those that a pass stores.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>

#include "core/backend/score_steps.h"
#include "tests/core/backend/made_attention.h"

namespace headscope {
namespace {

const StageId kStages[] = {StageId::raw_scores,    StageId::scores,  StageId::capped_scores,
                           StageId::masked_scores, StageId::weights, StageId::dropped_weights};

std::vector<float> read(const Backend& backend, StageId stage, const MadeAttention& made,
                        const RowStatistics* statistics, const Region& region) {
  std::vector<float> out(static_cast<std::size_t>(element_count(region)), -77.0F);
  backend.read_scores(made.score_operands(), {.stage = stage, .region = region, .statistics = statistics}, out,
                      CancelToken());
  return out;
}

bool same(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

RowStatistics scores_rows_of(const RowStatistics& all, const Region& region) {
  const auto part = [&](const Tensor& rows) {
    return rows.sliced(0, region[0].begin, region[0].end)
        .sliced(1, region[1].begin, region[1].end)
        .sliced(2, region[2].begin, region[2].end);
  };
  return {part(all.max), part(all.sum)};
}

// Every stage over the region, with and without statistics, against stages made one after the other.
void expect_region(const Backend& backend, const MadeAttention& made, const Region& region, const std::string& what) {
  const Region all = whole({made.query.dim(0), made.query.dim(1), made.query.dim(2), made.key.dim(2)});
  const Tensor raw = backend.query_key_products(made.query, made.key, all, CancelToken());
  const AttentionResults stored = attention_of(backend, made);
  const RowStatistics statistics = scores_rows_of(stored.statistics, region);
  for (StageId stage : kStages) {
    if (stage == StageId::dropped_weights && !made.rule.drops()) continue;
    const Tensor expected = stage == StageId::weights ? stored.weights
                            : stage == StageId::dropped_weights
                                ? stored.dropped
                                : score_stage(stage, raw, made.rule, all, CancelToken());
    std::vector<float> cells(static_cast<std::size_t>(element_count(region)));
    expected.read(region, cells);
    EXPECT_TRUE(same(read(backend, stage, made, &statistics, region), cells)) << what << " " << stage_name(stage);
    EXPECT_TRUE(same(read(backend, stage, made, nullptr, region), cells)) << what << " " << stage_name(stage);
    if (!is_weight_like(stage)) continue;
    std::fill(cells.begin(), cells.end(), -77.0F);
    const RowStatistics found =
        backend.read_new_weights(made.score_operands(), {.stage = stage, .region = region}, cells, CancelToken());
    EXPECT_TRUE(same(read(backend, stage, made, &statistics, region), cells)) << what << " " << stage_name(stage);
    if (cells.empty()) continue;
    EXPECT_TRUE(same(found.max.values(), statistics.max.values())) << what;
    EXPECT_TRUE(same(found.sum.values(), statistics.sum.values())) << what;
  }
}

TEST(ReadScores, HaveTheBitsOfWhatIsStoredInEveryRegion) {
  const auto cpu = make_cpu_backend(2);
  const MadeSizes sizes{2, 70, 75, 4, 2, 20, 20};
  for (const Options& options : attention_rules()) {
    const MadeAttention made = made_attention(sizes, options);
    for (const Region& region : {Region{{0, 2}, {0, 4}, {0, 70}, {0, 75}}, Region{{1, 2}, {3, 4}, {69, 70}, {74, 75}},
                                 Region{{0, 1}, {1, 3}, {11, 37}, {30, 71}}, Region{{0, 2}, {0, 1}, {0, 70}, {33, 34}},
                                 Region{{0, 1}, {2, 3}, {4, 5}, {0, 75}}, Region{{0, 1}, {0, 1}, {2, 9}, {40, 40}},
                                 Region{{0, 2}, {1, 3}, {16, 48}, {0, 33}}, Region{{1, 2}, {0, 4}, {0, 70}, {0, 1}}}) {
      expect_region(*cpu, made, region, text_of(options));
    }
  }
}

TEST(ReadScores, HaveTheBitsOfWhatIsStoredAtEverySize) {
  const auto cpu = make_cpu_backend(3);
  for (const MadeSizes& sizes : attention_sizes()) {
    for (const Options& options :
         {Options{}, Options{{"mask", "causal"}, {"mask-fill", "-1e20"}, {"dropout", "0.2"}}}) {
      const MadeAttention made = made_attention(sizes, options);
      expect_region(*cpu, made, whole({sizes.batch, sizes.heads, sizes.query_len, sizes.key_len}), text_of(options));
    }
  }
}

// Rows handed out by a pass are those of the stages that are made one after the other, and the pass gives what it gives
// without them.
void expect_handed_out(const Backend& backend, const MadeAttention& made, const QueryRange& part,
                       std::vector<StageId> stages, const std::string& what) {
  if (!made.rule.drops()) std::erase(stages, StageId::dropped_weights);
  const std::int64_t keys = made.key.dim(2);
  const Region rows{part.batch, part.heads, part.queries, {0, keys}};
  const Shape shape{part.batch.size(), part.heads.size(), part.queries.size(), keys};
  std::map<StageId, std::vector<float>> found;
  std::map<StageId, std::vector<int>> times;
  for (const StageId stage : stages) {
    found[stage].assign(static_cast<std::size_t>(element_count(shape)), -77.0F);
    times[stage].assign(static_cast<std::size_t>(shape[0] * shape[1] * shape[2]), 0);
  }
  StageRows handed{stages, {}};
  handed.read = [&](StageId stage, std::int64_t b, std::int64_t h, std::int64_t i, std::span<const float> cells) {
    const std::int64_t row =
        ((b - part.batch.begin) * shape[1] + h - part.heads.begin) * shape[2] + i - part.queries.begin;
    ++times.at(stage).at(static_cast<std::size_t>(row));
    ASSERT_EQ(static_cast<std::int64_t>(cells.size()), keys);
    std::copy(cells.begin(), cells.end(), found.at(stage).begin() + row * keys);
  };
  AttentionResults results = empty_results(made, part, false);
  backend.attention_with_rows(made.score_operands(), made.value, part, handed, results, CancelToken());
  const AttentionResults without = attention_of(backend, made, part, false);
  visit_both(results, without, [&](const char* name, const Tensor& a, const Tensor& b) {
    EXPECT_TRUE(same(a.values(), b.values())) << what << " " << name;
  });
  const Region all = whole({made.query.dim(0), made.query.dim(1), made.query.dim(2), keys});
  const Tensor raw = backend.query_key_products(made.query, made.key, all, CancelToken());
  const AttentionResults stored = attention_of(backend, made);
  for (const StageId stage : stages) {
    const Tensor expected = stage == StageId::weights ? stored.weights
                            : stage == StageId::dropped_weights
                                ? stored.dropped
                                : score_stage(stage, raw, made.rule, all, CancelToken());
    std::vector<float> cells(found.at(stage).size());
    expected.read(rows, cells);
    EXPECT_TRUE(same(found.at(stage), cells)) << what << " " << stage_name(stage);
    for (const int count : times.at(stage)) EXPECT_EQ(count, 1) << what << " " << stage_name(stage);
  }
}

TEST(ReadScores, RowsThatAPassHandsOutHaveTheBitsOfWhatIsStored) {
  const std::vector<StageId> all(std::begin(kStages), std::end(kStages));
  const MadeSizes sizes{2, 70, 75, 4, 2, 20, 20};
  for (const auto& backend : {make_cpu_backend(2), make_reference_backend()}) {
    for (const Options& options : attention_rules()) {
      const MadeAttention made = made_attention(sizes, options);
      const std::string what = std::string(backend->name()) + text_of(options);
      expect_handed_out(*backend, made, made.all(), all, what);
      expect_handed_out(*backend, made, {{1, 2}, {1, 3}, {16, 37}}, all, what + ", a part");
    }
  }
}

TEST(ReadScores, RowsAreHandedOutAtEverySizeAndOfTheStagesThatAreWishedForAlone) {
  const auto cpu = make_cpu_backend(3);
  for (const MadeSizes& sizes : attention_sizes()) {
    for (const Options& options : {Options{}, Options{{"mask", "causal"}, {"dropout", "0.2"}, {"softcap", "2"}},
                                   Options{{"mask", "window:1"}, {"mask-fill", "-2.5"}}}) {
      const MadeAttention made = made_attention(sizes, options);
      for (const std::vector<StageId>& stages : {std::vector<StageId>{StageId::raw_scores},
                                                 {StageId::weights},
                                                 {StageId::dropped_weights},
                                                 {StageId::scores, StageId::masked_scores, StageId::weights},
                                                 {}}) {
        expect_handed_out(*cpu, made, made.all(), stages, text_of(options));
      }
    }
  }
}

TEST(ReadScores, ReadingARowMayEndThePass) {
  const MadeAttention made = made_attention({1, 300, 300, 2, 2, 16, 16}, {{"mask", "causal"}});
  const auto cpu = make_cpu_backend(2);
  const StageRows rows{{StageId::raw_scores}, [](StageId, std::int64_t, std::int64_t, std::int64_t i, auto) {
                         if (i == 150) throw Cancelled();
                       }};
  AttentionResults results = empty_results(made, made.all(), false);
  EXPECT_THROW(cpu->attention_with_rows(made.score_operands(), made.value, made.all(), rows, results, CancelToken()),
               Cancelled);
}

// Weights that come with their statistics, against the oracle, with NaN and infinity in the keys, the hidden ones too.
TEST(ReadScores, NewWeightsAreThoseOfTheReference) {
  const auto cpu = make_cpu_backend(2), reference = make_reference_backend();
  const auto near = [](float found, float wanted, double size) {
    return std::isfinite(wanted) ? std::abs(static_cast<double>(found) - wanted) <= 2e-5 * size
           : std::isnan(wanted)  ? std::isnan(found)
                                 : found == wanted;
  };
  for (const MadeSizes& sizes : attention_sizes()) {
    for (const Options& options : attention_rules()) {
      for (const bool broken : {false, true}) {
        MadeAttention made = made_attention(sizes, options);
        if (made.rule.scale > 10) continue;  // makes small differences of scores large ones of weights
        float* const keys = made.key.mutable_data();
        if (broken) keys[made.key.size() - 1] = std::numeric_limits<float>::quiet_NaN();
        if (broken) keys[made.key.size() / 2] = std::numeric_limits<float>::infinity();
        const Region region{{0, sizes.batch}, {0, sizes.heads}, {0, sizes.query_len}, {0, (sizes.key_len + 1) / 2}};
        for (const StageId stage : {StageId::weights, StageId::dropped_weights}) {
          if (stage == StageId::dropped_weights && !made.rule.drops()) continue;
          std::vector<float> found(static_cast<std::size_t>(element_count(region))), wanted = found;
          const auto read_with = [&](const Backend& backend, std::vector<float>& cells) {
            return backend.read_new_weights(made.score_operands(), {.stage = stage, .region = region}, cells,
                                            CancelToken());
          };
          const RowStatistics ours = read_with(*cpu, found), theirs = read_with(*reference, wanted);
          const std::string what = text_of(options) + (broken ? ", broken" : "");
          for (std::size_t k = 0; k < found.size(); ++k) {
            ASSERT_TRUE(near(found[k], wanted[k], 1)) << what << ": " << found[k] << " for " << wanted[k];
          }
          const std::vector<float> max = ours.max.values(), max_wanted = theirs.max.values();
          const std::vector<float> sum = ours.sum.values(), sum_wanted = theirs.sum.values();
          for (std::size_t row = 0; row < max.size(); ++row) {
            ASSERT_TRUE(near(max[row], max_wanted[row], 1 + std::abs(max_wanted[row]))) << what;
            ASSERT_TRUE(near(sum[row], sum_wanted[row], 10 + std::abs(sum_wanted[row]))) << what;
          }
        }
      }
    }
  }
}

TEST(ReadScores, LargeRegionsHaveTheSameBitsForAnyNumberOfThreads) {
  const MadeAttention made = made_attention({1, 700, 650, 1, 1, 32, 32}, {{"mask", "causal"}});
  const Region region{{0, 1}, {0, 1}, {5, 700}, {3, 650}};
  const auto one = make_cpu_backend(1);
  for (int threads : {2, 3, 7}) {
    const auto many = make_cpu_backend(threads);
    for (StageId stage : {StageId::raw_scores, StageId::masked_scores, StageId::weights}) {
      EXPECT_TRUE(same(read(*one, stage, made, nullptr, region), read(*many, stage, made, nullptr, region)));
    }
  }
}

TEST(ReadScores, LongKeysAreKeptPackedForEachHeadWhileTheyLive) {
  // From 4096 keys on, and for a part of the queries, panels are kept between the calls.
  const auto backend = make_cpu_backend(2);
  const MadeSizes sizes{2, 9, 4100, 4, 2, 8, 8};
  for (int turn = 0; turn < 3; ++turn) {
    // The keys of the turn before are gone, and those of this one may lie in their place.
    MadeAttention made = made_attention(sizes, {});
    for (float* k = made.key.mutable_data(); k < made.key.data() + made.key.size(); ++k) *k += static_cast<float>(turn);
    const auto fresh = make_cpu_backend(1);
    for (std::int64_t b = 0; b < 2; ++b) {
      for (std::int64_t h = 0; h < 4; ++h) {
        const Region strip{{b, b + 1}, {h, h + 1}, {3, 7}, {0, 4100}};
        for (int again = 0; again < 2; ++again) {
          const std::vector<float> weights = read(*backend, StageId::weights, made, nullptr, strip);
          EXPECT_TRUE(same(weights, read(*fresh, StageId::weights, made, nullptr, strip))) << b << h << turn;
          for (const Range keys : {Range{0, 40}, Range{4000, 4100}}) {
            const Region narrow{strip[0], strip[1], strip[2], keys};
            const std::vector<float> part = read(*backend, StageId::weights, made, nullptr, narrow);
            for (std::int64_t i = 0; i < 4; ++i) {
              EXPECT_TRUE(std::equal(part.begin() + i * keys.size(), part.begin() + (i + 1) * keys.size(),
                                     weights.begin() + i * 4100 + keys.begin));
            }
          }
        }
      }
    }
  }
}

TEST(ReadScores, AreCancelled) {
  const MadeAttention made = made_attention({1, 5, 5, 2, 2, 4, 4}, {});
  CancelToken stopped;
  stopped.cancel();
  std::vector<float> out(50);
  EXPECT_THROW(make_cpu_backend(2)->read_scores(
                   made.score_operands(), {.stage = StageId::weights, .region = whole({1, 2, 5, 5})}, out, stopped),
               Cancelled);
}

}  // namespace
}  // namespace headscope
