#include "core/text/token_alignment.h"

#include <algorithm>

namespace headscope {

namespace {

std::vector<std::pair<std::int64_t, std::int64_t>> position_by_position(std::int64_t count) {
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  for (std::int64_t i = 0; i < count; ++i) pairs.push_back({i, i});
  return pairs;
}

}  // namespace

TokenAlignment align_tokens(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  TokenAlignment result;
  result.a_len = static_cast<std::int64_t>(a.size());
  result.b_len = static_cast<std::int64_t>(b.size());
  if (a.size() == b.size()) {
    result.pairs = position_by_position(result.a_len);
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i] != b[i]) result.changed.push_back({a[i], b[i]});
    }
    return result;
  }
  const std::size_t shorter = std::min(a.size(), b.size());
  std::size_t prefix = 0, suffix = 0;
  while (prefix < shorter && a[prefix] == b[prefix]) ++prefix;
  while (suffix < shorter - prefix && a[a.size() - 1 - suffix] == b[b.size() - 1 - suffix]) ++suffix;
  result.pairs = position_by_position(static_cast<std::int64_t>(prefix));
  for (std::size_t k = suffix; k > 0; --k) {
    result.pairs.push_back({static_cast<std::int64_t>(a.size() - k), static_cast<std::int64_t>(b.size() - k)});
  }
  const std::size_t a_middle = a.size() - prefix - suffix, b_middle = b.size() - prefix - suffix;
  for (std::size_t k = 0; k < std::max(a_middle, b_middle); ++k) {
    result.changed.push_back({k < a_middle ? a[prefix + k] : "", k < b_middle ? b[prefix + k] : ""});
  }
  return result;
}

}  // namespace headscope
