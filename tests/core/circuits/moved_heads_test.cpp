// Heads that stand at another place are found, and no others.
#include "core/circuits/moved_heads.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "tests/core/circuits/circuits_models.h"
#include "tests/core/circuits/made_maps.h"

namespace headscope {
namespace {

using Moves = std::vector<std::pair<std::int64_t, std::int64_t>>;

Moves moves_of(const HeadMaps& a, const HeadMaps& b) {
  std::vector<MapsApart> in_place;
  for (std::int64_t h = 0; h < a.heads(); ++h) in_place.push_back(maps_apart(a, h, b, h));
  Moves moves;
  for (const MovedHead& head : moved_heads(a, b, in_place, CancelToken())) moves.emplace_back(head.from, head.to);
  return moves;
}

// The query heads in another order, and what they write; keys and values in an order of their own.
HeadMaps ordered(const HeadMaps& maps, const std::vector<std::int64_t>& heads,
                 const std::vector<std::int64_t>& groups) {
  HeadMaps other = maps;
  other.query = in_order(maps.query, heads);
  other.output = in_order(maps.output, heads);
  other.key = in_order(maps.key, groups);
  other.value = in_order(maps.value, groups);
  return other;
}

TEST(MovedHeads, ThatWereExchangedAreNamedAndNoOthers) {
  std::mt19937_64 draw(11);
  const HeadMaps a = random_maps({8, 8, 4, 4, 32}, draw);
  EXPECT_EQ(moves_of(a, a), Moves());
  const std::vector<std::int64_t> exchanged = {0, 1, 5, 3, 4, 2, 6, 7};
  EXPECT_EQ(moves_of(a, ordered(a, exchanged, exchanged)), (Moves{{5, 2}, {2, 5}}));
  const std::vector<std::int64_t> around = {3, 0, 1, 2, 4, 5, 6, 7};
  EXPECT_EQ(moves_of(a, ordered(a, around, around)), (Moves{{3, 0}, {0, 1}, {1, 2}, {2, 3}}));
}

TEST(MovedHeads, AreFoundBesideOtherChangesOfTheirWeights) {
  std::mt19937_64 draw(12);
  const HeadMaps a = random_maps({8, 8, 4, 4, 32}, draw);
  const std::vector<std::int64_t> exchanged = {0, 1, 5, 3, 4, 2, 6, 7};
  HeadMaps b = ordered(a, exchanged, exchanged);
  b.query = scaled(b.query, 2, 1.1F);
  b.output = scaled(b.output, 5, 0.9F);
  b.query = scaled(b.query, 7, 3.0F);
  EXPECT_EQ(moves_of(a, b), (Moves{{5, 2}, {2, 5}})) << "head 7 is scaled, and stands where it stood";
}

TEST(MovedHeads, OfGroupsTakeTheirKeysAndValuesWithThem) {
  std::mt19937_64 draw(13);
  const HeadMaps a = random_maps({4, 2, 4, 4, 32}, draw);
  EXPECT_EQ(moves_of(a, ordered(a, {1, 0, 2, 3}, {0, 1})), (Moves{{1, 0}, {0, 1}})) << "within a group";
  EXPECT_EQ(moves_of(a, ordered(a, {2, 3, 0, 1}, {1, 0})), (Moves{{2, 0}, {3, 1}, {0, 2}, {1, 3}})) << "with the group";
  EXPECT_EQ(moves_of(a, ordered(a, {2, 1, 0, 3}, {0, 1})), Moves()) << "a query that reads another key is another head";
}

TEST(MovedHeads, AreNoneOfOtherModelsAndOfCopies) {
  std::mt19937_64 draw(14);
  const HeadMaps a = random_maps({8, 8, 4, 4, 32}, draw);
  EXPECT_EQ(moves_of(a, random_maps({8, 8, 4, 4, 32}, draw)), Moves());
  const std::vector<std::int64_t> copied = {0, 1, 5, 3, 4, 5, 6, 7};  // head 2 is lost
  EXPECT_EQ(moves_of(a, ordered(a, copied, copied)), Moves());
  HeadMaps torn = a;  // queries and keys alone have moved
  torn.query = in_order(a.query, {0, 1, 5, 3, 4, 2, 6, 7});
  torn.key = in_order(a.key, {0, 1, 5, 3, 4, 2, 6, 7});
  EXPECT_EQ(moves_of(a, torn), Moves());
}

TEST(MovedHeads, EndWhenTheyAreCancelled) {
  std::mt19937_64 draw(15);
  const HeadMaps a = random_maps({8, 8, 4, 4, 32}, draw), b = random_maps({8, 8, 4, 4, 32}, draw);
  CancelToken cancel;
  cancel.cancel();
  EXPECT_THROW(moved_heads(a, b, std::vector<MapsApart>(8, {1, 1}), cancel), Cancelled);
}

}  // namespace
}  // namespace headscope
