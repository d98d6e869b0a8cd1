#include "core/io/npz.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/file_name.h"
#include "core/base/message_text.h"
#include "core/base/utf8.h"
#include "core/io/bytes.h"
#include "core/io/mapped_file.h"
#include "core/io/npy_header.h"
#include "core/io/zip_archive.h"

namespace headscope {
namespace {

constexpr std::uint64_t kMostUnpacked = std::uint64_t{4} << 30;
constexpr std::size_t kLargestCopy = std::size_t{256} << 20;  // as read_npy(): larger files stay mapped
constexpr std::uint32_t kLastCodePoint = 0x10FFFF;

// The letter of a type: 'f' of "<f4".
char kind_of(const std::string& descr) {
  const std::size_t at = descr.find_first_not_of("<>|=");
  return at == std::string::npos ? '\0' : descr[at];
}

// "<U5": units a text, big-endian or not.
struct TextType {
  std::size_t units = 0, unit_bytes = 1;
  bool swapped = false;
};

TextType text_type(const NpzEntry& entry) {
  std::string_view rest = entry.descr;
  TextType type;
  if (!rest.empty() && std::string_view("<>|=").find(rest[0]) != std::string_view::npos) {
    type.swapped = rest[0] == '>';
    rest.remove_prefix(1);
  }
  if (rest.starts_with('U')) type.unit_bytes = 4;
  rest.remove_prefix(std::min<std::size_t>(1, rest.size()));
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), type.units);
  if (error != std::errc() || end != rest.data() + rest.size() || type.units > 1'000'000) {
    throw Error(fmt::format("{}: a type '{}'; expected strings as in '<U5'", entry.what, shortened(entry.descr)));
  }
  return type;
}

// One text of `type` at `at`; NULs at its end fill it up.
std::string text_of(const std::byte* at, const TextType& type, const std::string& what) {
  std::string text;
  if (type.unit_bytes == 1) {
    text.assign(reinterpret_cast<const char*>(at), type.units);
  } else {
    for (std::size_t i = 0; i < type.units; ++i) {
      const auto code = load<std::uint32_t>(at + 4 * i, type.swapped);
      if (code > kLastCodePoint || (code >= 0xD800 && code < 0xE000)) {
        throw Error(fmt::format("{}: a string holds {:#x}, which is no character", what, code));
      }
      append_utf8(text, code);
    }
  }
  text.erase(text.find_last_not_of('\0') + 1);
  if (!is_valid_utf8(text)) throw Error(fmt::format("{}: {} is not UTF-8", what, in_quotes(text)));
  return text;
}

std::vector<NpzEntry> entries_of(std::span<const std::byte> bytes, const std::string& what,
                                 const std::shared_ptr<const void>& owner) {
  std::vector<NpzEntry> entries;
  std::uint64_t unpacked = 0;
  for (const ZipMember& member : zip_members(bytes, what)) {
    if (!has_ending(member.name, ".npy")) continue;
    NpzEntry entry;
    entry.name = member.name.substr(0, member.name.size() - 4);
    entry.what = what + ": " + shortened(entry.name);
    if (member.deflated) {
      unpacked += member.bytes;
      if (member.bytes > kMostUnpacked || unpacked > kMostUnpacked) {
        throw Error(fmt::format(
            "{}: its arrays unpack to more than 4 GiB; save large ones by numpy.savez or numpy.save", what));
      }
      const auto content = std::make_shared<const std::vector<std::byte>>(inflated_member(bytes, member, what));
      entry.bytes = *content;
      entry.owner = content;
    } else {
      entry.bytes = stored_member(bytes, member, what);
      entry.owner = owner;
    }
    std::size_t data_offset = 0;
    const NpyDict dict = read_npy_dict(entry.bytes, entry.what, data_offset);
    entry.descr = dict.descr;
    entry.shape = dict.shape;
    entries.push_back(std::move(entry));
  }
  if (entries.empty()) {
    throw Error(
        fmt::format("{}: a zip archive without arrays (a PyTorch .pt file?); expected what numpy.savez wrote", what));
  }
  return entries;
}

}  // namespace

bool NpzEntry::holds_numbers() const {
  return std::string_view("fbiu?").find(kind_of(descr)) != std::string_view::npos;
}

bool NpzEntry::holds_texts() const {
  return std::string_view("USa").find(kind_of(descr)) != std::string_view::npos;
}

std::vector<NpzEntry> parse_npz(std::span<const std::byte> bytes, const std::string& what) {
  return entries_of(bytes, what, nullptr);
}

std::vector<NpzEntry> read_npz(const std::string& path) {
  const auto file = MappedFile::open(path);
  return entries_of(file->bytes(), path, file);
}

NpyArray parse_npz_array(const NpzEntry& entry) {
  // Arrays that lie in a small file are copied, so that the file may be written again.
  const bool keep = entry.owner != nullptr && entry.bytes.size() > kLargestCopy;
  return parse_npy(entry.bytes, entry.what, keep ? entry.owner : nullptr);
}

std::vector<std::string> parse_npz_texts(const NpzEntry& entry) {
  const TextType type = text_type(entry);
  if (!entry.holds_texts() || entry.shape.size() != 1) {
    throw Error(fmt::format("{}: '{}' of shape [{}]; expected strings of one axis", entry.what, shortened(entry.descr),
                            fmt::join(entry.shape, ", ")));
  }
  std::size_t data_offset = 0;
  read_npy_dict(entry.bytes, entry.what, data_offset);
  const auto text_bytes = static_cast<std::int64_t>(type.units * type.unit_bytes);
  const std::optional<std::int64_t> needed = checked_product(entry.shape[0], text_bytes);
  const std::size_t there = entry.bytes.size() - data_offset;
  // Texts of no letters take no bytes, however many there are.
  constexpr long long most_texts = 1'000'000;
  if (!needed || static_cast<std::size_t>(*needed) != there || entry.shape[0] > most_texts) {
    throw Error(
        fmt::format("{}: {} strings of {} bytes, the file has {}", entry.what, entry.shape[0], text_bytes, there));
  }
  std::vector<std::string> texts;
  for (long long i = 0; i < entry.shape[0]; ++i) {
    texts.push_back(text_of(entry.bytes.data() + data_offset + i * text_bytes, type, entry.what));
  }
  return texts;
}

}  // namespace headscope
