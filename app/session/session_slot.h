// The place of a window among those that run: its own files of the last session, which no other window writes.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace headscope {

// A lock that other programs see, and that ends with the program whatever ends it.
class FileLock {
 public:
  FileLock() = default;
  ~FileLock();
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  // nullopt when another one has it, or when the file cannot be made.
  static std::optional<FileLock> take(const std::string& path);

 private:
  int descriptor_ = -1;
};

class SessionSlot {
 public:
  // Takes the first place that no running window has. Without a folder for it: the first one, without a lock.
  SessionSlot();
  // The window ended in good order: a start that had begun has not failed.
  ~SessionSlot();
  SessionSlot(const SessionSlot&) = delete;
  SessionSlot& operator=(const SessionSlot&) = delete;

  const std::string& suffix() const { return suffix_; }  // of its files: "", "-2"
  // Call it before the last session is opened, and end_start() when the window shows it. Returns how many starts before
  // this one began and never ended.
  int begin_start();
  void end_start();
  // Puts the last session aside, where no window writes it.
  void put_aside() const;

 private:
  std::string suffix_;
  FileLock lock_;
  bool starting_ = false;
};

// Starts in vain after which a session is put aside instead of opened.
inline constexpr int kMostFailedStarts = 2;

struct KeptSession {
  std::string suffix;      // of its files
  std::string left_at;     // "2026-05-03 14:05": when it was written last
  bool put_aside = false;  // it failed to open; else it is that of a window that does not run
};

// The sessions that no running window has, but for that of `own`; newest first.
std::vector<KeptSession> kept_sessions(const std::string& own);

}  // namespace headscope
