#include "core/model/weights_sha256.h"

#include <bit>
#include <vector>

#include "core/io/sha256.h"
#include "core/io/tensor_blocks.h"
#include "core/model/checkpoint.h"
#include "core/model/weight_parts.h"

namespace headscope {
namespace {

void add_weights(Sha256& sha, const std::vector<NamedWeight>& weights, const CancelToken& cancel) {
  for (const NamedWeight& each : weights) add_tensor(sha, each.name, each.tensor, cancel);
}

}  // namespace

void add_tensor(Sha256& sha, const std::string& name, const Tensor& tensor, const CancelToken& cancel) {
  sha.add(name.data(), name.size() + 1);  // with its NUL, so that names cannot run into shapes
  sha.add_u32(static_cast<std::uint32_t>(tensor.rank()));
  for (const std::int64_t size : tensor.shape()) {
    sha.add_u32(static_cast<std::uint32_t>(size));
    sha.add_u32(static_cast<std::uint32_t>(size >> 32));
  }
  // In pieces: the weights may be larger than memory.
  const auto add = [&sha](std::span<const float> values) {
    if constexpr (std::endian::native == std::endian::little) {
      sha.add(values.data(), values.size_bytes());
    } else {
      for (const float value : values) sha.add_u32(std::bit_cast<std::uint32_t>(value));
    }
  };
  for_each_block(tensor, cancel, add);
}

std::string sha256_of(const LayerWeights& weights, const CancelToken& cancel) {
  Sha256 sha;
  add_weights(sha, attention_weights(weights), cancel);
  return sha.hex();
}

std::string sha256_of(const LayerWeights& weights) {
  return sha256_of(weights, CancelToken());
}

std::string sha256_of(const Checkpoint& checkpoint, const CancelToken& cancel) {
  Sha256 sha;
  add_weights(sha, embedding_weights(checkpoint), cancel);
  for (std::int64_t layer = 0; layer < checkpoint.architecture().num_layers; ++layer) {
    add_weights(sha, block_weights(checkpoint, layer), cancel);
  }
  add_weights(sha, head_weights(checkpoint), cancel);
  return sha.hex();
}

}  // namespace headscope
