#include "core/model/input_cache_state.h"

#include <algorithm>
#include <utility>

#include "core/io/changed_file.h"
#include "core/io/csv.h"
#include "core/model/feature_input.h"
#include "core/model/image_input.h"
#include "core/model/seeded.h"

namespace headscope {
namespace {

constexpr std::size_t kDrawsKept = 2;  // the current ones and those before the last change
// Every key that is typed makes a new word, so that this much is reached: 4 MiB of floats, and twice what one request
// has.
constexpr std::size_t kWordValuesKept = std::size_t{1} << 20;

void copy_out_of_mapping(Linear& linear) {
  linear.weight = linear.weight.dense_copy_as_it_lies();
  linear.bias = linear.bias.dense_copy();
}

}  // namespace

InputCache::InputCache() : state_(std::make_unique<State>()) {}
InputCache::~InputCache() = default;

DrawnTensors InputCache::State::drawn(const SeededDraws& key) {
  const auto known = std::find_if(draws_.begin(), draws_.end(), [&](const auto& entry) { return entry.first == key; });
  if (known != draws_.end()) {
    std::rotate(draws_.begin(), known, known + 1);
    return draws_.front().second;
  }
  TorchGenerator generator(key.seed, cancel);
  DrawnTensors tensors;
  if (key.seq_len > 0) tensors.x = draw_sequence(generator, key.batch, key.seq_len, key.input_dim);
  if (key.key_len > 0) tensors.key_x = draw_sequence(generator, key.batch, key.key_len, key.key_input_dim);
  if (key.layer) {
    const bool grouped = key.grouped_heads > 0;
    tensors.weights = draw_layer(
        generator, {key.input_dim, key.d_model, grouped ? key.grouped_heads : 1, grouped ? key.grouped_kv_heads : 1},
        key.init_gain, QkvLayout::automatic);
    tensors.weights.source = "seeded " + std::to_string(key.seed);
  }
  if (draws_.size() == kDrawsKept) draws_.pop_back();
  draws_.insert(draws_.begin(), {key, tensors});
  return tensors;
}

void InputCache::State::read_vectors(std::uint64_t seed, const std::vector<std::string>& words, std::int64_t input_dim,
                                     std::span<float> out) {
  const auto dim = static_cast<std::size_t>(std::max<std::int64_t>(input_dim, 1));
  if (seed != word_seed_ || input_dim != word_dim_ || words_.size() * dim > kWordValuesKept + 2 * words.size() * dim) {
    words_.clear();
    word_seed_ = seed;
    word_dim_ = input_dim;
  }
  auto row = out.begin();
  for (const std::string& word : words) {
    cancel.check();
    const auto [known, is_new] = words_.try_emplace(word);
    if (is_new) known->second = word_vectors(seed, {word}, input_dim).values();
    row = std::copy(known->second.begin(), known->second.end(), row);
  }
}

template <typename Key, typename Content, typename Read>
const Content& InputCache::State::cached(std::map<Key, CachedFile<Content>>& files, const Key& key,
                                         const std::string& path, const Read& read) {
  const FileStamp stamp = file_stamp(path);
  const auto known = files.find(key);
  if (known != files.end() && known->second.stamp == stamp) {
    known->second.used = true;
    return known->second.content;
  }
  if (known != files.end()) files.erase(known);
  Content content = read();
  if (file_stamp(path) != stamp) throw changed_file_error(path);
  return files.emplace(key, CachedFile<Content>{stamp, std::move(content)}).first->second.content;
}

const NpyArray& InputCache::State::npy(const std::string& path) {
  return cached(npy_files_, path, path, [&] {
    NpyArray array = read_npy(path);
    array.tensor = array.tensor.dense_copy();
    return array;
  });
}

const Tensor& InputCache::State::csv(const std::string& path) {
  return cached(csv_files_, path, path, [&] { return read_csv_matrix(path); });
}

const NamedArrays& InputCache::State::arrays(const std::string& path) {
  return cached(array_files_, path, path, [&] { return read_named_arrays(path); });
}

const LayerWeights& InputCache::State::layer(const std::string& path, QkvLayout layout) {
  return cached(layers_, std::pair(path, layout), path, [&] {
    LayerWeights weights = read_layer_weights(path, layout);
    // A mapping changes when a program writes to the file, and a trace must not change.
    for (Linear* linear : {&weights.qkv, &weights.query, &weights.key, &weights.value, &weights.output}) {
      copy_out_of_mapping(*linear);
    }
    weights.bias_k = weights.bias_k.dense_copy();
    weights.bias_v = weights.bias_v.dense_copy();
    return weights;
  });
}

std::shared_ptr<const ImageInput> InputCache::State::image(const std::string& path,
                                                           const std::shared_ptr<const Checkpoint>& checkpoint) {
  return cached(images_, ImageKey(path, checkpoint), path, [&] { return read_image_input(path, *checkpoint); });
}

std::shared_ptr<const FeatureInput> InputCache::State::features(const std::string& path,
                                                                const std::shared_ptr<const Checkpoint>& checkpoint) {
  return cached(features_, ImageKey(path, checkpoint), path,
                [&] { return feature_input(read_npy(path).tensor, path, *checkpoint, cancel); });
}

std::shared_ptr<const Checkpoint> InputCache::State::checkpoint(const std::string& path_or_demo, Tower tower) {
  const bool known = checkpoint_ != nullptr && checkpoint_->path() == path_or_demo && checkpoint_->tower() == tower;
  if (known && checkpoint_stamp_->unchanged()) return checkpoint_;
  checkpoint_ = nullptr;
  // The stamp is older than the contents: a change in between is noticed by the next request.
  FolderStamp stamp(path_or_demo);
  checkpoint_ = Checkpoint::open(path_or_demo, tower);
  checkpoint_stamp_ = std::move(stamp);
  return checkpoint_;
}

void InputCache::State::check_checkpoint() const {
  if (checkpoint_ == nullptr || checkpoint_stamp_->unchanged()) return;
  throw Error(checkpoint_->path() + ": its files changed while they were read; run it again");
}

void InputCache::State::forget_unused_files() {
  const auto sweep = [](auto& files) {
    std::erase_if(files, [](const auto& entry) { return !entry.second.used; });
    for (auto& entry : files) entry.second.used = false;
  };
  sweep(npy_files_);
  sweep(csv_files_);
  sweep(array_files_);
  sweep(layers_);
  sweep(images_);
  sweep(features_);
}

}  // namespace headscope
