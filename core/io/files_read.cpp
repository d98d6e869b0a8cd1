#include "core/io/files_read.h"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

#include "core/base/error.h"

namespace headscope {

namespace {

namespace fs = std::filesystem;

using Identity = std::pair<std::uint64_t, std::uint64_t>;  // device, number

struct Noted {
  std::string path;  // absolute, as it was read
  system::EntryFacts facts;
  ReadAs as = ReadAs::input;
};

// By path, the newest file that was read there: a file that is followed is replaced again and again. By file, the path.
struct Registry {
  std::mutex mutex;  // of what follows
  std::map<Identity, Noted> files;
  std::map<std::string, Identity> paths;
};

// Never destroyed: threads may read while what is static ends.
Registry& registry() {
  static Registry& all = *new Registry;
  return all;
}

thread_local ReadAs reading_as = ReadAs::input;

Identity identity_of(const system::EntryFacts& facts) {
  return {facts.device, facts.number};
}

std::string absolute_path(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  return error ? path : absolute.lexically_normal().string();
}

bool is_allowed(ReadAs as, Replaces replaces) {
  return (as == ReadAs::session && replaces == Replaces::sessions) ||
         (as == ReadAs::mask && replaces == Replaces::masks);
}

// Returns whether it is the file that was read: the system gives the number of one that is gone to another.
bool is_there_still(const Noted& noted, const system::EntryFacts& now) {
  const std::optional<system::EntryFacts> there = system::facts_of(noted.path);
  if (there && identity_of(*there) == identity_of(now)) return true;
  return noted.facts.size == now.size && noted.facts.seconds == now.seconds &&
         noted.facts.nanoseconds == now.nanoseconds;
}

}  // namespace

ReadingAs::ReadingAs(ReadAs as) noexcept : before_(std::exchange(reading_as, as)) {}

ReadingAs::~ReadingAs() {
  reading_as = before_;
}

void note_read(const std::string& path, const system::EntryFacts& facts) {
  if (reading_as == ReadAs::passing || facts.kind != system::EntryKind::regular) return;
  const std::string absolute = absolute_path(path);
  const Identity identity = identity_of(facts);
  Registry& all = registry();
  const std::lock_guard held(all.mutex);
  const auto [place, is_new_path] = all.paths.try_emplace(absolute, identity);
  if (!is_new_path && place->second != identity) {
    const auto older = all.files.find(place->second);
    if (older != all.files.end() && older->second.path == absolute) all.files.erase(older);
    place->second = identity;
  }
  const auto [known, is_new] = all.files.try_emplace(identity, Noted{absolute, facts, reading_as});
  if (is_new) return;
  Noted& noted = known->second;
  if (!is_there_still(noted, facts)) {
    noted = {absolute, facts, reading_as};
  } else if (noted.as != reading_as) {
    noted.as = ReadAs::input;
  }
}

void check_not_read(const std::string& path, Replaces replaces) {
  if (replaces == Replaces::own_files) return;
  const std::optional<system::EntryFacts> facts = system::facts_of(path);
  if (!facts || facts->kind != system::EntryKind::regular) return;
  Registry& all = registry();
  const std::lock_guard held(all.mutex);
  const auto known = all.files.find(identity_of(*facts));
  if (known == all.files.end() || is_allowed(known->second.as, replaces)) return;
  if (!is_there_still(known->second, *facts)) return;
  const bool same_name = known->second.path == absolute_path(path);
  throw UsageError("",
                   fmt::format("{}: is read here{}, and would be replaced", path,
                               same_name ? std::string() : " as " + known->second.path),
                   "another name or folder for what is written");
}

void forget_files_read() {
  Registry& all = registry();
  const std::lock_guard held(all.mutex);
  all.files.clear();
  all.paths.clear();
}

}  // namespace headscope
