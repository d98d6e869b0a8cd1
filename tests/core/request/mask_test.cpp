#include "core/request/mask.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "core/base/assert.h"
#include "core/base/error.h"
#include "core/request/request_text.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

constexpr float kMaskInfinity = std::numeric_limits<float>::infinity();

// Rows as text, '#' hidden: "..#|.##".
std::string picture(const Mask& mask, std::int64_t b = 0, std::int64_t h = 0) {
  std::string text;
  for (std::int64_t i = 0; i < mask.hidden.query_len(); ++i) {
    if (i > 0) text += '|';
    for (std::int64_t j = 0; j < mask.hidden.key_len(); ++j) text += mask.hidden.hidden(b, h, i, j) ? '#' : '.';
  }
  return text;
}

Request masked_request(const std::string& text) {
  Request request;
  find_request_option("mask")->set(request, text);
  return request;
}

std::string drawn(const std::string& text, std::int64_t query_len, std::int64_t key_len, bool bottom_right = false) {
  Request request = masked_request(text);
  if (bottom_right) request.causal_align = CausalAlign::bottom_right;
  return picture(build_mask(request, {}, {.batch = 1, .heads = 2, .query_len = query_len, .key_len = key_len}));
}

Request file_request(MaskKind kind = MaskKind::automatic) {
  Request request;
  request.mask = {{MaskTerm::Kind::file, 0, "m.npy"}};
  request.mask_kind = kind;
  return request;
}

Mask from_file(const Request& request, Tensor values, bool is_whole = false, std::int64_t batch = 2,
               std::int64_t heads = 3) {
  return build_mask(request, {{"m.npy", std::move(values), is_whole}},
                    {.batch = batch, .heads = heads, .query_len = 2, .key_len = 3});
}

TEST(Mask, ATermOfTheModelHidesAsWellAsTheRequests) {
  const std::vector<MaskTerm> own = {{MaskTerm::Kind::causal, 0, ""}, {MaskTerm::Kind::window, 1, ""}};
  EXPECT_EQ(picture(build_mask(Request(), {}, {.batch = 1, .heads = 2, .query_len = 3, .key_len = 3}, own)),
            ".##|..#|#..");
  EXPECT_EQ(
      picture(build_mask(masked_request("padding:1"), {}, {.batch = 1, .heads = 2, .query_len = 3, .key_len = 3}, own)),
      ".##|..#|#.#");
  EXPECT_EQ(
      picture(build_mask(masked_request("window:0"), {}, {.batch = 1, .heads = 2, .query_len = 3, .key_len = 3}, own)),
      ".##|#.#|##.");
  const MaskFile open{"m.npy", Tensor::zeros({3, 3}, {Axis::query, Axis::key}), false};
  EXPECT_EQ(picture(build_mask(file_request(), {open}, {.batch = 1, .heads = 2, .query_len = 3, .key_len = 3}, own)),
            ".##|..#|#..");
}

TEST(Mask, NoMaskHidesNothing) {
  const Mask mask = build_mask(Request(), {}, {.batch = 2, .heads = 4, .query_len = 2, .key_len = 3});
  EXPECT_EQ(picture(mask, 1, 3), "...|...");
  EXPECT_FALSE(mask.hidden.any());
  EXPECT_TRUE(mask.added.empty());
  EXPECT_EQ(mask.hidden.hidden_count(0, 0), 0);
}

TEST(Mask, CausalHidesLaterKeys) {
  EXPECT_EQ(drawn("causal", 3, 3), ".##|..#|...");
  EXPECT_EQ(drawn("causal", 1, 1), ".");
}

TEST(Mask, CausalStartsTopLeftOrBottomRight) {
  EXPECT_EQ(drawn("causal", 2, 4), ".###|..##");
  EXPECT_EQ(drawn("causal", 2, 4, true), "...#|....");
  EXPECT_EQ(drawn("causal", 4, 2), ".#|..|..|..");
  EXPECT_EQ(drawn("causal", 4, 2, true), "##|##|.#|..");
}

TEST(Mask, PaddingHidesTheLastKeys) {
  EXPECT_EQ(drawn("padding:1", 2, 3), "..#|..#");
  EXPECT_EQ(drawn("padding:0", 2, 3), "...|...");
  EXPECT_EQ(drawn("padding:9", 2, 3), "###|###");
  EXPECT_EQ(drawn("padding:1", 2, 3, true), "..#|..#") << "the diagonal does not move padding";
}

TEST(Mask, WindowKeepsTheNeighbours) {
  EXPECT_EQ(drawn("window:1", 4, 4), "..##|...#|#...|##..");
  EXPECT_EQ(drawn("window:0", 3, 3), ".##|#.#|##.");
  EXPECT_EQ(drawn("window:0", 2, 4, true), "##.#|###.");
}

