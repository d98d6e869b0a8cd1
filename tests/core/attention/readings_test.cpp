#include "core/attention/readings.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/request/request_text.h"

namespace headscope {
namespace {

const Axes kScores = {Axis::batch, Axis::head, Axis::query, Axis::key};

Tensor numbers_of(const Shape& shape, std::vector<float> values) {
  Axes axes;
  for (int k = 4 - shape.count; k < 4; ++k) axes.push_back(kScores[k]);
  return Tensor::of(shape, axes, std::move(values));
}

struct Asked {
  Request request;
  Inputs inputs;

  Asked(std::int64_t batch, std::int64_t heads, std::int64_t queries, std::int64_t keys) {
    inputs.batch = batch;
    inputs.num_heads = heads;
    inputs.query_len = queries;
    inputs.key_len = keys;
  }
  Asked& mask(const Shape& shape, std::vector<float> values, bool whole = false) {
    inputs.mask_files.push_back({"m.npy", numbers_of(shape, std::move(values)), whole});
    return *this;
  }
  Asked& with(const char* option, const char* value) {
    find_request_option(option)->set(request, value);
    return *this;
  }
  std::vector<std::string> readings() const { return readings_of(request, inputs); }
};

using Sentences = std::vector<std::string>;

TEST(Readings, AFloatMaskOfZerosAndOnesAsksWhatOneMeans) {
  const Sentences said = {
      "m.npy holds only 0 and 1, as float, and is added to the scores, which hides nothing; where 1 means may attend "
      "it "
      "is --mask-kind keep, where 1 means hidden --mask-kind hide"};
  EXPECT_EQ(Asked(1, 2, 3, 2).mask({1, 2}, {1, 0}).readings(), said);
  EXPECT_EQ(Asked(1, 2, 3, 2).mask({1, 2}, {1, 0}).with("mask-kind", "additive").readings(), Sentences());
  EXPECT_EQ(Asked(1, 2, 3, 2).mask({1, 2}, {1, 0}).with("mask-kind", "hide").readings(), Sentences());
  EXPECT_EQ(Asked(1, 2, 3, 2).mask({1, 2}, {1, 0}, true).readings(), Sentences()) << "booleans say it";
  EXPECT_EQ(Asked(1, 2, 3, 2).mask({1, 2}, {0, 0}).readings(), Sentences()) << "a mask that adds nothing";
  EXPECT_EQ(Asked(1, 2, 3, 2).mask({1, 2}, {1, -1e9F}).readings(), Sentences());
  EXPECT_EQ(Asked(1, 2, 3, 2).mask({1, 2}, {1, -INFINITY}).readings(), Sentences());
}

TEST(Readings, AnAxisAsLongAsTheBatchCouldBeItsOwn) {
  const std::vector<float> four(4, 0.0F), eight(8, 0.0F);
  EXPECT_EQ(
      Asked(2, 3, 2, 2).mask({2, 2}, four).readings(),
      Sentences({"m.npy is [2, 2], read as [query_len, key_len]; were it [batch, key_len], a key_padding_mask, it "
                 "would be given with --mask-kind key-keep, where 1 means that the key may be seen, or key-hide, where "
                 "1 means "
                 "that it is hidden"}));
  EXPECT_EQ(Asked(2, 3, 2, 2).mask({2, 2}, four).with("mask-kind", "key-hide").readings(), Sentences()) << "it is said";
  EXPECT_EQ(
      Asked(2, 2, 2, 2).mask({2, 2, 2}, eight).readings(),
      Sentences({"m.npy is [2, 2, 2], read as [heads, query_len, key_len]; were it [batch, query_len, key_len], it "
                 "would be given as [2, 1, 2, 2]"}));
  EXPECT_EQ(Asked(1, 3, 2, 2).mask({2, 2}, four).readings(), Sentences());
  EXPECT_EQ(Asked(2, 3, 2, 2).mask({1, 1, 2, 2}, four).readings(), Sentences()) << "four axes leave nothing open";
  EXPECT_EQ(Asked(4, 3, 2, 2).mask({2, 2}, four).readings(), Sentences());
}

TEST(Readings, ADiagonalOfUnequalLengthsSaysWhereItStarts) {
  const Sentences said = {
      "--mask causal with 1 query and 10 keys starts its diagonal at the first key (--causal-align top-left, as "
      "PyTorch): query 0 stands at key 0; --causal-align bottom-right sets the last query to the last key, as with a "
      "cache"};
  EXPECT_EQ(Asked(1, 2, 1, 10).with("mask", "causal").readings(), said);
  EXPECT_EQ(Asked(1, 2, 1, 10).with("mask", "padding:2").readings(), Sentences());
  EXPECT_EQ(Asked(1, 2, 10, 10).with("mask", "causal").readings(), Sentences());
  EXPECT_EQ(Asked(1, 2, 1, 10).with("mask", "causal").with("causal-align", "bottom-right").readings(), Sentences());
  EXPECT_EQ(Asked(1, 2, 1, 10).with("mask", "causal").with("past", "9").readings(), Sentences());
  EXPECT_EQ(Asked(1, 2, 1, 10).with("mask", "causal").with("past", "0").readings(), Sentences()) << "it is said";
  EXPECT_EQ(Asked(1, 2, 3, 5).with("mask", "window:1,padding:2").readings().size(), 1U);
}

TEST(Readings, AMaskOfBatchItemsIsToldHowToBeGiven) {
  EXPECT_EQ(
      mask_of_batch_items({2, 6}, {2, 4, 6, 6}),
      "[2, 6] is [batch, key_len], the shape of a key_padding_mask: give it with --mask-kind key-keep, where 1 means "
      "that the key may be seen, or key-hide, where 1 means that it is hidden; or as [2, 1, 1, 6]");
  EXPECT_EQ(mask_of_batch_items({2, 6, 6}, {2, 4, 6, 6}),
            "[2, 6, 6] is [batch, query_len, key_len]: give it as [2, 1, 6, 6]");
  EXPECT_EQ(mask_of_batch_items({3, 6}, {2, 4, 6, 6}), "");
  EXPECT_EQ(mask_of_batch_items({2, 5}, {2, 4, 6, 6}), "");
  EXPECT_EQ(mask_of_batch_items({6}, {2, 4, 6, 6}), "");
}

}  // namespace
}  // namespace headscope
