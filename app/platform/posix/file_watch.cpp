#include "app/platform/file_watch.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <system_error>
#include <thread>
#include <utility>

#include "core/model/folder_stamp.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr int kLookAgainMilliseconds = 500;

// Of the file, or of the files directly in a folder.
std::map<std::string, FileStamp> stamps_of(const std::string& path) {
  std::map<std::string, FileStamp> stamps;
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    stamps[path] = file_stamp(path);
    return stamps;
  }
  for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
    stamps[at->path().string()] = file_stamp(at->path().string());
  }
  return stamps;
}

// A descriptor that is closed with it; -1: none, and poll() passes over it.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  const int number_;
};

class WatchingThread : public FileWatch {
 public:
  WatchingThread(const std::string& path, std::function<void()> wake)
      : path_(path),
        stop_(eventfd(0, EFD_CLOEXEC)),
        told_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)),
        stamps_(stamps_of(path)),
        thread_([this, wake = std::move(wake)] { watch(wake); }) {}
  ~WatchingThread() override {
    stopping_ = true;
    const std::uint64_t one = 1;
    // Where this cannot be said, the thread sees the flag when it looks again.
    [[maybe_unused]] const ssize_t written = write(stop_.number(), &one, sizeof one);
    thread_.join();
  }
  WatchingThread(const WatchingThread&) = delete;
  WatchingThread& operator=(const WatchingThread&) = delete;
  bool take_change() override { return changed_.exchange(false); }

 private:
  void watch(const std::function<void()>& wake) {
    std::error_code error;
    fs::path folder = fs::is_directory(path_, error) ? fs::path(path_) : fs::absolute(path_, error).parent_path();
    inotify_add_watch(told_.number(), folder.c_str(), IN_CLOSE_WRITE | IN_MOVED_TO);
    while (!stopping_) {
      pollfd ends[] = {{stop_.number(), POLLIN, 0}, {told_.number(), POLLIN, 0}};
      poll(ends, 2, kLookAgainMilliseconds);
      forget_what_was_told();
      auto now = stamps_of(path_);
      if (stopping_ || now == stamps_) continue;
      stamps_ = std::move(now);
      changed_ = true;
      wake();
    }
  }

  // What it was about is seen from the file itself.
  void forget_what_was_told() {
    alignas(inotify_event) char bytes[4096];
    while (told_.number() >= 0 && read(told_.number(), bytes, sizeof bytes) > 0) {
    }
  }

  const std::string path_;
  const Descriptor stop_, told_;
  std::map<std::string, FileStamp> stamps_;  // of the thread, once it runs
  std::atomic<bool> changed_ = false, stopping_ = false;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<FileWatch> watch_file(const std::string& path, std::function<void()> wake) {
  return std::make_unique<WatchingThread>(path, std::move(wake));
}

}  // namespace headscope
