// The header of a safetensors file: parsed event by event, so that a hostile one costs no more memory than its names.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/io/bytes.h"
#include "core/io/json_text.h"
#include "core/io/safetensors.h"

namespace headscope {

namespace {

constexpr std::uint64_t kLongestHeader = 100'000'000;
constexpr std::size_t kMostAxes = 64;

// Bits of one value, or 0 for a dtype that is not known.
std::int64_t dtype_bits(std::string_view dtype) {
  struct Known {
    std::string_view name;
    std::int64_t bits;
  };
  static constexpr Known known[] = {
      {"BOOL", 8}, {"U8", 8},   {"I8", 8},    {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"I16", 16},
      {"U16", 16}, {"F16", 16}, {"BF16", 16}, {"I32", 32},    {"U32", 32},    {"F32", 32},    {"I64", 64},
      {"U64", 64}, {"F64", 64}, {"C64", 64},  {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6},
  };
  for (const Known& each : known) {
    if (each.name == dtype) return each.bits;
  }
  return 0;
}

// What nlohmann's parser reports, turned into entries. A handler returns false to stop; `problem` then says why.
class HeaderEvents : public nlohmann::json_sax<nlohmann::json> {
 public:
  SafetensorsHeader header;
  std::string problem;

  bool null() override { return scalar("null"); }
  bool boolean(bool) override { return scalar("a boolean"); }
  bool number_integer(std::int64_t value) override { return scalar(fmt::format("the number {}", value)); }
  bool number_float(double, const std::string& text) override { return scalar("the number " + shortened(text)); }
  bool binary(binary_t&) override { return scalar("binary data"); }

  bool number_unsigned(std::uint64_t value) override {
    if (skipped_depth_ > 0 || where_ == Where::unknown) return scalar("");
    if (where_ == Where::shape_items) {
      if (entry_.shape.size() >= kMostAxes) return fail(fmt::format("more than {} axes", kMostAxes));
      if (value > std::uint64_t{1} << 62) return fail(fmt::format("a size of {}", value));
      entry_.shape.push_back(static_cast<std::int64_t>(value));
      return true;
    }
    if (where_ == Where::offset_items) {
      if (offsets_.size() >= 2) return fail("more than two data_offsets");
      offsets_.push_back(value);
      return true;
    }
    return scalar(fmt::format("the number {}", value));
  }

  bool string(std::string& value) override {
    if (skipped_depth_ > 0 || where_ == Where::unknown) return scalar("");
    if (where_ == Where::metadata_value) {
      header.metadata[key_] = value;
      where_ = Where::metadata;
      return true;
    }
    if (where_ == Where::dtype) {
      entry_.dtype = value;
      where_ = Where::entry;
      return true;
    }
    return scalar("the string " + in_quotes(value));
  }

  bool start_object(std::size_t) override {
    if (skips_container()) return true;
    switch (where_) {
      case Where::start:
        where_ = Where::top;
        return true;
      case Where::metadata_object:
        where_ = Where::metadata;
        return true;
      case Where::entry_object:
        where_ = Where::entry;
        return true;
      default:
        return scalar("an object");
    }
  }

  bool key(std::string& name) override {
    if (skipped_depth_ > 0) return true;
    key_ = name;
    if (where_ == Where::top) {
      if (!names_.insert(name).second) return fail("the name stands twice");
      entry_ = {};
      entry_.name = name;
      entry_keys_.clear();
      offsets_.clear();
      where_ = name == "__metadata__" ? Where::metadata_object : Where::entry_object;
    } else if (where_ == Where::metadata) {
      if (header.metadata.contains(name)) return fail(fmt::format("the key {} stands twice", in_quotes(name)));
      where_ = Where::metadata_value;
    } else {
      if (!entry_keys_.insert(name).second) return fail(fmt::format("the key {} stands twice", in_quotes(name)));
      where_ = name == "dtype"          ? Where::dtype
               : name == "shape"        ? Where::shape
               : name == "data_offsets" ? Where::offsets
                                        : Where::unknown;
    }
    return true;
  }

  bool end_object() override {
    if (skipped_depth_ > 0) return leave_skipped();
    if (where_ == Where::entry) {
      if (!finish_entry()) return false;
      where_ = Where::top;
    } else if (where_ == Where::metadata) {
      where_ = Where::top;
    } else {
      where_ = Where::done;
    }
    return true;
  }

  bool start_array(std::size_t) override {
    if (skips_container()) return true;
    if (where_ == Where::shape) {
      where_ = Where::shape_items;
    } else if (where_ == Where::offsets) {
      where_ = Where::offset_items;
    } else {
      return scalar("a list");
    }
    return true;
  }

