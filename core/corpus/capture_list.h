// A folder of captures: a phrase each, whose weights another program computed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/corpus/head_vectors.h"
#include "core/model/folder_stamp.h"

namespace headscope {

// What the header of a capture says of its model: the same in all captures of a folder.
struct CaptureHeading {
  std::string model, sha256, tokenizer;        // metadata model, model_sha256, tokenizer; "" where it says nothing
  std::map<std::int64_t, std::int64_t> heads;  // how many each captured layer has
  // How many numbers the queries, keys and values of each captured layer have, 0 where it has none; of its outputs as
  // many as of its values, which they are computed from.
  std::map<std::int64_t, VectorSizes> vectors;
};

class CaptureList {
 public:
  // The folder's own files named *.safetensors, sorted by name byte by byte, without those whose name begins with a
  // dot. Only their headers are read. Error when there is none, or none that is a capture; UsageError when two are of
  // different models or have other layers or heads; Cancelled.
  static CaptureList open(const std::string& folder, const CancelToken& cancel = {});

  std::int64_t size() const { return static_cast<std::int64_t>(files_.size()); }
  // Of the size and the header of every file in their order, and not of their numbers.
  const std::string& sha256() const { return sha256_; }
  const CaptureHeading& heading() const { return heading_; }
  const std::string& path(std::int64_t index) const { return files_[static_cast<std::size_t>(index)].path; }
  // Why its header is none of a capture; "" when it is.
  const std::string& problem(std::int64_t index) const { return files_[static_cast<std::size_t>(index)].problem; }
  // Error when the file is another one than it was.
  void check_unchanged(std::int64_t index) const;

 private:
  struct File {
    std::string path;
    FileStamp stamp;
    std::string problem;
  };
  void look_at_headers(const CancelToken& cancel);

  std::vector<File> files_;
  CaptureHeading heading_;
  std::string sha256_;
};

}  // namespace headscope
