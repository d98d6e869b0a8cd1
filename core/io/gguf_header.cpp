// The header of a GGUF file: read piece by piece, every length compared with what is left of the file before anything
// is kept, so that a hostile one costs no more memory than its keys and names.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/base/utf8.h"
#include "core/io/bytes.h"
#include "core/io/gguf.h"

namespace headscope {

namespace {

using Kind = GgufField::Kind;

constexpr std::uint32_t kVersion = 3;
constexpr std::size_t kLongestKey = 65535;
constexpr std::uint32_t kMostAxes = 4;
constexpr std::uint64_t kUsualAlignment = 32;

struct KindRow {
  Kind kind;
  const char* name;
  std::size_t bytes;  // of one value; 0 for texts and lists
};
constexpr std::array kKinds = {
    KindRow{Kind::u8, "whole number", 1},  KindRow{Kind::i8, "whole number", 1},  KindRow{Kind::u16, "whole number", 2},
    KindRow{Kind::i16, "whole number", 2}, KindRow{Kind::u32, "whole number", 4}, KindRow{Kind::i32, "whole number", 4},
    KindRow{Kind::f32, "number", 4},       KindRow{Kind::truth, "truth", 1},      KindRow{Kind::text, "text", 0},
    KindRow{Kind::list, "list", 0},        KindRow{Kind::u64, "whole number", 8}, KindRow{Kind::i64, "whole number", 8},
    KindRow{Kind::f64, "number", 8},
};

const KindRow* row_of(std::uint32_t kind) {
  for (const KindRow& row : kKinds) {
    if (static_cast<std::uint32_t>(row.kind) == kind) return &row;
  }
  return nullptr;
}

class HeaderReader {
 public:
  HeaderReader(std::span<const std::byte> bytes, const std::string& what) : bytes_(bytes), what_(what) {}

  GgufHeader read() {
    read_version();
    const auto tensors = number<std::uint64_t>("the number of tensors");
    const auto fields = number<std::uint64_t>("the number of keys");
    // A key takes 8 bytes of length, 4 of kind and a value; a tensor 8, 4, a size, 4 and 8.
    check_count(fields, 13, "keys");
    for (std::uint64_t k = 0; k < fields; ++k) read_field();
    check_count(tensors, 32, "tensors");
    for (std::uint64_t k = 0; k < tensors; ++k) read_tensor();
    sort_by_name(header_.fields, &GgufField::key, "key");
    place_tensors();
    sort_by_name(header_.tensors, &GgufTensor::name, "tensor");
    return std::move(header_);
  }

 private:
  [[noreturn]] void fail(const std::string& sentence) const { throw Error(what_ + ": " + sentence); }

  std::size_t left() const { return bytes_.size() - at_; }

  void need(std::uint64_t count, const std::string& for_what) const {
    if (count > left()) {
      fail(fmt::format("{} needs {} bytes at byte {}, but the file ends after {} more (is it cut short?)", for_what,
                       count, at_, left()));
    }
  }

  template <typename T>
  T number(const std::string& for_what) {
    need(sizeof(T), for_what);
    const T value = load<T>(bytes_.data() + at_);
    at_ += sizeof(T);
    return value;
  }

  void read_version() {
    const std::string_view magic(reinterpret_cast<const char*>(bytes_.data()), std::min<std::size_t>(4, bytes_.size()));
    if (magic != "GGUF") {
      const std::string found = describe_bytes(bytes_);
      fail(fmt::format("{}; expected a GGUF model, which begins with GGUF",
                       found.empty() ? "begins with no GGUF" : "is " + found));
    }
    at_ = 4;
    const auto version = number<std::uint32_t>("the version");
    if (version == kVersion) return;
    if ((version & 0xFFFFu) == 0 && version != 0) {
      fail("is a big-endian GGUF file; expected a little-endian one (convert it with gguf-py's gguf_convert_endian)");
    }
    if (version == 1 || version == 2) {
      fail(fmt::format("is a GGUF file of version {}; expected version 3 (convert the model again)", version));
    }
    fail(fmt::format("is a GGUF file of version {}; expected version 3", version));
  }

