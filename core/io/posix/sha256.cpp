// By OpenSSL's libcrypto.
#include "core/io/sha256.h"

#include <openssl/evp.h>

#include "core/base/assert.h"

namespace headscope {

struct Sha256::State {
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context{EVP_MD_CTX_new(), EVP_MD_CTX_free};
  static void check(bool done) { HEADSCOPE_ASSERT(done, "libcrypto refused SHA-256"); }
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  State::check(state_->context != nullptr && EVP_DigestInit_ex(state_->context.get(), EVP_sha256(), nullptr) == 1);
}

Sha256::~Sha256() = default;

void Sha256::add(const void* bytes, std::size_t count) {
  State::check(EVP_DigestUpdate(state_->context.get(), bytes, count) == 1);
}

std::array<std::uint8_t, 32> Sha256::digest() {
  std::array<std::uint8_t, 32> digest{};
  unsigned size = 0;
  unsigned char bytes[EVP_MAX_MD_SIZE];
  State::check(EVP_DigestFinal_ex(state_->context.get(), bytes, &size) == 1 && size == digest.size());
  for (std::size_t k = 0; k < digest.size(); ++k) digest[k] = bytes[k];
  return digest;
}

}  // namespace headscope
