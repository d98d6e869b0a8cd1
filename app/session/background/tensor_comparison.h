// Compares stages that the user's own code computed with the shown result, as a job.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/diagnose/diagnose.h"
#include "core/diagnose/stage_sides.h"

namespace headscope {

// A file of the user's code; when `stage` is nullopt, the file's name or shape tells the stage, see
// read_external_stages().
struct TheirFile {
  std::string path;
  std::optional<StageId> stage;
  friend bool operator==(const TheirFile&, const TheirFile&) = default;
};

struct TensorComparison {
  struct Part {
    std::string path;
    StageId stage{};
    Shape shape;
  };
  std::shared_ptr<const Trace> trace;  // ours
  std::vector<TheirFile> files;
  std::vector<Part> parts;  // of all files
  Diagnosis diagnosis;
  std::vector<StageSides> sides;  // of the stages of `diagnosis`, in the same order
  // What pictures are drawn from: results that hold these stages alone, as `sides` has them, and else are as `trace`.
  std::shared_ptr<const Trace> ours, theirs, difference;
};

// Keeps the newest comparison. Every function may be called from any thread.
class TensorComparer {
 public:
  // Reads the files, runs diagnose() on them and keeps the answer. Throws Error and UsageError of
  // read_external_stages(), Cancelled.
  void compare(const std::shared_ptr<const Trace>& trace, const std::vector<TheirFile>& files,
               const CancelToken& cancel, const std::function<void(double)>& progress);
  std::shared_ptr<const TensorComparison> newest() const;  // null: none yet
  void forget();

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const TensorComparison> newest_;
};

}  // namespace headscope