  void check_count(std::uint64_t count, std::uint64_t least_bytes, const char* of) const {
    if (count > left() / least_bytes) {
      fail(fmt::format("says that it has {} {}, but only {} bytes follow", count, of, left()));
    }
  }

  std::string_view text(const std::string& for_what) {
    const auto length = number<std::uint64_t>("the length of " + for_what);
    need(length, for_what);
    const std::string_view found(reinterpret_cast<const char*>(bytes_.data()) + at_, static_cast<std::size_t>(length));
    at_ += found.size();
    return found;
  }

  std::string name(const char* for_what) {
    const std::string_view found = text(for_what);
    if (found.empty() || found.size() > kLongestKey) {
      fail(fmt::format("{} has {} bytes; expected 1 to {}", for_what, found.size(), kLongestKey));
    }
    if (first_invalid_byte(found) != found.npos || found.find('\0') != found.npos) {
      fail(fmt::format("{} is no text: {}", for_what, in_quotes(found)));
    }
    return std::string(found);
  }

  void read_field() {
    GgufField field;
    field.key = name("a key");
    field.kind = kind_of(field.key);
    if (field.kind == Kind::list) {
      field.item_kind = kind_of(field.key);
      field.count = number<std::uint64_t>("the length of " + in_quotes(field.key));
      if (field.item_kind == Kind::list) fail(fmt::format("the key {} is a list of lists", in_quotes(field.key)));
    }
    field.begin = at_;
    skip_values(field);
    header_.fields.push_back(std::move(field));
  }

  Kind kind_of(const std::string& key) {
    const auto kind = number<std::uint32_t>("the kind of " + in_quotes(key));
    if (row_of(kind) == nullptr)
      fail(fmt::format("the key {} has a value of kind {}; expected 0 to 12", in_quotes(key), kind));
    return static_cast<Kind>(kind);
  }

  void skip_values(const GgufField& field) {
    const bool list = field.kind == Kind::list;
    const KindRow& row = *row_of(static_cast<std::uint32_t>(list ? field.item_kind : field.kind));
    if (row.kind != Kind::text) {
      if (field.count > left() / row.bytes) ends_within(field);
      at_ += static_cast<std::size_t>(field.count) * row.bytes;
      return;
    }
    // Every text takes 8 bytes or more.
    if (field.count > left() / 8) ends_within(field);
    const std::string value = "the value of " + in_quotes(field.key);
    for (std::uint64_t k = 0; k < field.count; ++k) text(value);
  }

  [[noreturn]] void ends_within(const GgufField& field) const {
    fail(fmt::format("ends within the {} values of {} (is it cut short?)", field.count, in_quotes(field.key)));
  }

  void read_tensor() {
    GgufTensor tensor;
    tensor.name = name("the name of a tensor");
    const std::string named = "tensor " + in_quotes(tensor.name);
    const auto axes = number<std::uint32_t>("the axes of " + named);
    if (axes < 1 || axes > kMostAxes) fail(fmt::format("{} has {} axes; expected 1 to {}", named, axes, kMostAxes));
    for (std::uint32_t axis = 0; axis < axes; ++axis) {
      const auto size = number<std::uint64_t>("the shape of " + named);
      if (size < 1 || size > std::uint64_t{1} << 62) fail(fmt::format("{} has a size of {}", named, size));
      tensor.shape.push_back(static_cast<std::int64_t>(size));
    }
    std::reverse(tensor.shape.begin(), tensor.shape.end());
    const auto type = number<std::uint32_t>("the type of " + named);
    tensor.type = gguf_type(type);
    if (tensor.type == nullptr) {
      fail(fmt::format("{} is of type {}, which is not known; expected {}", named, type, read_gguf_types()));
    }
    const auto offset = number<std::uint64_t>("the place of " + named);
    const std::int64_t row = tensor.shape.back();
    if (row % tensor.type->block_values != 0) {
      fail(fmt::format("{} is {} and has rows of {} numbers; expected a multiple of {}", named, tensor.type->name, row,
                       tensor.type->block_values));
    }
    const auto count = checked_count(tensor.shape);
    const auto size =
        count ? checked_product(*count / tensor.type->block_values, tensor.type->block_bytes) : std::nullopt;
    if (!size) fail(named + " is larger than any file");
    tensor.begin = static_cast<std::size_t>(offset);  // from the data on, until place_tensors()
    tensor.end = static_cast<std::size_t>(*size);
    header_.tensors.push_back(std::move(tensor));
  }

