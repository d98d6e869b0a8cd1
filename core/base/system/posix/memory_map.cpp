#include "core/base/system/memory_map.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <mutex>

namespace headscope::system {

namespace {

constexpr int kMostMappings = 4096;

// What the signal handler reads: it may take no lock. A slot with begin 0 is free.
struct PageSlot {
  std::atomic<std::uintptr_t> begin{0}, end{0};
  std::atomic<bool> lost{false};
};

std::array<PageSlot, kMostMappings>& page_slots() {
  static std::array<PageSlot, kMostMappings> all;
  return all;
}

std::atomic<int> slots_used{0};  // all that were ever taken lie below
struct sigaction previous_action;
std::uintptr_t page_size = 4096;

extern "C" void on_bus_error(int, siginfo_t* info, void*) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const int used = slots_used.load();
  for (int k = 0; k < used; ++k) {
    PageSlot& slot = page_slots()[static_cast<std::size_t>(k)];
    const std::uintptr_t begin = slot.begin.load(), end = slot.end.load();
    if (begin == 0 || address < begin || address >= end) continue;
    const std::uintptr_t page = address & ~(page_size - 1);
    // Zeros from here to the mapping's end: what follows is lost as well.
    void* const zeros =
        ::mmap(reinterpret_cast<void*>(page), end - page, PROT_READ, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (zeros == MAP_FAILED) break;
    slot.lost = true;
    return;
  }
  // The address is in no guarded mapping: the instruction faults again, under the signal action that was there before.
  ::sigaction(SIGBUS, &previous_action, nullptr);
  if (info->si_code <= 0) ::raise(SIGBUS);  // sent by a program: nothing faults again
}

void guard_from_bus_errors() {
  static std::once_flag once;
  std::call_once(once, [] {
    page_slots();
    page_size = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    struct sigaction action {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, &previous_action);
  });
}

}  // namespace

const void* map_file(int descriptor, std::size_t size) noexcept {
  void* const memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

void unmap_file(const void* data, std::size_t size) noexcept {
  ::munmap(const_cast<void*>(data), size);
}

std::size_t next_stored(int descriptor, std::size_t offset, std::size_t size) noexcept {
  const off_t found = ::lseek(descriptor, static_cast<off_t>(offset), SEEK_DATA);
  if (found < 0) return errno == ENXIO ? size : offset;
  return std::min(static_cast<std::size_t>(found), size);
}

int guard_pages(const void* data, std::size_t size) {
  guard_from_bus_errors();
  for (int k = 0; k < kMostMappings; ++k) {
    PageSlot& slot = page_slots()[static_cast<std::size_t>(k)];
    if (slot.begin.load() != 0) continue;
    slot.lost = false;
    slot.end = reinterpret_cast<std::uintptr_t>(data) + size;
    slot.begin = reinterpret_cast<std::uintptr_t>(data);
    if (slots_used.load() <= k) slots_used = k + 1;
    return k;
  }
  return -1;
}

bool pages_were_lost(int guarded) noexcept {
  return page_slots()[static_cast<std::size_t>(guarded)].lost.load();
}

void forget_pages(int guarded) noexcept {
  page_slots()[static_cast<std::size_t>(guarded)].begin = 0;
}

}  // namespace headscope::system
