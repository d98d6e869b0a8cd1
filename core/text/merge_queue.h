// The pairs of a word that a byte pair encoding may join: the lowest rank comes first, of equal ones the leftmost.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace headscope {

struct MergeCandidate {
  std::uint32_t rank;
  std::int32_t left, merged;  // index of the left symbol; the id that the pair becomes
};

// For short words: one heap. A push or pop among n candidates takes log n steps, all over their memory.
class MergeHeap {
 public:
  void clear() { all_.clear(); }
  bool empty() const { return all_.empty(); }
  void push(const MergeCandidate& one) {
    all_.push_back(one);
    std::push_heap(all_.begin(), all_.end(), comes_later);
  }
  MergeCandidate pop() {
    std::pop_heap(all_.begin(), all_.end(), comes_later);
    const MergeCandidate first = all_.back();
    all_.pop_back();
    return first;
  }

 private:
  static bool comes_later(const MergeCandidate& a, const MergeCandidate& b) {
    return a.rank != b.rank ? a.rank > b.rank : a.left > b.left;
  }
  std::vector<MergeCandidate> all_;
};

// For long words: a list for each rank. A rank is worked off from left to right, and so are the lists filled that its
// merges lead to; what comes out of that order goes to a heap of the rank. The time is linear in the word's length for
// a given vocabulary.
class MergeLists {
 public:
  // `ranks`: all are less.
  void clear(std::uint32_t ranks) {
    while (!empty()) pop();
    if (list_of_rank_.size() < ranks) list_of_rank_.resize(ranks, kNone);
  }
  bool empty() const { return open_.empty(); }
  void push(const MergeCandidate& one) {
    std::int32_t& index = list_of_rank_[one.rank];
    if (index == kNone) {
      index = static_cast<std::int32_t>(lists_.size());
      lists_.emplace_back();
    }
    List& list = lists_[static_cast<std::size_t>(index)];
    if (list.empty()) {
      open_.push_back(one.rank);
      std::push_heap(open_.begin(), open_.end(), std::greater<>());
    }
    const Item item{one.left, one.merged};
    if (list.ascending.empty() || list.ascending.back().left <= item.left) {
      list.ascending.push_back(item);
    } else {
      list.late.push_back(item);
      std::push_heap(list.late.begin(), list.late.end(), comes_later);
    }
  }
  MergeCandidate pop() {
    const std::uint32_t rank = open_.front();
    List& list = lists_[static_cast<std::size_t>(list_of_rank_[rank])];
    const bool in_order = list.next < list.ascending.size() &&
                          (list.late.empty() || !comes_later(list.ascending[list.next], list.late.front()));
    const Item item = in_order ? list.ascending[list.next++] : list.late.front();
    if (!in_order) {
      std::pop_heap(list.late.begin(), list.late.end(), comes_later);
      list.late.pop_back();
    }
    if (list.empty()) {
      list.ascending.clear();
      list.next = 0;
      std::pop_heap(open_.begin(), open_.end(), std::greater<>());
      open_.pop_back();
    }
    return {rank, item.left, item.merged};
  }

 private:
  struct Item {
    std::int32_t left, merged;
  };
  struct List {
    std::vector<Item> ascending;  // from `next` on
    std::size_t next = 0;
    std::vector<Item> late;  // a heap: came after one further to the right
    bool empty() const { return next == ascending.size() && late.empty(); }
  };
  static bool comes_later(const Item& a, const Item& b) { return a.left > b.left; }
  static constexpr std::int32_t kNone = -1;

  std::vector<std::int32_t> list_of_rank_;
  std::vector<List> lists_;
  std::vector<std::uint32_t> open_;  // a heap: the ranks whose lists are not empty
};

}  // namespace headscope
