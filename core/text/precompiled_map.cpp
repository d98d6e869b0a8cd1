#include "core/text/precompiled_map.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"

namespace headscope {

namespace {

constexpr std::size_t kMostChanges = std::size_t{128} << 20;

int base64_digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

std::string decoded_base64(std::string_view text, const std::string& what) {
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 3);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const int digit = base64_digit(c);
    if (digit < 0) throw Error(fmt::format("{}: found {:?} in what should be base64", what, c));
    bits = (bits << 6) | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes.push_back(static_cast<char>((bits >> count) & 0xFF));
    }
  }
  return bytes;
}

std::uint32_t little_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (int k = 3; k >= 0; --k) value = (value << 8) | static_cast<unsigned char>(bytes[static_cast<std::size_t>(k)]);
  return value;
}

// A unit of Darts-clone (Susumu Yata), 31 bits of value or label, offset and a flag.
std::uint32_t offset_of(std::uint32_t unit) {
  return (unit >> 10) << ((unit & (1u << 9)) >> 6);
}

void put_replaced(std::vector<Change>& changes, std::string_view old_text, std::string_view new_text) {
  int difference = 0;
  for_each_code_point(old_text, [&](std::uint32_t, std::size_t, std::size_t) { --difference; });
  for_each_code_point(new_text, [&](std::uint32_t code_point, std::size_t, std::size_t) {
    ++difference;
    changes.push_back({code_point, 0});
  });
  if (difference > 0) {
    for (std::size_t k = changes.size() - static_cast<std::size_t>(difference); k < changes.size(); ++k) {
      changes[k].change = 1;
    }
  } else if (!changes.empty()) {
    changes.back().change += difference;
  }
}

}  // namespace

PrecompiledMap::PrecompiledMap(std::string_view base64, const std::string& what) {
  unpack(decoded_base64(base64, what), what);
}

PrecompiledMap PrecompiledMap::of_bytes(std::string_view bytes, const std::string& what) {
  PrecompiledMap map;
  map.unpack(bytes, what);
  return map;
}

void PrecompiledMap::unpack(std::string_view bytes, const std::string& what) {
  const std::size_t size = bytes.size() < 4 ? 0 : little_endian(bytes);
  if (bytes.size() < 4 || size % 4 != 0 || size > bytes.size() - 4) {
    throw Error(fmt::format("{}: found {} bytes that announce an array of {}; expected the array and its replacements",
                            what, bytes.size(), size));
  }
  for (std::size_t at = 4; at < 4 + size; at += 4) units_.push_back(little_endian(bytes.substr(at)));
  replacements_ = bytes.substr(4 + size);
}

std::optional<PrecompiledMap::Found> PrecompiledMap::found(std::string_view text, bool longest) const {
  std::optional<Found> best;
  if (units_.empty()) return best;
  std::size_t node = offset_of(units_[0]);
  for (std::size_t k = 0; k < text.size(); ++k) {
    const auto byte = static_cast<unsigned char>(text[k]);
    node ^= byte;
    if (byte == 0 || node >= units_.size()) return best;
    const std::uint32_t unit = units_[node];
    if ((unit & ((1u << 31) | 0xFF)) != byte) return best;
    node ^= offset_of(unit);
    if (node >= units_.size()) return best;
    if (((unit >> 8) & 1) == 0) continue;
    const std::size_t at = units_[node] & 0x7FFFFFFF;
    if (at >= replacements_.size()) return best;
    const std::string_view rest = std::string_view(replacements_).substr(at);
    best = Found{k + 1, rest.substr(0, std::min(rest.find('\0'), rest.size()))};
    if (!longest) return best;
  }
  return best;
}

namespace {

// A map that replaces one character by a book would fill the memory before the text is written out.
void check_length(const std::vector<Change>& changes) {
  if (changes.size() > kMostChanges) throw Error("the text is too long for its tokenizer's map of replacements");
}

}  // namespace

std::vector<Change> PrecompiledMap::changes_by_clusters(std::string_view bytes) const {
  std::vector<Change> changes;
  changes.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    check_length(changes);
    const std::size_t end = next_grapheme(bytes, at);
    const std::string_view cluster = bytes.substr(at, end - at);
    at = end;
    if (cluster.size() < 6) {
      if (const auto whole = found(cluster, false)) {
        put_replaced(changes, cluster, whole->replacement);
        continue;
      }
    }
    for_each_code_point(cluster, [&](std::uint32_t code_point, std::size_t begin, std::size_t size) {
      const std::string_view part = cluster.substr(begin, size);
      if (const auto one = found(part, false)) {
        put_replaced(changes, part, one->replacement);
      } else {
        changes.push_back({code_point, 0});
      }
    });
  }
  return changes;
}

AlignedText PrecompiledMap::applied(const AlignedText& text) const {
  return rewritten(text, changes_by_clusters(text.bytes));
}

}  // namespace headscope