  std::uint64_t alignment() const {
    const GgufField* field = header_.find("general.alignment");
    if (field == nullptr) return kUsualAlignment;
    if (field->kind != Kind::u32) fail("the key general.alignment is " + kind_name(*field) + "; expected u32");
    const auto value = load<std::uint32_t>(bytes_.data() + field->begin);
    if (value == 0 || value % 8 != 0) fail(fmt::format("general.alignment is {}; expected a multiple of 8", value));
    return value;
  }

  // From offsets and sizes to places in the file, which lie one after the other.
  void place_tensors() {
    const std::uint64_t align = alignment();
    const std::uint64_t data = (at_ + align - 1) / align * align;
    if (!header_.tensors.empty() && data > bytes_.size()) fail("ends before its tensors begin (is it cut short?)");
    for (GgufTensor& tensor : header_.tensors) {
      const std::string named = "tensor " + in_quotes(tensor.name);
      const std::uint64_t offset = tensor.begin, size = tensor.end, there = bytes_.size() - data;
      if (offset % align != 0) fail(fmt::format("{} begins at {}; expected a multiple of {}", named, offset, align));
      if (offset > there || size > there - offset) {
        fail(fmt::format("{} has the bytes {} to {}, but the file has {} for tensors (is it cut short?)", named, offset,
                         static_cast<double>(offset) + static_cast<double>(size), there));
      }
      tensor.begin = static_cast<std::size_t>(data + offset);
      tensor.end = static_cast<std::size_t>(data + offset + size);
    }
    std::sort(header_.tensors.begin(), header_.tensors.end(),
              [](const GgufTensor& a, const GgufTensor& b) { return a.begin < b.begin; });
    for (std::size_t k = 1; k < header_.tensors.size(); ++k) {
      if (header_.tensors[k].begin >= header_.tensors[k - 1].end) continue;
      fail(fmt::format("the tensors {} and {} overlap", in_quotes(header_.tensors[k - 1].name),
                       in_quotes(header_.tensors[k].name)));
    }
  }

  template <typename Item>
  void sort_by_name(std::vector<Item>& items, std::string Item::*name, const char* what) const {
    const auto less = [name](const Item& a, const Item& b) { return a.*name < b.*name; };
    const auto same = [name](const Item& a, const Item& b) { return a.*name == b.*name; };
    std::sort(items.begin(), items.end(), less);
    const auto twice = std::adjacent_find(items.begin(), items.end(), same);
    if (twice != items.end()) fail(fmt::format("the {} {} stands twice", what, in_quotes((*twice).*name)));
  }

  std::span<const std::byte> bytes_;
  const std::string& what_;
  std::size_t at_ = 0;
  GgufHeader header_;
};

}  // namespace

const GgufField* GgufHeader::find(std::string_view key) const {
  const auto at = std::lower_bound(fields.begin(), fields.end(), key,
                                   [](const GgufField& field, std::string_view wanted) { return field.key < wanted; });
  return at != fields.end() && at->key == key ? &*at : nullptr;
}

GgufHeader parse_gguf(std::span<const std::byte> bytes, const std::string& what) {
  return HeaderReader(bytes, what).read();
}

std::string kind_name(const GgufField& field) {
  const char* name = row_of(static_cast<std::uint32_t>(field.kind))->name;
  if (field.kind != Kind::list) return fmt::format("a {}", name);
  return fmt::format("a list of {}s", row_of(static_cast<std::uint32_t>(field.item_kind))->name);
}

}  // namespace headscope
