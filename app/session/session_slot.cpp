#include "app/session/session_slot.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <ctime>
#include <exception>
#include <filesystem>
#include <optional>
#include <ostream>
#include <system_error>
#include <utility>

#include "app/session/last_session.h"
#include "app/session/settings.h"
#include "core/base/system/files.h"
#include "core/base/system/machine.h"
#include "core/io/atomic_file.h"

namespace headscope {

namespace {

constexpr int kMostSlots = 64;
constexpr const char* kAside = "-set-aside";
constexpr std::size_t kMostStartsBytes = 64;

std::string numbered(int number) {
  return number == 1 ? "" : fmt::format("-{}", number);
}

bool is_aside(const std::string& suffix) {
  return suffix.find(kAside) != std::string::npos;
}

int begun_starts(const std::string& path) {
  try {
    const std::string text = read_small_file(path, kMostStartsBytes);
    int count = 0;
    std::from_chars(text.data(), text.data() + text.size(), count);
    return std::clamp(count, 0, 1000);
  } catch (const std::exception&) {
    return 0;
  }
}

std::string local_time(std::time_t seconds) {
  const std::optional<std::tm> parts = system::local_time(seconds);
  char text[64] = "";
  if (parts) std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M", &*parts);
  return text;
}

}  // namespace

FileLock::~FileLock() {
  if (descriptor_ >= 0) system::close_file(descriptor_);
}

FileLock::FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

std::optional<FileLock> FileLock::take(const std::string& path) {
  FileLock lock;
  lock.descriptor_ = system::open_file(path, system::Opening::create_or_keep);
  if (lock.descriptor_ < 0 || !system::lock_file(lock.descriptor_)) return std::nullopt;
  return lock;
}

SessionSlot::SessionSlot() {
  const std::string folder = state_folder();
  std::error_code refused;
  if (folder.empty() || (!std::filesystem::create_directories(folder, refused) && refused)) return;
  for (int number = 1; number <= kMostSlots; ++number) {
    auto lock = FileLock::take(last_session_files(numbered(number)).lock);
    if (!lock) continue;
    suffix_ = numbered(number);
    lock_ = std::move(*lock);
    return;
  }
}

SessionSlot::~SessionSlot() {
  end_start();
}

int SessionSlot::begin_start() {
  const std::string path = last_session_files(suffix_).starts;
  const int before = begun_starts(path);
  try {
    write_file_atomically(
        path, [before](std::ostream& out) { out << before + 1 << '\n'; }, Replaces::own_files);
    starting_ = true;
  } catch (const std::exception&) {
    // Where nothing can be written, no session is kept either.
  }
  return before;
}

void SessionSlot::end_start() {
  if (!std::exchange(starting_, false)) return;
  std::error_code passed_over;
  std::filesystem::remove(last_session_files(suffix_).starts, passed_over);
}

void SessionSlot::put_aside() const {
  std::error_code error;
  for (int number = 1; number <= kMostSlots; ++number) {
    const std::string to = kAside + numbered(number);
    if (std::filesystem::exists(last_session_files(to).session, error)) continue;
    return rename_last_session(suffix_, to);
  }
}

std::vector<KeptSession> kept_sessions(const std::string& own) {
  struct Found {
    KeptSession session;
    std::int64_t written;
  };
  std::vector<Found> found;
  for (const std::string& group : {std::string(), std::string(kAside)}) {
    for (int number = 1; number <= kMostSlots; ++number) {
      const std::string suffix = group + numbered(number);
      if (suffix == own) continue;
      const LastSessionFiles files = last_session_files(suffix);
      const std::optional<system::EntryFacts> facts = system::facts_of(files.session);
      if (!facts) continue;
      const bool aside = is_aside(suffix);
      if (!aside && !FileLock::take(files.lock)) continue;
      found.push_back({{suffix, local_time(facts->seconds), aside}, facts->seconds});
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.written > b.written; });
  std::vector<KeptSession> sessions;
  for (Found& each : found) sessions.push_back(std::move(each.session));
  return sessions;
}

}  // namespace headscope
