// Tensors in every layout that a map knows, number by number against their formulas.
#include "core/model/stored_layout.h"

#include <gtest/gtest.h>

#include "tests/core/model/model_files.h"

namespace headscope {
namespace {

using Kind = StoredLayout::Kind;

constexpr std::int64_t kHeads = 3, kIn = 5, kOut = 2;  // of a head

TEST(StoredLayout, EveryKindIsItsFormula) {
  const Tensor out_in = counted({kHeads, kOut, kIn}), in_out = counted({kHeads, kIn, kOut});
  const Tensor rows_of_out = laid_out(out_in, {Kind::heads_out_in}),
               rows_of_in = laid_out(in_out, {Kind::heads_in_out});
  const Tensor columns_of_out = laid_out(out_in, {Kind::heads_out_in, true}),
               columns_of_in = laid_out(in_out, {Kind::heads_in_out, true});
  ASSERT_EQ(rows_of_out.shape(), (Shape{kHeads * kOut, kIn}));
  ASSERT_EQ(rows_of_in.shape(), (Shape{kHeads * kOut, kIn}));
  ASSERT_EQ(columns_of_out.shape(), (Shape{kOut, kHeads * kIn}));
  ASSERT_EQ(columns_of_in.shape(), (Shape{kOut, kHeads * kIn}));
  for (std::int64_t h = 0; h < kHeads; ++h) {
    for (std::int64_t o = 0; o < kOut; ++o) {
      for (std::int64_t i = 0; i < kIn; ++i) {
        EXPECT_EQ(rows_of_out.at({h * kOut + o, i}), out_in.at({h, o, i}));
        EXPECT_EQ(rows_of_in.at({h * kOut + o, i}), in_out.at({h, i, o}));
        EXPECT_EQ(columns_of_out.at({o, h * kIn + i}), out_in.at({h, o, i}));
        EXPECT_EQ(columns_of_in.at({o, h * kIn + i}), in_out.at({h, i, o}));
      }
    }
  }
  const Tensor matrix = counted({kIn, kOut}), flat = laid_out(matrix, {Kind::heads}),
               turned = laid_out(matrix, {Kind::in_out});
  for (std::int64_t i = 0; i < kIn; ++i) {
    for (std::int64_t o = 0; o < kOut; ++o) {
      EXPECT_EQ(flat.at({i * kOut + o}), matrix.at({i, o}));
      EXPECT_EQ(turned.at({o, i}), matrix.at({i, o}));
    }
  }
  EXPECT_EQ(laid_out(matrix, {}).values(), matrix.values());
}

TEST(StoredLayout, ATensorThatIsComputedIsCopied) {
  const Tensor stored = counted({kHeads, kIn, kOut});
  const Tensor computed =
      Tensor::computed(stored.shape(), stored.axes(),
                       [stored](const Region& region, std::span<float> out) { stored.read(region, out); });
  for (const bool inputs : {false, true}) {
    const StoredLayout layout{Kind::heads_in_out, inputs};
    EXPECT_EQ(laid_out(computed, layout).values(), laid_out(stored, layout).values());
  }
}

TEST(StoredLayout, WordsAndAxes) {
  for (const std::string_view word : stored_layout_words()) EXPECT_TRUE(stored_layout_of(word).has_value()) << word;
  EXPECT_FALSE(stored_layout_of("sideways").has_value());
  EXPECT_EQ(axes_of({Kind::heads_in_out}), 3);
  EXPECT_STREQ(layout_axes({Kind::heads}), "two axes [heads, head_dim]");
}

}  // namespace
}  // namespace headscope
