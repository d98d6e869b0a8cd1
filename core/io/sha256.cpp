#include "core/io/sha256.h"

namespace headscope {

void Sha256::add_u32(std::uint32_t value) {
  const unsigned char bytes[4] = {static_cast<unsigned char>(value), static_cast<unsigned char>(value >> 8),
                                  static_cast<unsigned char>(value >> 16), static_cast<unsigned char>(value >> 24)};
  add(bytes, sizeof bytes);
}

std::string Sha256::hex() {
  std::string text;
  for (const std::uint8_t byte : digest()) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

std::uint64_t short_sha256(std::string_view text) {
  Sha256 sha;
  sha.add(text);
  const auto digest = sha.digest();
  std::uint64_t number = 0;
  for (std::size_t k = 0; k < sizeof number; ++k) number = number << 8 | digest[k];
  return number;
}

}  // namespace headscope
