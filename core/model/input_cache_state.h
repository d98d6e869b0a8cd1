// The contents of an InputCache. Internal to core/model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/cancel.h"
#include "core/io/npy.h"
#include "core/model/checkpoint.h"
#include "core/model/folder_stamp.h"
#include "core/model/input_cache.h"
#include "core/model/layer_weights.h"
#include "core/model/named_arrays.h"
#include "core/model/own_arrays.h"
#include "core/request/request.h"
#include "core/tensor/tensor.h"

namespace headscope {

struct FeatureInput;
struct ImageInput;

// Everything that the seeded draws depend on. The sizes of the sequence are 0 when it is not drawn.
struct SeededDraws {
  std::uint64_t seed = 0;
  std::int64_t batch = 0, seq_len = 0, key_len = 0;
  std::int64_t input_dim = 0, key_input_dim = 0;
  bool layer = false;  // false: only the sequence is drawn, the layer comes from a file
  std::int64_t d_model = 0;
  std::int64_t grouped_heads = 0, grouped_kv_heads = 0;  // 0 for a fused draw, which does not depend on heads
  double init_gain = 1.0;
  friend bool operator==(const SeededDraws&, const SeededDraws&) = default;
};

struct DrawnTensors {
  Tensor x, key_x;  // of --embedding sequence, else empty
  LayerWeights weights;
};

struct InputCache::State {
  CancelToken cancel;                 // of the request that is being loaded
  std::vector<std::string> readings;  // of that request: how files were read that could have been read otherwise
  OwnArrays own_arrays;               // of that request, hashed once

  // Drawn now or kept: the newest few draws are kept, newest first.
  DrawnTensors drawn(const SeededDraws& key);

  // word_vectors() into rows of [words, input_dim], each word drawn once.
  void read_vectors(std::uint64_t seed, const std::vector<std::string>& words, std::int64_t input_dim,
                    std::span<float> out);

  // The contents of files, copied out of any mapping; read again when size or time of change differ.
  const NpyArray& npy(const std::string& path);
  const Tensor& csv(const std::string& path);
  const NamedArrays& arrays(const std::string& path);
  const LayerWeights& layer(const std::string& path, QkvLayout layout);

  // The open checkpoint of a folder or demo; opened again when one of its files changed on disk. Keeps one.
  std::shared_ptr<const Checkpoint> checkpoint(const std::string& path_or_demo, Tower tower);

  // An image as the checkpoint's model reads it.
  std::shared_ptr<const ImageInput> image(const std::string& path, const std::shared_ptr<const Checkpoint>& checkpoint);

  // Features of a sound as the checkpoint's model reads them.
  std::shared_ptr<const FeatureInput> features(const std::string& path,
                                               const std::shared_ptr<const Checkpoint>& checkpoint);

  // Error when a file of the open checkpoint has changed.
  void check_checkpoint() const;

  // Forgets files that were not used since the last call.
  void forget_unused_files();

 private:
  template <typename Content>
  struct CachedFile {
    FileStamp stamp;
    Content content;
    bool used = true;
  };
  template <typename Key, typename Content, typename Read>
  const Content& cached(std::map<Key, CachedFile<Content>>& files, const Key& key, const std::string& path,
                        const Read& read);

  std::vector<std::pair<SeededDraws, DrawnTensors>> draws_;
  std::uint64_t word_seed_ = 0;
  std::int64_t word_dim_ = -1;
  std::unordered_map<std::string, std::vector<float>> words_;
  std::map<std::string, CachedFile<NpyArray>> npy_files_;
  std::map<std::string, CachedFile<Tensor>> csv_files_;
  std::map<std::string, CachedFile<NamedArrays>> array_files_;
  std::map<std::pair<std::string, QkvLayout>, CachedFile<LayerWeights>> layers_;
  using ImageKey = std::pair<std::string, std::shared_ptr<const Checkpoint>>;
  std::map<ImageKey, CachedFile<std::shared_ptr<const ImageInput>>> images_;
  std::map<ImageKey, CachedFile<std::shared_ptr<const FeatureInput>>> features_;
  std::shared_ptr<const Checkpoint> checkpoint_;
  std::optional<FolderStamp> checkpoint_stamp_;
};

}  // namespace headscope
