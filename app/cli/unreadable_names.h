// Which phrases of a scan cannot be read: the first ones on the terminal, all of them in a file.
#pragma once

#include <cstdint>
#include <fstream>
#include <functional>
#include <string>

namespace headscope::cli {

// While the scan runs its lines stand in OUT.part.unreadable.txt, which belongs to OUT.part: of a scan that goes on,
// those of the part that is done stay, and are shown again. Where they cannot be written all are shown.
class UnreadableNames {
 public:
  static constexpr std::int64_t kShown = 10;

  // `show` takes a line for the terminal.
  UnreadableNames(std::string out, std::function<void(const std::string&)> show);
  // Where there is no OUT.part, nothing stays.
  ~UnreadableNames();
  UnreadableNames(const UnreadableNames&) = delete;
  UnreadableNames& operator=(const UnreadableNames&) = delete;

  // Before the first phrase: the scan goes on with that of index `next`, or begins.
  void begin(std::int64_t next, bool goes_on);
  // `line` is "THING INDEX ...".
  void add(const std::string& line);
  // After the last phrase: returns OUT.unreadable.txt, which names all of them; "" where there are no more than are
  // shown, and then there is no such file any more.
  std::string finish();

  std::int64_t count() const { return count_; }  // of all runs of the scan, as far as they were found

 private:
  void stop_writing(const std::string& why);

  std::string out_, path_;
  std::function<void(const std::string&)> show_;
  std::ofstream file_;
  std::int64_t count_ = 0;
  bool writes_ = true, finished_ = false;
};

// "OUT.unreadable.txt".
std::string unreadable_names_path(const std::string& out);

}  // namespace headscope::cli
