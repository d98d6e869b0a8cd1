// Where the tokens of a trace stand: what metrics need to know about them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/attention/trace.h"

namespace headscope {

// What the metrics need to know about the tokens of a trace, the same for all its heads.
class TokenPlaces {
 public:
  explicit TokenPlaces(const Trace& trace);

  // Queries and keys are the same tokens: only then there are neighbours, distances and earlier occurrences.
  bool positions_agree() const { return positions_agree_; }
  std::int64_t token_len() const { return token_len_; }
  // Key positions of special tokens ([CLS], <s> ...), increasing.
  const std::vector<std::int64_t>& special_keys() const { return special_keys_; }
  // All positions that hold the token of position i, increasing; empty where positions do not agree.
  std::span<const std::int64_t> same_as(std::int64_t i) const;

 private:
  template <typename Token>
  void find_repeats(const std::vector<Token>& tokens);

  bool positions_agree_ = false;
  std::int64_t token_len_ = 0;
  std::vector<std::int64_t> special_keys_;
  std::vector<std::size_t> token_of_;                 // the distinct token at each position
  std::vector<std::vector<std::int64_t>> positions_;  // of each distinct token
};

}  // namespace headscope
