#include "core/cost/memory_speed.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "core/base/system/machine.h"
#include "core/base/thread_pool.h"

namespace headscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kMostBytes = 64 << 20;  // of a block: beyond the caches of most machines
constexpr double kLeastBytes = 8 << 20;
constexpr std::size_t kPiece = std::size_t{4} << 20;  // what a thread copies at a time
constexpr int kMostCopies = 8;
constexpr double kSeconds = 0.08;  // copies begin within it

}  // namespace

double measured_memory_speed(int threads) {
  const double free = system::free_memory();
  const double wanted = free > 0 ? std::clamp(free / 8, kLeastBytes, kMostBytes) : kMostBytes;
  const auto pieces = static_cast<std::int64_t>(wanted / static_cast<double>(kPiece));
  const std::size_t size = static_cast<std::size_t>(pieces) * kPiece;
  const std::unique_ptr<char[]> from(new char[size]), to(new char[size]);
  ThreadPool pool(std::max(1, threads));
  const auto all = [&](auto&& piece) {
    pool.run(pieces, true, [&](std::int64_t at) { piece(static_cast<std::size_t>(at) * kPiece); });
  };
  // The system gives memory when it is first written to; that is not counted.
  all([&](std::size_t at) {
    std::memset(from.get() + at, 1, kPiece);
    std::memset(to.get() + at, 0, kPiece);
  });
  double best = 0;
  const Clock::time_point begin = Clock::now();
  for (int copy = 0; copy < kMostCopies; ++copy) {
    const Clock::time_point start = Clock::now();
    all([&](std::size_t at) { std::memcpy(to.get() + at, from.get() + at, kPiece); });
    const Clock::time_point end = Clock::now();
    best = std::max(best, 2.0 * static_cast<double>(size) / std::chrono::duration<double>(end - start).count());
    if (std::chrono::duration<double>(end - begin).count() > kSeconds) break;
  }
  // Read, so that no compiler leaves the copies out.
  return to[size / 2] == 1 ? best : 0;
}

}  // namespace headscope
