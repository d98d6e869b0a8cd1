#include "app/gl/finite_numbers.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <span>
#include <vector>

#include "app/gl/compute_parts.h"

namespace headscope {

bool all_finite(const Tensor& tensor, ThreadPool& threads) {
  if (tensor.empty()) return true;
  constexpr std::int64_t kAtOnce = 1 << 14, kFewParts = 8;
  const std::vector<Region> parts = parts_of(whole(tensor.shape()), [](const Region& part) {
    return element_count(part) <= kAtOnce || element_count(part) == 1;
  });
  std::atomic<bool> finite{true};
  const auto count = static_cast<std::int64_t>(parts.size());
  threads.run(count, count > kFewParts, [&](std::int64_t n) {
    if (!finite) return;
    std::array<float, kAtOnce> numbers;
    const Region& part = parts[static_cast<std::size_t>(n)];
    const auto own = std::span(numbers).first(static_cast<std::size_t>(element_count(part)));
    tensor.read(part, own);
    if (!std::all_of(own.begin(), own.end(), [](float x) { return std::isfinite(x); })) finite = false;
  });
  return finite;
}

}  // namespace headscope
