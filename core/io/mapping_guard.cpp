#include "core/io/mapping_guard.h"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/system/files.h"
#include "core/base/system/memory_map.h"
#include "core/io/changed_file.h"

namespace headscope {
namespace {

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

Registry& registry() {
  static Registry one;
  return one;
}

}  // namespace

MappingGuard::MappingGuard(const void* data, std::size_t size, std::string path, int file)
    : file_(file), path_(std::move(path)), size_(size) {
  if (const auto facts = system::facts_of(file_)) modified_ = {facts->seconds, static_cast<long>(facts->nanoseconds)};
  const std::lock_guard lock(registry().mutex);
  id_ = registry().next_id++;
  registry().guards.push_back(this);
  slot_ = system::guard_pages(data, size);
}

MappingGuard::~MappingGuard() {
  const std::lock_guard lock(registry().mutex);
  std::erase(registry().guards, this);
  system::close_file(file_);
  if (slot_ < 0) return;
  if (system::pages_were_lost(slot_) && !forgiven_) registry().closed_with_losses.push_back({id_, path_});
  system::forget_pages(slot_);
}

bool MappingGuard::changed() const {
  if (slot_ >= 0 && system::pages_were_lost(slot_)) return true;
  const std::optional<system::EntryFacts> facts = system::facts_of(file_);
  if (!facts) return true;
  // The end of the last page reads as zeros without a signal when the file loses it.
  return facts->size < size_ || Modified{facts->seconds, static_cast<long>(facts->nanoseconds)} != modified_;
}

void MappingGuard::check() const {
  if (changed()) throw changed_file_error(path_);
}

void check_mapped_files() {
  MappingChanges(std::vector<std::uint64_t>()).check();
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
