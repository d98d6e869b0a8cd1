// Which tokens of two texts belong together.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

// Which positions of two token lists belong together. Of equal lengths: position by position. Else the longest common
// beginning and, of the rest, the longest common end; positions between have no partner.
struct TokenAlignment {
  std::int64_t a_len = 0, b_len = 0;
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;  // (position in A, in B), increasing
  std::vector<std::pair<std::string, std::string>> changed;  // differing tokens of A and B at one place; "" for none
  bool same_lengths() const { return a_len == b_len; }
};
TokenAlignment align_tokens(const std::vector<std::string>& a, const std::vector<std::string>& b);

}  // namespace headscope
