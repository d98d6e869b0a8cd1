// By Windows' own library of ciphers.
#include "core/io/sha256.h"

#include <windows.h>
// windows.h comes first.
#include <bcrypt.h>

#include <algorithm>

#include "core/base/assert.h"

namespace headscope {

struct Sha256::State {
  BCRYPT_ALG_HANDLE algorithm = nullptr;
  BCRYPT_HASH_HANDLE hash = nullptr;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (hash != nullptr) ::BCryptDestroyHash(hash);
    if (algorithm != nullptr) ::BCryptCloseAlgorithmProvider(algorithm, 0);
  }
  static void check(NTSTATUS status) { HEADSCOPE_ASSERT(BCRYPT_SUCCESS(status), "bcrypt refused SHA-256"); }
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  State::check(::BCryptOpenAlgorithmProvider(&state_->algorithm, BCRYPT_SHA256_ALGORITHM, nullptr, 0));
  State::check(::BCryptCreateHash(state_->algorithm, &state_->hash, nullptr, 0, nullptr, 0, 0));
}

Sha256::~Sha256() = default;

void Sha256::add(const void* bytes, std::size_t count) {
  constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;
  const auto* at = static_cast<const UCHAR*>(bytes);
  for (; count > 0; count -= std::min(count, kMostAtOnce), at += kMostAtOnce) {
    // It reads the bytes alone, whatever it says of them.
    State::check(
        ::BCryptHashData(state_->hash, const_cast<UCHAR*>(at), static_cast<ULONG>(std::min(count, kMostAtOnce)), 0));
  }
}

std::array<std::uint8_t, 32> Sha256::digest() {
  std::array<std::uint8_t, 32> digest{};
  State::check(::BCryptFinishHash(state_->hash, digest.data(), static_cast<ULONG>(digest.size()), 0));
  return digest;
}

}  // namespace headscope
