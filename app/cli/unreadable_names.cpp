#include "app/cli/unreadable_names.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/cli/output.h"
#include "core/corpus/scan_job.h"
#include "core/io/files_read.h"

namespace headscope::cli {

namespace {

constexpr const char* kEnding = ".unreadable.txt";

// 12 of "phrase 12 (line 13) ...".
std::optional<std::int64_t> index_of(std::string_view line) {
  const std::size_t blank = line.find(' ');
  if (blank == line.npos) return std::nullopt;
  std::int64_t index = 0;
  const char* end = line.data() + line.size();
  const auto [next, error] = std::from_chars(line.data() + blank + 1, end, index);
  return error == std::errc() && index >= 0 ? std::optional(index) : std::nullopt;
}

}  // namespace

std::string unreadable_names_path(const std::string& out) {
  return out + kEnding;
}

UnreadableNames::UnreadableNames(std::string out, std::function<void(const std::string&)> show)
    : out_(std::move(out)), path_(scan_state_path(out_) + kEnding), show_(std::move(show)) {}

UnreadableNames::~UnreadableNames() {
  std::error_code error;
  if (finished_ || !file_.is_open() || std::filesystem::exists(scan_state_path(out_), error)) return;
  file_.close();
  std::filesystem::remove(path_, error);
}

void UnreadableNames::begin(std::int64_t next, bool goes_on) {
  check_not_read(path_);
  check_not_read(unreadable_names_path(out_));
  std::error_code error;
  std::uintmax_t kept = 0;
  if (goes_on) {
    std::ifstream before(path_, std::ios::binary);
    // The last line may be a half one, and those of phrases that are scanned again come again.
    for (std::string line; std::getline(before, line) && !before.eof();) {
      const std::optional<std::int64_t> index = index_of(line);
      if (!index || *index >= next) break;
      kept += line.size() + 1;
      if (++count_ <= kShown) show_(line);
    }
  }
  if (!std::filesystem::exists(path_, error)) return;
  if (kept == 0) {
    std::filesystem::remove(path_, error);
  } else {
    std::filesystem::resize_file(path_, kept, error);
  }
  if (error) stop_writing(error.message());
}

void UnreadableNames::add(const std::string& line) {
  if (writes_ && !file_.is_open()) {
    file_.open(path_, std::ios::binary | std::ios::app);
    if (!file_) stop_writing("it cannot be opened");
  }
  if (writes_) {
    file_ << printable(line) << '\n' << std::flush;
    if (!file_) stop_writing("the system refuses to");
  }
  if (++count_ <= kShown || !writes_) show_(line);
}

void UnreadableNames::stop_writing(const std::string& why) {
  writes_ = false;
  show_(fmt::format("{} cannot be written: {}; all phrases that cannot be read are named here", path_, why));
}

std::string UnreadableNames::finish() {
  finished_ = true;
  file_.close();
  const std::string all = unreadable_names_path(out_);
  std::error_code error;
  if (writes_ && count_ > kShown) {
    std::filesystem::rename(path_, all, error);
    return error ? path_ : all;
  }
  std::filesystem::remove(all, error);
  std::filesystem::remove(path_, error);
  return "";
}

}  // namespace headscope::cli
