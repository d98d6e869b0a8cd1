// The header of a safetensors file: read entry by entry, so that a hostile one costs no more memory than its names.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/io/bytes.h"
#include "core/io/json_cursor.h"
#include "core/io/safetensors.h"
#include "core/io/stored_numbers.h"

namespace headscope {

namespace {

constexpr std::uint64_t kLongestHeader = 100'000'000;
constexpr std::size_t kMostAxes = 64;

// The header's JSON, read member by member into entries. sort_by_name finds the names that stand twice.
class HeaderReader {
 public:
  HeaderReader(std::string_view json, const std::string& what) : what_(what), cursor_(json, what) {}

  SafetensorsHeader read() {
    bool has_metadata = false;
    for (bool more = cursor_.enter('{'); more; more = cursor_.next('}')) {
      entry_ = {};
      cursor_.read_key(entry_.name);
      if (entry_.name != "__metadata__") {
        read_entry();
      } else {
        if (has_metadata) fail("the name stands twice");
        has_metadata = true;
        read_metadata();
      }
    }
    cursor_.finish();
    return std::move(header_);
  }

 private:
  using Kind = JsonValue::Kind;

  void read_metadata() {
    const auto refuse = [this](const std::string& detail) { throw Error(what_ + ": __metadata__: " + detail); };
    if (cursor_.kind() != Kind::object) refuse("expected an object of strings, found " + found());
    std::string key;
    for (bool more = cursor_.enter('{'); more; more = cursor_.next('}')) {
      cursor_.read_key(key);
      const auto [place, is_new] = header_.metadata.try_emplace(key);
      if (!is_new) refuse(fmt::format("the key {} stands twice", in_quotes(key)));
      if (cursor_.kind() != Kind::string) {
        refuse(fmt::format("the value of {} is {}; expected a string", in_quotes(key), found()));
      }
      cursor_.read_string(place->second);
    }
  }

  void read_entry() {
    if (cursor_.kind() != Kind::object) fail("expected an object, found " + found());
    keys_.clear();
    offsets_.clear();
    for (bool more = cursor_.enter('{'); more; more = cursor_.next('}')) {
      cursor_.read_key(key_);
      if (!keys_.insert(key_).second) fail(fmt::format("the key {} stands twice", in_quotes(key_)));
      if (key_ == "dtype") {
        if (cursor_.kind() != Kind::string) fail("dtype is " + found() + "; expected a string");
        cursor_.read_string(entry_.dtype);
      } else if (key_ == "shape") {
        read_shape();
      } else if (key_ == "data_offsets") {
        read_offsets();
      } else {
        cursor_.skip_value();  // other readers too pass over what they do not know
      }
    }
    finish_entry();
  }

  void read_shape() {
    if (cursor_.kind() != Kind::array) fail("shape is " + found() + "; expected a list");
    for (bool more = cursor_.enter('['); more; more = cursor_.next(']')) {
      const std::uint64_t size = read_whole("shape holds ", "; expected sizes");
      if (entry_.shape.size() >= kMostAxes) fail(fmt::format("more than {} axes", kMostAxes));
      if (size > std::uint64_t{1} << 62) fail(fmt::format("a size of {}", size));
      entry_.shape.push_back(static_cast<std::int64_t>(size));
    }
  }

  void read_offsets() {
    if (cursor_.kind() != Kind::array) fail("data_offsets is " + found() + "; expected a list of two");
    for (bool more = cursor_.enter('['); more; more = cursor_.next(']')) {
      const std::uint64_t offset = read_whole("data_offsets holds ", "; expected bytes");
      if (offsets_.size() >= 2) fail("more than two data_offsets");
      offsets_.push_back(offset);
    }
  }

  // A number from 0 to 2^64 - 1 without fraction and exponent; else an Error that says what stands there, in between.
  std::uint64_t read_whole(const char* before, const char* after) {
    if (cursor_.kind() != Kind::number) fail(before + found() + after);
    const std::string_view text = cursor_.read_number_text();
    std::uint64_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size()) {
      fail(fmt::format("{}the number {}{}", before, shortened(text), after));
    }
    return value;
  }

  // The value at the cursor in words, for messages.
  std::string found() {
    const Kind kind = cursor_.kind();
    if (kind == Kind::number) return "the number " + shortened(JsonCursor(cursor_).read_number_text());
    if (kind != Kind::string) return json_kind_name(kind);
    std::string text;
    JsonCursor(cursor_).read_string(text);
    return "the string " + in_quotes(text);
  }

  [[noreturn]] void fail(const std::string& detail) const {
    throw Error(fmt::format("{}: tensor {}: {}", what_, in_quotes(entry_.name), detail));
  }

