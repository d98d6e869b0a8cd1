// The results that a followed file has had, one an update: what the time slider of the window goes through.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/attention/trace.h"

namespace headscope {

inline constexpr std::size_t kMostUpdateBytes = std::size_t{32} << 20;

// The result of a file as it was at one time.
struct FileUpdate {
  std::shared_ptr<const Trace> trace;  // never null
  std::int64_t number = 0;             // 1, 2, 3 ...: of all updates, also those that are no longer kept
};

// Bytes of the tensors that a trace stores or reads from a file: its stages, inputs, all layers and weights of its
// model.
std::size_t stored_bytes(const Trace& trace);

class Updates {
 public:
  explicit Updates(std::size_t most_bytes = kMostUpdateBytes) : most_bytes_(most_bytes) {}

  // The newest update. While more than `most_bytes` are kept, the one goes that leaves the smallest gap of numbers, and
  // of equal gaps the oldest: what is left is spread over the whole time. First, newest and shown stay.
  void keep(std::shared_ptr<const Trace> trace);
  void clear();

  const std::vector<FileUpdate>& kept() const { return kept_; }  // the oldest first
  std::int64_t count() const { return count_; }                  // of all since clear()
  std::size_t bytes() const { return bytes_; }                   // of kept()

  // Shows kept()[index] in the place of the newest; from the last on the newest is followed. Nothing while none is
  // kept.
  void show(std::size_t index);
  void follow() { past_.reset(); }
  // What is shown in the place of the newest; null while the newest is followed.
  const FileUpdate* past() const { return past_ ? &kept_[*past_] : nullptr; }
  // Of what is shown; 0 while none is kept.
  std::size_t shown() const;

 private:
  void leave_out_one();

  std::size_t most_bytes_, bytes_ = 0;
  std::int64_t count_ = 0;
  std::vector<FileUpdate> kept_;
  std::vector<std::size_t> bytes_of_kept_;
  std::optional<std::size_t> past_;  // in kept_, never the last
};

}  // namespace headscope
