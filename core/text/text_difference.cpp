#include "core/text/text_difference.h"

#include <algorithm>

namespace headscope {

std::pair<std::string, std::string> from_where_they_part(const std::string& a, const std::string& b, std::size_t most) {
  if (a == b || std::max(a.size(), b.size()) <= most) return {a, b};
  const auto differ = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  const auto same = static_cast<std::size_t>(differ.first - a.begin());
  std::size_t begin = same == 0 ? std::string::npos : a.rfind(' ', same - 1);
  if (begin != std::string::npos && begin > 0) begin = a.rfind(' ', begin - 1);
  if (begin == std::string::npos) return {a, b};
  return {"…" + a.substr(begin), "…" + b.substr(begin)};
}

}  // namespace headscope
