#include "core/tensor/scattered_statistics.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace headscope {
namespace {

constexpr auto kBlock = static_cast<std::int64_t>(kStatisticsBlock);

void append(std::vector<float>& to, std::span<const float> values) {
  to.insert(to.end(), values.begin(), values.end());
}

}  // namespace

ScatteredStatistics::Piece ScatteredStatistics::piece_of(std::int64_t first, std::span<const float> values) {
  Piece piece;
  const auto count = static_cast<std::int64_t>(values.size());
  piece.end = first + count;
  const std::int64_t to_block = (kBlock - first % kBlock) % kBlock;
  piece.meets_block = to_block <= count;
  const auto before = static_cast<std::size_t>(std::min(to_block, count));
  append(piece.before, values.first(before));
  std::vector<StatisticsBlock>& blocks = piece.blocks.emplace_back();
  for (values = values.subspan(before); values.size() >= kStatisticsBlock; values = values.subspan(kStatisticsBlock)) {
    blocks.push_back(statistics_block(values.first(kStatisticsBlock)));
  }
  append(piece.after, values);
  return piece;
}

ScatteredStatistics::Piece ScatteredStatistics::joined(Piece left, Piece right) {
  left.end = right.end;
  std::vector<float>& open = left.meets_block ? left.after : left.before;
  append(open, right.before);
  if (!right.meets_block) return left;
  if (left.meets_block && !left.after.empty()) {
    left.blocks.back().push_back(statistics_block(left.after));
    left.after.clear();
  }
  left.meets_block = true;
  left.blocks.splice(left.blocks.end(), right.blocks);
  left.after = std::move(right.after);
  return left;
}

void ScatteredStatistics::give(Piece piece) {
  next_ = piece.end;
  sum_.add(piece.before);
  for (const std::vector<StatisticsBlock>& blocks : piece.blocks) {
    for (const StatisticsBlock& block : blocks) sum_.add(block);
  }
  sum_.add(piece.after);
}

void ScatteredStatistics::add(std::int64_t first, std::span<const float> values) {
  if (values.empty()) return;
  Piece piece = piece_of(first, values);
  const std::lock_guard<std::mutex> lock(mutex_);
  auto after = waiting_.lower_bound(first);
  if (after != waiting_.end() && after->first == piece.end) {
    piece = joined(std::move(piece), std::move(after->second));
    after = waiting_.erase(after);
  }
  if (first == next_) {
    give(std::move(piece));
    return;
  }
  if (after != waiting_.begin() && std::prev(after)->second.end == first) {
    Piece& before = std::prev(after)->second;
    before = joined(std::move(before), std::move(piece));
    return;
  }
  waiting_.emplace(first, std::move(piece));
}

std::int64_t ScatteredStatistics::summed() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return next_;
}

}  // namespace headscope
