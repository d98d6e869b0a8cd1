#include "app/platform/file_watch.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr int kLookAgainMilliseconds = 500;

// What a write changes of a file; all zero where there is none.
using Mark = std::tuple<ino_t, off_t, std::int64_t, std::int64_t>;

Mark mark_of(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) return {};
  return {found.st_ino, found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec};
}

std::map<std::string, Mark> marks_of(const std::string& path) {
  std::map<std::string, Mark> marks;
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    marks[path] = mark_of(path);
    return marks;
  }
  for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
    marks[at->path().string()] = mark_of(at->path().string());
  }
  return marks;
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
        marks_(marks_of(path)),
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
      auto now = marks_of(path_);
      if (stopping_ || now == marks_) continue;
      marks_ = std::move(now);
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
  std::map<std::string, Mark> marks_;  // of the thread, once it runs
  std::atomic<bool> changed_ = false, stopping_ = false;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<FileWatch> watch_file(const std::string& path, std::function<void()> wake) {
  return std::make_unique<WatchingThread>(path, std::move(wake));
}

}  // namespace headscope