  bool end_array() override {
    if (skipped_depth_ > 0) return leave_skipped();
    where_ = Where::entry;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) override {
    problem = fmt::format("no valid JSON at byte {} of the header: {}", position, json_detail(error.what()));
    return false;
  }

 private:
  enum class Where {
    start,
    top,
    metadata_object,
    metadata,
    metadata_value,
    entry_object,
    entry,
    dtype,
    shape,
    shape_items,
    offsets,
    offset_items,
    unknown,
    done,
  };

  // Unknown keys of a tensor are passed over, whatever they hold, as other readers do.
  bool skips_container() {
    if (skipped_depth_ == 0 && where_ != Where::unknown) return false;
    ++skipped_depth_;
    return true;
  }

  bool leave_skipped() {
    if (--skipped_depth_ == 0) where_ = Where::entry;
    return true;
  }

  // A value in a place where it cannot stand.
  bool scalar(const std::string& found) {
    if (skipped_depth_ > 0) return true;
    switch (where_) {
      case Where::unknown:
        where_ = Where::entry;
        return true;
      case Where::start:
        problem = "the header is not an object";
        return false;
      case Where::metadata_object:
        return fail("expected an object of strings, found " + found);
      case Where::metadata_value:
        return fail(fmt::format("the value of {} is {}; expected a string", in_quotes(key_), found));
      case Where::dtype:
        return fail("dtype is " + found + "; expected a string");
      case Where::shape:
        return fail("shape is " + found + "; expected a list");
      case Where::shape_items:
        return fail("shape holds " + found + "; expected sizes");
      case Where::offsets:
        return fail("data_offsets is " + found + "; expected a list of two");
      case Where::offset_items:
        return fail("data_offsets holds " + found + "; expected bytes");
      default:
        return fail("expected an object, found " + found);
    }
  }

  bool fail(const std::string& detail) {
    const bool in_metadata =
        where_ == Where::metadata || where_ == Where::metadata_value || where_ == Where::metadata_object;
    const std::string place = in_metadata ? "__metadata__" : where_ == Where::top ? key_ : entry_.name;
    problem = fmt::format("tensor {}: {}", in_quotes(place), detail);
    if (in_metadata) problem = "__metadata__: " + detail;
    return false;
  }

  bool finish_entry() {
    for (const char* needed : {"dtype", "shape", "data_offsets"}) {
      if (!entry_keys_.contains(needed)) return fail(fmt::format("the key {} is missing", needed));
    }
    if (offsets_.size() != 2) return fail("data_offsets holds less than two offsets");
    if (offsets_[0] > offsets_[1])
      return fail(fmt::format("data_offsets [{}, {}] run backwards", offsets_[0], offsets_[1]));
    const std::int64_t bits = dtype_bits(entry_.dtype);
    if (bits == 0) return fail(fmt::format("unknown dtype {}", in_quotes(entry_.dtype)));
    const auto count = checked_count(entry_.shape);
    const auto needed_bits = count ? checked_product(*count, bits) : std::nullopt;
    if (!needed_bits) return fail(fmt::format("shape [{}] is too large", fmt::join(entry_.shape, ", ")));
    const std::uint64_t size = offsets_[1] - offsets_[0];
    if (*needed_bits % 8 != 0 || static_cast<std::uint64_t>(*needed_bits / 8) != size) {
      return fail(fmt::format("shape [{}] of {} needs {} bytes, data_offsets give {}", fmt::join(entry_.shape, ", "),
                              entry_.dtype, (*needed_bits + 7) / 8, size));
    }
    entry_.begin = offsets_[0];
    entry_.end = offsets_[1];
    header.entries.push_back(std::move(entry_));
    return true;
  }

  Where where_ = Where::start;
  int skipped_depth_ = 0;
  std::string key_;
  std::set<std::string> names_, entry_keys_;
  SafetensorsEntry entry_;
  std::vector<std::uint64_t> offsets_;
};

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
  if (text.find('\0') != text.npos) throw Error(fmt::format("{}: a NUL byte in the safetensors header", what));
  HeaderEvents events;
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &events)) {
    throw Error(fmt::format("{}: broken safetensors header: {}", what, events.problem));
  }
  SafetensorsHeader header = std::move(events.header);
  header.data_begin = 8 + static_cast<std::size_t>(length);
  check_layout(header.entries, bytes.size() - header.data_begin, what);
  std::sort(header.entries.begin(), header.entries.end(),
            [](const SafetensorsEntry& a, const SafetensorsEntry& b) { return a.name < b.name; });
  return header;
}

}  // namespace headscope