TEST(Mask, PrefixIsCausalButOpensTheFirstKeys) {
  EXPECT_EQ(drawn("prefix:2", 4, 4), "..##|..##|...#|....");
  EXPECT_EQ(drawn("prefix:0", 3, 3), drawn("causal", 3, 3));
  EXPECT_EQ(drawn("prefix:9", 2, 3), "...|...");
  EXPECT_EQ(drawn("prefix:1", 2, 4, true), "...#|....");
}

TEST(Mask, SeveralTermsUnite) {
  EXPECT_EQ(drawn("causal,window:1", 4, 4), ".###|..##|#..#|##..");
  EXPECT_EQ(drawn("causal,padding:2", 3, 3), ".##|.##|.##");
  EXPECT_EQ(drawn("causal,causal", 2, 2), ".#|..");
}

TEST(Mask, ABooleanFileKeeps) {
  const Tensor values = tensor_of({2, 3}, {1, 0, 1, 0, 0, 1});
  EXPECT_EQ(picture(from_file(file_request(), values, true)), ".#.|##.");
  EXPECT_EQ(picture(from_file(file_request(MaskKind::keep), values)), ".#.|##.");
  EXPECT_EQ(picture(from_file(file_request(MaskKind::hide), values, true)), "#.#|..#");
}

TEST(Mask, AFloatFileIsAddedAndMinusInfinityHides) {
  const Mask mask = from_file(file_request(), tensor_of({2, 3}, {0, -kMaskInfinity, 1.5F, -2, 0, 0}));
  EXPECT_EQ(picture(mask), ".#.|...");
  EXPECT_EQ(mask.added.values(), (std::vector<float>{0, 0, 1.5F, -2, 0, 0}));
  EXPECT_EQ(mask.added.shape(), (Shape{1, 1, 2, 3}));
}

TEST(Mask, AFileOfZerosAndMinusInfinityAddsNothing) {
  EXPECT_TRUE(from_file(file_request(), tensor_of({3}, {0, -kMaskInfinity, 0})).added.empty());
}

TEST(Mask, AddedValuesOfSeveralFilesSum) {
  Request request = file_request();
  request.mask.push_back({MaskTerm::Kind::file, 0, "n.npy"});
  const Mask mask = build_mask(
      request, {{"m.npy", tensor_of({3}, {1, 2, 3}), false}, {"n.npy", tensor_of({2, 1}, {10, -kMaskInfinity}), false}},
      {.batch = 1, .heads = 1, .query_len = 2, .key_len = 3});
  // The hidden row keeps what other files add to it: with mask-after-softmax nothing is hidden when it counts.
  EXPECT_EQ(mask.added.values(), (std::vector<float>{11, 12, 13, 1, 2, 3}));
  EXPECT_EQ(picture(mask), "...|###");
}

TEST(Mask, FilesBroadcastLikeNumpy) {
  EXPECT_EQ(picture(from_file(file_request(), tensor_of({3}, {0, 1, 1}), true)), "#..|#..");
  EXPECT_EQ(picture(from_file(file_request(), tensor_of({2, 1}, {0, 1}), true)), "###|...");
  const Mask by_batch = from_file(file_request(), tensor_of({2, 1, 1, 3}, {0, 1, 1, 1, 1, 0}), true);
  EXPECT_EQ(by_batch.hidden.batch(), 2);
  EXPECT_EQ(by_batch.hidden.heads(), 1);
  EXPECT_EQ(picture(by_batch, 0, 2), "#..|#..");
  EXPECT_EQ(picture(by_batch, 1, 2), "..#|..#");
  EXPECT_EQ(by_batch.hidden.hidden_count(1, 0), 2);
  const Mask by_head = from_file(file_request(), tensor_of({3, 2, 1}, {0, 1, 1, 1, 1, 0}), true);
  EXPECT_EQ(by_head.hidden.heads(), 3);
  EXPECT_EQ(picture(by_head, 1, 2), "...|###");
}

