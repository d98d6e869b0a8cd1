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

class Sha256;
struct SafetensorsHeader;

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
  // dot. Their headers are read, and for the digest what add_capture() says: about 1 MiB a file. Error when there is
  // none, or none that is a capture; UsageError when two are of different models or have other layers or heads;
  // Cancelled.
  static CaptureList open(const std::string& folder, const CancelToken& cancel = {});

  std::int64_t size() const { return static_cast<std::int64_t>(files_.size()); }
  // Of every file in their order: its size, what add_capture() takes of header and numbers, and the list of tokens
  // beside it where the file names none. So it tells captures apart that were written anew, and not every change of a
  // few numbers in a file with more than 1 MiB of them.
  const std::string& sha256() const { return sha256_; }
  const CaptureHeading& heading() const { return heading_; }
  const std::string& path(std::int64_t index) const { return files_[static_cast<std::size_t>(index)].path; }
  // Why its header is none of a capture; "" when it is.
  const std::string& problem(std::int64_t index) const { return files_[static_cast<std::size_t>(index)].problem; }
  // How many captures have a layer of queries and keys of which nothing says what they see: no weights beside them, no
  // mask, no `causal`. Every query then sees every key.
  std::int64_t unmasked() const { return unmasked_; }
  // Error when the file, or the list of tokens beside it, is another one than it was.
  void check_unchanged(std::int64_t index) const;

 private:
  struct File {
    std::string path;
    FileStamp stamp;
    std::string problem;
    std::string beside;  // the list of its tokens; "" where it names them itself, or there is none
    FileStamp beside_stamp;
  };
  void look_beside(File& file, const SafetensorsHeader& header, Sha256& sha);
  void look_at_headers(const CancelToken& cancel);

  std::vector<File> files_;
  CaptureHeading heading_;
  std::string sha256_;
  std::int64_t unmasked_ = 0;
};

}  // namespace headscope
