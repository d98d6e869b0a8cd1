// How many rows a token had: exact numbers, which depend on no order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace headscope {

struct TokenCount {
  std::uint64_t token = 0;  // its id in the vocabulary
  std::uint64_t rows = 0;   // 1 or more
  friend bool operator==(const TokenCount&, const TokenCount&) = default;
};

class TokenCounts {
 public:
  void add(std::uint64_t token, std::uint64_t rows = 1);
  // Associative and commutative, to the bit.
  void add(const TokenCounts& other);
  // Only the `most` with the most rows stay; of equal ones those with the smaller ids.
  void keep(std::size_t most);
  bool contains(std::uint64_t token) const;
  void clear() { counts_.clear(); }

  // Ascending by token.
  const std::vector<TokenCount>& all() const { return counts_; }
  // At most so many, the most rows first, then by token.
  std::vector<TokenCount> top(std::size_t most) const;
  friend bool operator==(const TokenCounts&, const TokenCounts&) = default;

 private:
  std::vector<TokenCount> counts_;
};

}  // namespace headscope