  void finish_entry() {
    for (const char* needed : {"dtype", "shape", "data_offsets"}) {
      if (!keys_.contains(needed)) fail(fmt::format("the key {} is missing", needed));
    }
    if (offsets_.size() != 2) fail("data_offsets holds less than two offsets");
    if (offsets_[0] > offsets_[1]) fail(fmt::format("data_offsets [{}, {}] run backwards", offsets_[0], offsets_[1]));
    const std::int64_t bits = dtype_bits(entry_.dtype);
    if (bits == 0) fail(fmt::format("unknown dtype {}", in_quotes(entry_.dtype)));
    const auto count = checked_count(entry_.shape);
    const auto needed_bits = count ? checked_product(*count, bits) : std::nullopt;
    if (!needed_bits) fail(fmt::format("shape [{}] is too large", fmt::join(entry_.shape, ", ")));
    const std::uint64_t size = offsets_[1] - offsets_[0];
    if (*needed_bits % 8 != 0 || static_cast<std::uint64_t>(*needed_bits / 8) != size) {
      fail(fmt::format("shape [{}] of {} needs {} bytes, data_offsets give {}", fmt::join(entry_.shape, ", "),
                       entry_.dtype, (*needed_bits + 7) / 8, size));
    }
    entry_.begin = offsets_[0];
    entry_.end = offsets_[1];
    header_.entries.push_back(std::move(entry_));
  }

  const std::string what_;
  JsonCursor cursor_;
  SafetensorsHeader header_;
  SafetensorsEntry entry_;  // that is being read, with its keys and offsets
  std::string key_;
  std::set<std::string> keys_;
  std::vector<std::uint64_t> offsets_;
};

// Sorts; Error for a name that stands twice.
void sort_by_name(std::vector<SafetensorsEntry>& entries, const std::string& what) {
  std::sort(entries.begin(), entries.end(),
            [](const SafetensorsEntry& a, const SafetensorsEntry& b) { return a.name < b.name; });
  const auto twice =
      std::adjacent_find(entries.begin(), entries.end(),
                         [](const SafetensorsEntry& a, const SafetensorsEntry& b) { return a.name == b.name; });
  if (twice != entries.end()) {
    throw Error(fmt::format("{}: tensor {}: the name stands twice", what, in_quotes(twice->name)));
  }
}

// Every byte of the data section belongs to exactly one tensor.
void check_layout(const std::vector<SafetensorsEntry>& entries, std::size_t data_size, const std::string& what) {
  std::vector<const SafetensorsEntry*> by_offset;
  for (const SafetensorsEntry& entry : entries) by_offset.push_back(&entry);
  std::sort(by_offset.begin(), by_offset.end(), [](const SafetensorsEntry* a, const SafetensorsEntry* b) {
    return std::pair(a->begin, a->end) < std::pair(b->begin, b->end);
  });
  std::size_t expected = 0;
  for (const SafetensorsEntry* entry : by_offset) {
    if (entry->end > data_size) {
      throw Error(fmt::format("{}: tensor {} ends at byte {} of the values, the file has {} (a download cut short?)",
                              what, in_quotes(entry->name), entry->end, data_size));
    }
    if (entry->begin != expected) {
      throw Error(fmt::format(
          "{}: tensor {} begins at byte {} of the values, {} at byte {}", what, in_quotes(entry->name), entry->begin,
          entry->begin < expected ? "inside the one before it, which ends" : "after a hole that begins", expected));
    }
    expected = entry->end;
  }
  if (expected != data_size) {
    throw Error(
        fmt::format("{}: the last tensor ends at byte {} of the values, the file has {}", what, expected, data_size));
  }
}

}  // namespace

SafetensorsHeader parse_safetensors_header(std::span<const std::byte> bytes, const std::string& what) {
  const auto not_safetensors = [&](const std::string& why) {
    std::string seen = describe_bytes(bytes);
    if (seen == "a safetensors file") seen.clear();
    return Error(fmt::format("{}: not a safetensors file: {}", what, seen.empty() ? why : "it is " + seen));
  };
  if (bytes.size() < 8) throw not_safetensors(fmt::format("{} bytes are too few for a header", bytes.size()));
  const auto length = load<std::uint64_t>(bytes.data());
  if (length > kLongestHeader) {
    throw not_safetensors(fmt::format("its header would have {} bytes; at most {} are read", length, kLongestHeader));
  }
  if (length < 2 || (bytes.size() > 8 && bytes[8] != std::byte{'{'})) {
    throw not_safetensors("its header does not begin with '{'");
  }
  if (length > bytes.size() - 8) {
    throw Error(fmt::format("{}: ends within its header: {} bytes of {} (a download cut short?)", what,
                            bytes.size() - 8, length));
  }
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + 8, length);
  const std::string broken = what + ": broken safetensors header";
  SafetensorsHeader header = HeaderReader(text, broken).read();
  header.data_begin = 8 + static_cast<std::size_t>(length);
  sort_by_name(header.entries, broken);
  check_layout(header.entries, bytes.size() - header.data_begin, what);
  return header;
}

}  // namespace headscope
