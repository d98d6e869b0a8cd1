#include "core/model/weights_sha256.h"

#include <openssl/evp.h>

#include <bit>
#include <memory>
#include <string_view>

#include "core/base/assert.h"
#include "core/io/tensor_blocks.h"

namespace headscope {
namespace {

class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    check(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
  }
  void add(const void* bytes, std::size_t count) { check(EVP_DigestUpdate(context_.get(), bytes, count) == 1); }
  void add_u32(std::uint32_t value) {
    const unsigned char bytes[4] = {static_cast<unsigned char>(value), static_cast<unsigned char>(value >> 8),
                                    static_cast<unsigned char>(value >> 16), static_cast<unsigned char>(value >> 24)};
    add(bytes, sizeof bytes);
  }
  std::string hex() {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    check(EVP_DigestFinal_ex(context_.get(), digest, &size) == 1);
    std::string text;
    for (unsigned i = 0; i < size; ++i) {
      text += "0123456789abcdef"[digest[i] >> 4];
      text += "0123456789abcdef"[digest[i] & 15];
    }
    return text;
  }

 private:
  static void check(bool done) { HEADSCOPE_ASSERT(done, "libcrypto refused SHA-256"); }
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_;
};

void add_tensor(Sha256& sha, std::string_view name, const Tensor& tensor, const CancelToken& cancel) {
  if (tensor.empty()) return;
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

}  // namespace

std::string sha256_of(const LayerWeights& weights, const CancelToken& cancel) {
  Sha256 sha;
  add_tensor(sha, "qkv.weight", weights.qkv.weight, cancel);
  add_tensor(sha, "qkv.bias", weights.qkv.bias, cancel);
  add_tensor(sha, "query.weight", weights.query.weight, cancel);
  add_tensor(sha, "query.bias", weights.query.bias, cancel);
  add_tensor(sha, "key.weight", weights.key.weight, cancel);
  add_tensor(sha, "key.bias", weights.key.bias, cancel);
  add_tensor(sha, "value.weight", weights.value.weight, cancel);
  add_tensor(sha, "value.bias", weights.value.bias, cancel);
  add_tensor(sha, "bias_k", weights.bias_k, cancel);
  add_tensor(sha, "bias_v", weights.bias_v, cancel);
  add_tensor(sha, "output.weight", weights.output.weight, cancel);
  add_tensor(sha, "output.bias", weights.output.bias, cancel);
  return sha.hex();
}

std::string sha256_of(const LayerWeights& weights) {
  return sha256_of(weights, CancelToken());
}

}  // namespace headscope
