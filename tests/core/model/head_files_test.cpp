// Queries, keys and values in every layout, all made of the same numbers: what is read is the same, or it is refused,
// or a sentence says how it was read.
#include <cstdint>
#include <optional>
#include <vector>

#include "core/model/head_layouts.h"
#include "core/model/packed_texts.h"
#include "tests/core/attention/made_inputs.h"
#include "tests/core/model/loading.h"

namespace headscope {
namespace {

struct Sizes {
  std::int64_t batch, heads, kv_heads, queries, keys, head_dim;
};
constexpr Sizes kSizes[] = {
    {1, 2, 2, 5, 5, 4}, {2, 4, 2, 9, 9, 3}, {1, 3, 3, 3, 3, 6},    {2, 6, 3, 2, 7, 4}, {3, 1, 1, 4, 4, 2},
    {1, 8, 2, 4, 6, 8}, {2, 2, 1, 2, 2, 2}, {1, 5, 5, 12, 20, 10}, {4, 4, 4, 4, 4, 4}, {1, 1, 1, 6, 6, 5},
};

Tensor exchanged(const Tensor& tensor) {
  return tensor.permuted({0, 2, 1, 3}).dense_copy();
}
Tensor reshaped(const Tensor& tensor, const Shape& shape) {
  return tensor.dense_copy().reshaped(shape, axes_of_rank(shape.count));
}

// How a program lays the axes out, and the options that say so.
struct Way {
  const char* name;
  HeadsLayout layout;
  bool says_heads;   // --heads and --kv-heads
  bool of_one_item;  // only without a batch
  Tensor (*written)(const Tensor& heads);
};
const Way kWays[] = {
    {"[batch, heads, len, head_dim]", HeadsLayout::bhsd, false, false, [](const Tensor& t) { return t; }},
    {"[batch, len, heads, head_dim]", HeadsLayout::bshd, false, false, exchanged},
    {"[batch, len, heads * head_dim]", HeadsLayout::automatic, true, false,
     [](const Tensor& t) {
       return reshaped(exchanged(t), {t.dim(0), t.dim(2), t.dim(1) * t.dim(3)});
     }},
    {"[batch * heads, len, head_dim]", HeadsLayout::bhsd, true, false,
     [](const Tensor& t) {
       return reshaped(t, {t.dim(0) * t.dim(1), t.dim(2), t.dim(3)});
     }},
    {"[heads, len, head_dim]", HeadsLayout::bhsd, false, true,
     [](const Tensor& t) {
       return reshaped(t, {t.dim(1), t.dim(2), t.dim(3)});
     }},
    {"[len, heads, head_dim]", HeadsLayout::bshd, false, true,
     [](const Tensor& t) {
       return reshaped(exchanged(t), {t.dim(2), t.dim(1), t.dim(3)});
     }},
};

class HeadFilesTest : public Loading {
 protected:
  Request request_of(const HeadArrays& arrays) const {
    Request request;
    request.query = write_npy_file("q.npy", arrays.query);
    request.key = write_npy_file("k.npy", arrays.key);
    request.value = write_npy_file("v.npy", arrays.value);
    return request;
  }
  static HeadArrays made(const Sizes& s) {
    return {random_tensor({s.batch, s.heads, s.queries, s.head_dim}, 1),
            random_tensor({s.batch, s.kv_heads, s.keys, s.head_dim}, 2),
            random_tensor({s.batch, s.kv_heads, s.keys, s.head_dim + 1}, 3)};
  }
  static HeadArrays written(const Way& way, const HeadArrays& a) {
    return {way.written(a.query), way.written(a.key), way.written(a.value)};
  }
  static bool same(const Inputs& inputs, const HeadArrays& arrays) {
    const auto equal = [](const Tensor& a, const Tensor& b) {
      return a.shape() == b.shape() && a.values() == b.values();
    };
    return equal(inputs.query, arrays.query) && equal(inputs.key, arrays.key) && equal(inputs.value, arrays.value);
  }
  std::optional<Inputs> loaded(const Request& request) {
    try {
      return load(request);
    } catch (const UsageError&) {
      return std::nullopt;
    }
  }
  std::vector<std::string> readings() { return readings_of_files(cache_); }
};

TEST_F(HeadFilesTest, WhatTheOptionsSayIsRead) {
  for (const Sizes& sizes : kSizes) {
    const HeadArrays arrays = made(sizes);
    for (const Way& way : kWays) {
      if (way.of_one_item && sizes.batch > 1) continue;
      Request request = request_of(written(way, arrays));
      request.layout = way.layout;
      if (way.says_heads) {
        request.heads = sizes.heads;
        request.kv_heads = sizes.kv_heads;
      }
      const std::optional<Inputs> inputs = loaded(request);
      ASSERT_TRUE(inputs.has_value()) << way.name << " of " << to_string(arrays.query.shape());
      EXPECT_TRUE(same(*inputs, arrays)) << way.name << " of " << to_string(arrays.query.shape());
      EXPECT_EQ(inputs->d_model, sizes.heads * (sizes.head_dim + 1));
    }
  }
}

// Four axes are [batch, heads, len, head_dim] where nothing else is likelier; all else is said, or refused.
TEST_F(HeadFilesTest, WithoutTheOptionNothingIsGuessedInSilence) {
  int taken = 0, refused = 0, said = 0;
  for (const Sizes& sizes : kSizes) {
    const HeadArrays arrays = made(sizes);
    for (const Way& way : kWays) {
      if (way.of_one_item && sizes.batch > 1) continue;
      Request request = request_of(written(way, arrays));
      if (way.says_heads) {
        request.heads = sizes.heads;
        request.kv_heads = sizes.kv_heads;
      }
      const std::string what = std::string(way.name) + " of " + to_string(arrays.query.shape());
      const std::optional<Inputs> inputs = loaded(request);
      if (!inputs) {
        ++refused;
        EXPECT_NE(std::string(way.name), kWays[0].name);
        continue;
      }
      const bool is_said = !readings().empty();
      said += is_said ? 1 : 0;
      taken += same(*inputs, arrays) ? 1 : 0;
      const bool usual = way.layout == HeadsLayout::automatic || std::string(way.name) == kWays[0].name;
      const bool four_axes = way.written(arrays.query).rank() == 4;
      const bool more_heads = four_axes && inputs->num_heads > inputs->query_len;
      if (usual) {
        EXPECT_TRUE(same(*inputs, arrays)) << what;
      }
      if (!same(*inputs, arrays)) {
        EXPECT_TRUE(is_said || (four_axes && !more_heads)) << what;
      }
      if (!usual && !four_axes && sizes.heads > 1 && same(*inputs, arrays)) {
        EXPECT_TRUE(is_said) << what;
      }
    }
  }
  EXPECT_GT(taken, 20);
  EXPECT_GT(refused, 5);
  EXPECT_GT(said, 5);
}

TEST_F(HeadFilesTest, WhereOneLayoutFitsItIsTakenAndSaid) {
  // 12 heads and 20 of keys do not go together; 8 heads of 12 queries and 20 keys do.
  const HeadArrays arrays{random_tensor({1, 12, 8, 4}, 1), random_tensor({1, 20, 8, 4}, 2),
                          random_tensor({1, 20, 8, 4}, 3)};
  const Inputs inputs = load(request_of(arrays));
  EXPECT_TRUE(same(inputs, {exchanged(arrays.query), exchanged(arrays.key), exchanged(arrays.value)}));
  ASSERT_EQ(readings().size(), 1U);
  EXPECT_NE(readings()[0].find("q.npy is [1, 12, 8, 4], read as [batch, len, heads, head_dim], the only layout that "
                               "fits (--layout bshd)"),
            std::string::npos)
      << readings()[0];
}

TEST_F(HeadFilesTest, MoreHeadsThanPlacesAreToldTheOtherReading) {
  const Tensor long_text = random_tensor({1, 64, 8, 4}, 1);
  Request request = request_of({long_text, long_text, long_text});
  EXPECT_EQ(load(request).num_heads, 64);
  ASSERT_EQ(readings().size(), 1U);
  EXPECT_NE(readings()[0].find("64 heads of 8 places; it could be [batch, len, heads, head_dim] (--layout bshd): 8 "
                               "heads of 64 places"),
            std::string::npos)
      << readings()[0];
  request.layout = HeadsLayout::bhsd;
  load(request);
  EXPECT_TRUE(readings().empty()) << "it is said";
  request.layout = HeadsLayout::bshd;
  EXPECT_EQ(load(request).num_heads, 8);
  EXPECT_TRUE(readings().empty());
  const Tensor usual = random_tensor({1, 8, 64, 4}, 1);
  load(request_of({usual, usual, usual}));
  EXPECT_TRUE(readings().empty());
}

TEST_F(HeadFilesTest, ThreeAxesWithoutHeadsAreRefusedWithTheReadings) {
  const Tensor three = random_tensor({4, 6, 8}, 1);
  Request request = request_of({three, three, three});
  expect_usage_error(request, {"--query", "[4, 6, 8]", "[heads, len, head_dim] (--layout bhsd): 4 heads of 6 places",
                               "[len, heads, head_dim] (--layout bshd): 6 heads of 4 places", "--layout"});
  request.layout = HeadsLayout::thd;
  request.lengths = {1, 3};
  EXPECT_EQ(load(request).num_heads, 6);
  request.lengths = {1, 4};
  expect_usage_error(request, {"--lengths", "1,4 add up to 5", "[4, 6, 8]", "4 tokens"});
}

TEST_F(HeadFilesTest, RowsOfSeveralHeadsMayStandBesideQueriesOfOne) {
  const HeadArrays arrays = made({2, 4, 4, 6, 6, 3});
  Request request = request_of({arrays.query, kWays[2].written(arrays.key), arrays.value});
  request.heads = 4;
  EXPECT_TRUE(same(load(request), arrays));
  EXPECT_TRUE(readings().empty());
}

TEST_F(HeadFilesTest, KeysOfThePastAreInTheLayoutToo) {
  const HeadArrays arrays = made({2, 4, 2, 5, 5, 3});
  const Tensor key_past = random_tensor({2, 2, 7, 3}, 8), value_past = random_tensor({2, 2, 7, 4}, 9);
  Request request = request_of(arrays);
  request.key_past = write_npy_file("kp.npy", key_past);
  request.value_past = write_npy_file("vp.npy", value_past);
  const Inputs plain = load(request);
  EXPECT_TRUE(readings().empty());
  request.key_past = write_npy_file("kp2.npy", exchanged(key_past));
  request.value_past = write_npy_file("vp2.npy", exchanged(value_past));
  EXPECT_EQ(load(request).key.values(), plain.key.values());
  EXPECT_EQ(readings().size(), 2U) << "what alone fits is said";
  Request other = request_of({exchanged(arrays.query), exchanged(arrays.key), exchanged(arrays.value)});
  other.layout = HeadsLayout::bshd;
  other.key_past = request.key_past;
  other.value_past = request.value_past;
  EXPECT_EQ(load(other).key.values(), plain.key.values());
}

// Padded texts and packed ones are the same request.
TEST_F(HeadFilesTest, LengthsPackWhatIsPadded) {
  const HeadArrays padded = made({3, 4, 2, 5, 5, 3});
  const std::vector<std::int64_t> lengths = {5, 1, 3};
  const HeadArrays packed{packed_texts(padded.query, lengths), packed_texts(padded.key, lengths),
                          packed_texts(padded.value, lengths)};
  ASSERT_EQ(packed.query.shape(), (Shape{1, 4, 9, 3}));
  EXPECT_EQ(packed.query.at({0, 3, 5, 2}), padded.query.at({1, 3, 0, 2}));
  EXPECT_EQ(packed.query.at({0, 1, 8, 0}), padded.query.at({2, 1, 2, 0}));
  const auto loads = [&](Request request, HeadsLayout layout) {
    request.layout = layout;
    request.lengths = lengths;
    return load(request);
  };
  EXPECT_TRUE(same(loads(request_of(padded), HeadsLayout::bhsd), packed));
  EXPECT_TRUE(same(loads(request_of(written(kWays[1], padded)), HeadsLayout::bshd), packed));
  const Inputs thd = loads(request_of(written(kWays[5], packed)), HeadsLayout::thd);
  EXPECT_TRUE(same(thd, packed));
  ASSERT_EQ(thd.mask_files.size(), 1U);
  const Tensor& mask = thd.mask_files[0].values;
  ASSERT_EQ(mask.shape(), (Shape{1, 1, 9, 9}));
  for (std::int64_t i = 0; i < 9; ++i) {
    for (std::int64_t j = 0; j < 9; ++j) {
      const auto text = [](std::int64_t k) { return k < 5 ? 0 : k < 6 ? 1 : 2; };
      EXPECT_EQ(mask.at({0, 0, i, j}) == 1.0F, text(i) == text(j)) << i << ' ' << j;
    }
  }
  // 4 heads are too few for 5 places: only one reading holds the texts.
  EXPECT_TRUE(same(loads(request_of(padded), HeadsLayout::automatic), packed));
  EXPECT_NE(readings().at(0).find("of every item the first places (5,1,3) are packed"), std::string::npos);
  Request longer = request_of(padded);
  longer.lengths = {6, 1, 3};
  expect_usage_error(longer, {"--lengths", "6,1,3 are 3 texts of at most 6 tokens", "3 items of 5"});
  longer.lengths = {5, 1};
  expect_usage_error(longer, {"--lengths", "2 texts"});
}

}  // namespace
}  // namespace headscope
