#include "core/io/mapping_guard.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/io/changed_file.h"

namespace headscope {
namespace {

constexpr int kMostMappings = 4096;

// What the signal handler reads: it may take no lock. A slot with begin 0 is free.
struct Slot {
  std::atomic<std::uintptr_t> begin{0}, end{0};
  std::atomic<bool> lost{false};
};

// One for the process, as the signal's action is.
struct Registry {
  std::mutex mutex;  // held while mappings begin, end and are checked
  std::vector<const MappingGuard*> guards;
  std::uint64_t next_id = 0;
  struct Closed {
    std::uint64_t id;
    std::string path;
  };
  std::vector<Closed> closed_with_losses;
};

std::array<Slot, kMostMappings>& slots() {
  static std::array<Slot, kMostMappings> all;
  return all;
}

Registry& registry() {
  static Registry one;
  return one;
}

std::atomic<int> slots_used{0};  // all that were ever taken lie below
struct sigaction previous_action;
std::uintptr_t page_size = 4096;

extern "C" void on_bus_error(int, siginfo_t* info, void*) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const int used = slots_used.load();
  for (int k = 0; k < used; ++k) {
    Slot& slot = slots()[static_cast<std::size_t>(k)];
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

void install_once() {
  static std::once_flag once;
  std::call_once(once, [] {
    slots();
    page_size = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    struct sigaction action {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, &previous_action);
  });
}

}  // namespace

MappingGuard::MappingGuard(const void* data, std::size_t size, std::string path, int file)
    : file_(file), path_(std::move(path)), size_(size) {
  install_once();
  struct stat status {};
  if (::fstat(file_, &status) == 0) modified_ = {status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
  const std::lock_guard lock(registry().mutex);
  id_ = registry().next_id++;
  registry().guards.push_back(this);
  for (int k = 0; k < kMostMappings; ++k) {
    Slot& slot = slots()[static_cast<std::size_t>(k)];
    if (slot.begin.load() != 0) continue;
    slot.lost = false;
    slot.end = reinterpret_cast<std::uintptr_t>(data) + size;
    slot.begin = reinterpret_cast<std::uintptr_t>(data);
    if (slots_used.load() <= k) slots_used = k + 1;
    slot_ = k;
    return;
  }
}

MappingGuard::~MappingGuard() {
  const std::lock_guard lock(registry().mutex);
  std::erase(registry().guards, this);
  ::close(file_);
  if (slot_ < 0) return;
  Slot& slot = slots()[static_cast<std::size_t>(slot_)];
  if (slot.lost.load() && !forgiven_) registry().closed_with_losses.push_back({id_, path_});
  slot.begin = 0;
}

bool MappingGuard::changed() const {
  if (slot_ >= 0 && slots()[static_cast<std::size_t>(slot_)].lost.load()) return true;
  struct stat status {};
  if (::fstat(file_, &status) != 0) return true;
  // The end of the last page reads as zeros without a signal when the file loses it.
  return static_cast<std::size_t>(status.st_size) < size_ ||
         Modified{status.st_mtim.tv_sec, status.st_mtim.tv_nsec} != modified_;
}

void MappingGuard::check() const {
  if (changed()) throw changed_file_error(path_);
}

void check_mapped_files() {
  const std::lock_guard lock(registry().mutex);
  for (const MappingGuard* guard : registry().guards) guard->check();
  if (registry().closed_with_losses.empty()) return;
  const std::string path = std::move(registry().closed_with_losses.back().path);
  registry().closed_with_losses.pop_back();
  throw changed_file_error(path);
}

MappingChanges::MappingChanges() {
  const std::lock_guard lock(registry().mutex);
  for (const MappingGuard* guard : registry().guards) {
    if (guard->changed()) before_.push_back(guard->id_);
  }
}

void MappingChanges::check() const {
  const std::lock_guard lock(registry().mutex);
  const auto known = [&](std::uint64_t id) { return std::binary_search(before_.begin(), before_.end(), id); };
  for (const MappingGuard* guard : registry().guards) {
    if (known(guard->id_)) {
      guard->forgiven_ = true;
    } else {
      guard->check();
    }
  }
  auto& closed = registry().closed_with_losses;
  std::erase_if(closed, [&](const Registry::Closed& one) { return known(one.id); });
  if (closed.empty()) return;
  const std::string path = std::move(closed.back().path);
  closed.pop_back();
  throw changed_file_error(path);
}

}  // namespace headscope
