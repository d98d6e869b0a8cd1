#include <algorithm>
#include <string_view>

#include "core/corpus/corpus_file.h"
#include "core/io/bytes.h"
#include "core/io/sha256.h"

namespace headscope {
namespace {

std::string_view text_of_bytes(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::optional<std::size_t> corpus_checksum_place(std::span<const std::byte> bytes) {
  constexpr std::string_view kBefore = "\"checksum\":\"";
  if (bytes.size() < 8) return std::nullopt;
  const std::uint64_t length = std::min<std::uint64_t>(load<std::uint64_t>(bytes.data()), bytes.size() - 8);
  const std::string_view header = text_of_bytes(bytes).substr(8, length);
  const std::size_t found = header.find(kBefore);
  if (found == header.npos || header.size() - found - kBefore.size() < kChecksumDigits) return std::nullopt;
  return 8 + found + kBefore.size();
}

std::string corpus_checksum(std::span<const std::byte> bytes, std::size_t place) {
  Sha256 sha;
  sha.add(text_of_bytes(bytes.first(place)));
  sha.add(std::string(kChecksumDigits, '0'));
  sha.add(text_of_bytes(bytes.subspan(place + kChecksumDigits)));
  return sha.hex();
}

}  // namespace headscope
