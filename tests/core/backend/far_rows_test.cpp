// Rows of scores that go through memory give the weights of rows that do not, to the last bit.
#include "core/backend/far_rows.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>

#include "core/backend/row_block.h"
#include "core/backend/scratch.h"
#include "tests/core/backend/made_attention.h"

namespace headscope {
namespace {

TEST(FarRows, CellsComeBackWhereTheyWere) {
  constexpr std::int64_t kRows = 3, kStride = 2 * FarRows::kKeys + 16;
  ScratchPool pool;
  const ScratchPool::Lease memory = pool.take(FarRows::floats(kRows, kStride));
  const FarRows rows(memory.data(), kRows, kStride);
  const auto value = [](std::int64_t row, std::int64_t key) { return static_cast<float>(1000 * row + key); };
  for (const Range& keys : {Range{32, FarRows::kKeys}, {FarRows::kKeys, FarRows::kKeys + 64}}) {
    for (std::int64_t row = 0; row < kRows; ++row) {
      for (std::int64_t key = keys.begin; key < keys.end; ++key) *rows.gathered(row, key) = value(row, key);
    }
    rows.write(keys);
  }
  std::vector<float> line(kStride, -1.0F);
  const KeySpans spans{{40, 50}, {FarRows::kKeys - 3, FarRows::kKeys + 64}};
  rows.read(1, spans, line.data());
  for (std::int64_t key = 0; key < kStride; ++key) {
    const bool read = (40 <= key && key < 50) || (FarRows::kKeys - 3 <= key && key < FarRows::kKeys + 64);
    EXPECT_EQ(line[static_cast<std::size_t>(key)], read ? value(1, key) : -1.0F) << key;
  }
}

// Every row that is handed out, against the weights that are stored. More rows than a block, fewer than two.
void expect_stored_weights(const MadeAttention& made, const MadeSizes& sizes, const std::string& what) {
  const auto cpu = make_cpu_backend(2);
  const AttentionResults stored = attention_of(*cpu, made);
  std::atomic<std::int64_t> seen = 0, wrong = 0;
  const auto visit = [&](const WeightRow& row) {
    ++seen;
    const float* const wanted = &stored.weights.data()[(row.h * sizes.query_len + row.i) * sizes.key_len];
    const auto compare = [&](std::int64_t begin, std::int64_t end, bool inside) {
      for (std::int64_t j = begin; j < end; ++j) {
        const float found = inside ? row.cells[j] * row.factor : 0.0F;
        if (!(found == wanted[j] || (std::isnan(found) && std::isnan(wanted[j])))) ++wrong;
      }
    };
    std::int64_t done = 0;
    for (const KeySpan& span : {row.spans.first, row.spans.second}) {
      if (span.size() == 0) continue;
      compare(done, span.begin, false);
      compare(span.begin, span.end, true);
      done = span.end;
    }
    compare(done, sizes.key_len, false);
  };
  const auto statistics = cpu->visit_weights(made.score_operands(), made.all(), visit, CancelToken());
  ASSERT_TRUE(statistics.has_value());
  EXPECT_EQ(seen, sizes.heads * sizes.query_len) << what;
  EXPECT_EQ(wrong, 0) << what;
  const auto same = [](const Tensor& a, const Tensor& b) {
    for (std::int64_t k = 0; k < a.size(); ++k) {
      if (!(a.data()[k] == b.data()[k] || (std::isnan(a.data()[k]) && std::isnan(b.data()[k])))) return false;
    }
    return true;
  };
  EXPECT_TRUE(same(statistics->max, stored.statistics.max) && same(statistics->sum, stored.statistics.sum)) << what;
}

TEST(FarRows, HandOutTheWeightsThatAreStoredUnderEveryRule) {
  const MadeSizes sizes{1, 50, 65'571, 1, 1, 5, 2};
  ASSERT_TRUE(rows_lie_far(sizes.key_len));
  for (const Options& options : attention_rules()) {
    expect_stored_weights(made_attention(sizes, options), sizes, text_of(options));
  }
}

TEST(FarRows, NanAndInfinityAreWhereTheyBelong) {
  const MadeSizes sizes{1, 50, 65'600, 1, 1, 5, 2};
  for (const float broken : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    MadeAttention made = made_attention(sizes, {{"mask", "window:30000"}});
    made.key.mutable_data()[std::int64_t{40} * 5 + 3] = broken;
    made.query.mutable_data()[std::int64_t{12} * 5] = broken;
    expect_stored_weights(made, sizes, std::to_string(broken));
  }
}

}  // namespace
}  // namespace headscope
