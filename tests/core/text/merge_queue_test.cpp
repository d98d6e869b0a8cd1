// The two queues of a byte pair encoding give the same order, whatever comes in between.
#include "core/text/merge_queue.h"

#include <gtest/gtest.h>

#include <random>

namespace headscope {
namespace {

TEST(MergeQueue, ListsGiveTheOrderOfTheHeap) {
  std::mt19937 random(3);
  MergeHeap heap;
  MergeLists lists;
  for (int run = 0; run < 200; ++run) {
    const auto ranks = static_cast<std::uint32_t>(1 + random() % 20);
    heap.clear();
    lists.clear(ranks);
    for (int k = 0; k < 500; ++k) {
      if (!heap.empty() && random() % 5 < 2) {
        ASSERT_FALSE(lists.empty());
        const MergeCandidate wanted = heap.pop(), found = lists.pop();
        ASSERT_EQ(found.rank, wanted.rank);
        ASSERT_EQ(found.left, wanted.left);
        ASSERT_EQ(found.merged, wanted.merged);
      } else {
        const auto rank = static_cast<std::uint32_t>(random() % ranks);
        const auto left = static_cast<std::int32_t>(random() % 100);
        const MergeCandidate one{rank, left, static_cast<std::int32_t>(rank) + 1000};
        heap.push(one);
        lists.push(one);
      }
    }
    ASSERT_EQ(heap.empty(), lists.empty());  // the next run begins with what is left
  }
}

TEST(MergeQueue, ListsAreEmptyAgainForTheNextWord) {
  MergeLists lists;
  lists.clear(3);
  lists.push({2, 7, 1});
  lists.push({0, 9, 1});
  lists.clear(5);
  EXPECT_TRUE(lists.empty());
  lists.push({4, 1, 8});
  EXPECT_EQ(lists.pop().rank, 4u);
  EXPECT_TRUE(lists.empty());
}

}  // namespace
}  // namespace headscope
