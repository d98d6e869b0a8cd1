// The shortest list of events that still fails: delta debugging (Zeller, Hildebrandt: Simplifying and Isolating
// Failure-Inducing Input, 2002).
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

namespace headscope::ui {

// `fails` says whether a list fails as `all` does. First the shortest tail of doubled length that fails, then parts are
// left out until none can be. Asks at most `most` times.
template <typename Item>
std::vector<Item> shrunk(const std::vector<Item>& all, const std::function<bool(const std::vector<Item>&)>& fails,
                         int most = 4000) {
  const auto asks = [&](const std::vector<Item>& list) { return --most >= 0 && fails(list); };
  std::vector<Item> rest = all;
  for (std::size_t length = 1; length < all.size(); length *= 2) {
    const std::vector<Item> tail(all.end() - static_cast<std::ptrdiff_t>(length), all.end());
    if (!asks(tail)) continue;
    rest = tail;
    break;
  }
  std::size_t part = std::max<std::size_t>(1, rest.size() / 2);
  while (most > 0) {
    bool shorter = false;
    for (std::size_t begin = 0; begin < rest.size();) {
      std::vector<Item> without = rest;
      const std::size_t end = std::min(begin + part, rest.size());
      without.erase(without.begin() + static_cast<std::ptrdiff_t>(begin),
                    without.begin() + static_cast<std::ptrdiff_t>(end));
      if (!without.empty() && asks(without)) {
        rest = std::move(without);
        shorter = true;
      } else {
        begin = end;
      }
    }
    if (part == 1 && !shorter) break;
    part = std::max<std::size_t>(1, part / 2);
  }
  return rest;
}

}  // namespace headscope::ui