// Of two batch items and two queries, so that the shape alone says nothing.
TEST(Mask, AFileOfKeysIsForEveryHeadAndQuery) {
  const Tensor keys = tensor_of({2, 3}, {1, 0, 1, 0, 0, 1});
  const Mask keep = from_file(file_request(MaskKind::key_keep), keys);
  EXPECT_EQ(keep.hidden.batch(), 2);
  EXPECT_EQ(keep.hidden.heads(), 1);
  EXPECT_EQ(picture(keep, 0, 2), ".#.|.#.");
  EXPECT_EQ(picture(keep, 1, 0), "##.|##.");
  const Mask hide = from_file(file_request(MaskKind::key_hide), keys, true);
  EXPECT_EQ(picture(hide, 0), "#.#|#.#");
  EXPECT_EQ(picture(hide, 1), "..#|..#");
  for (const Shape& shape : {Shape{2, 1, 3}, Shape{2, 1, 1, 3}}) {
    EXPECT_EQ(from_file(file_request(MaskKind::key_keep), keys.reshaped(shape, axes_of_rank(shape.count))).hidden,
              keep.hidden);
  }
  EXPECT_EQ(picture(from_file(file_request(MaskKind::key_keep), tensor_of({3}, {0, 1, 1})), 1), "#..|#..");
  for (const Shape& shape : {Shape{2, 2}, Shape{3, 3}, Shape{1, 2, 3}, Shape{1, 3, 1, 3}, Shape{2, 2, 3}}) {
    try {
      from_file(file_request(MaskKind::key_keep), Tensor::zeros(shape, axes_of_rank(shape.count)));
      FAIL() << to_string(shape);
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find("with --mask-kind key-keep it is [2, 3] [batch, key_len]"),
                std::string::npos)
          << error.what();
    }
  }
  EXPECT_THROW(from_file(file_request(MaskKind::key_hide), tensor_of({2, 3}, {0, 1, 2, 0, 0, 0})), UsageError);
}

TEST(Mask, AFileThatDoesNotBroadcastIsRefusedWithBothShapes) {
  for (const Shape& shape : {Shape{4}, Shape{3, 2}, Shape{3, 1, 2, 3}, Shape{1, 1, 1, 2, 3}}) {
    try {
      from_file(file_request(), random_tensor(shape, 1));
      FAIL() << to_string(shape);
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find(to_string(shape)), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("[2, 3, 2, 3]"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("m.npy"), std::string::npos) << error.what();
    }
  }
}

TEST(Mask, ValuesThatMeanNothingAreRefused) {
  EXPECT_THROW(from_file(file_request(), tensor_of({3}, {0, NAN, 0})), UsageError);
  EXPECT_THROW(from_file(file_request(), tensor_of({3}, {0, kMaskInfinity, 0})), UsageError);
  EXPECT_THROW(from_file(file_request(MaskKind::keep), tensor_of({3}, {0, -kMaskInfinity, 0})), UsageError);
  EXPECT_THROW(from_file(file_request(MaskKind::hide), tensor_of({3}, {0, 0.5F, 1})), UsageError);
  EXPECT_THROW(from_file(file_request(MaskKind::hide), tensor_of({3}, {0, NAN, 1})), UsageError);
}

TEST(Mask, TheExtraKeyIsNeverHidden) {
  EXPECT_EQ(picture(build_mask(masked_request("causal"), {},
                               {.batch = 1, .heads = 1, .query_len = 2, .key_len = 3, .extra_key = true})),
            ".#.|...");
  EXPECT_EQ(picture(build_mask(masked_request("padding:2"), {},
                               {.batch = 1, .heads = 1, .query_len = 2, .key_len = 3, .extra_key = true})),
            "##.|##.");
  EXPECT_EQ(picture(build_mask(masked_request("window:0"), {},
                               {.batch = 1, .heads = 1, .query_len = 2, .key_len = 3, .extra_key = true})),
            ".#.|#..");
  Request inverted = masked_request("causal");
  inverted.variants = {Variant::mask_inverted};
  EXPECT_EQ(
      picture(build_mask(inverted, {}, {.batch = 1, .heads = 1, .query_len = 2, .key_len = 3, .extra_key = true})),
      "#..|##.");
  const Mask added = build_mask(file_request(), {{"m.npy", tensor_of({1, 2}, {1, 2}), false}},
                                {.batch = 1, .heads = 1, .query_len = 2, .key_len = 3, .extra_key = true});
  EXPECT_EQ(added.added.values(), (std::vector<float>{1, 2, 0, 1, 2, 0}));
}

TEST(Mask, InvertedExchangesHiddenAndVisible) {
  Request request = masked_request("causal");
  request.variants = {Variant::mask_inverted};
  EXPECT_EQ(picture(build_mask(request, {}, {.batch = 1, .heads = 1, .query_len = 3, .key_len = 3})), "#..|##.|###");
}

TEST(HiddenCells, OneBatchOrHeadStandsForAllAndOthersAreChecked) {
  HiddenCells cells(1, 2, 1, 2);
  cells.mutable_row(5, 1, 0)[0] = 1;
  EXPECT_FALSE(cells.any()) << "until refresh_any";
  cells.refresh_any();
  EXPECT_TRUE(cells.any());
  EXPECT_TRUE(cells.hidden(9, 1, 0, 0));
  EXPECT_FALSE(cells.hidden(9, 0, 0, 0));
  EXPECT_THROW(cells.hidden(0, 2, 0, 0), Bug);
  EXPECT_THROW(cells.hidden(0, 0, 1, 0), Bug);
  EXPECT_THROW(cells.hidden(0, 0, 0, 2), Bug);
}

}  // namespace
}  // namespace headscope
