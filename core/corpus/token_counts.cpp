#include "core/corpus/token_counts.h"

#include <algorithm>
#include <utility>

namespace headscope {
namespace {

bool before(const TokenCount& a, const TokenCount& b) {
  return a.token < b.token;
}

bool has_more_rows(const TokenCount& a, const TokenCount& b) {
  return a.rows != b.rows ? a.rows > b.rows : a.token < b.token;
}

}  // namespace

void TokenCounts::add(std::uint64_t token, std::uint64_t rows) {
  const auto place = std::lower_bound(counts_.begin(), counts_.end(), TokenCount{token, 0}, before);
  if (place != counts_.end() && place->token == token) {
    place->rows += rows;
  } else {
    counts_.insert(place, {token, rows});
  }
}

void TokenCounts::add(const TokenCounts& other) {
  // A phrase has few tokens; another record may have as many as this one.
  constexpr std::size_t kFew = 64;
  if (other.counts_.size() <= kFew || other.counts_.size() * 8 < counts_.size()) {
    for (const TokenCount& count : other.counts_) add(count.token, count.rows);
    return;
  }
  std::vector<TokenCount> sum;
  sum.reserve(counts_.size() + other.counts_.size());
  auto mine = counts_.begin();
  for (const TokenCount& count : other.counts_) {
    while (mine != counts_.end() && mine->token < count.token) sum.push_back(*mine++);
    sum.push_back(count);
    if (mine != counts_.end() && mine->token == count.token) sum.back().rows += (mine++)->rows;
  }
  sum.insert(sum.end(), mine, counts_.end());
  counts_ = std::move(sum);
}

bool TokenCounts::contains(std::uint64_t token) const {
  return std::binary_search(counts_.begin(), counts_.end(), TokenCount{token, 0}, before);
}

void TokenCounts::keep(std::size_t most) {
  if (counts_.size() <= most) return;
  counts_ = top(most);
  std::sort(counts_.begin(), counts_.end(), before);
}

std::vector<TokenCount> TokenCounts::top(std::size_t most) const {
  std::vector<TokenCount> sorted = counts_;
  const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(std::min(most, sorted.size()));
  std::partial_sort(sorted.begin(), end, sorted.end(), has_more_rows);
  sorted.erase(end, sorted.end());
  return sorted;
}

}  // namespace headscope
