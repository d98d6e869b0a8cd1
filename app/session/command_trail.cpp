#include "app/session/command_trail.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

namespace headscope {

namespace {

constexpr int kMost = 20, kLongest = 48;

struct Trail {
  std::array<std::array<char, kLongest>, kMost> titles = {};
  std::array<int, kMost> sizes = {};
  std::atomic<int> noted{0};  // so many in all
};

// Constant initialisation: a signal may come at any time.
constinit Trail trail;

}  // namespace

void note_command(std::string_view title) {
  const int at = trail.noted.load() % kMost;
  const auto size = static_cast<int>(std::min<std::size_t>(title.size(), kLongest));
  std::memcpy(trail.titles[static_cast<std::size_t>(at)].data(), title.data(), static_cast<std::size_t>(size));
  trail.sizes[static_cast<std::size_t>(at)] = size;
  trail.noted = trail.noted.load() + 1;
}

void each_noted_command(void (*write)(const char* text, int size)) {
  const int noted = trail.noted.load();
  for (int k = std::max(0, noted - kMost); k < noted; ++k) {
    const auto at = static_cast<std::size_t>(k % kMost);
    write(trail.titles[at].data(), trail.sizes[at]);
  }
}

}  // namespace headscope
