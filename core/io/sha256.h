// SHA-256 (FIPS 180-4) of bytes that come in pieces.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace headscope {

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void add(const void* bytes, std::size_t count);
  void add(std::string_view text) { add(text.data(), text.size()); }
  void add_u32(std::uint32_t value);  // its four bytes, the lowest first
  // Ends it: nothing may be added after one of these.
  std::array<std::uint8_t, 32> digest();
  std::string hex();  // of the digest, in lower case

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The digest's first eight bytes as a number, the first of them the highest: what hex() begins with.
std::uint64_t short_sha256(std::string_view text);

}  // namespace headscope
