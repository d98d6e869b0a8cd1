#include "core/io/npy_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "core/base/error.h"
#include "core/io/bytes.h"
#include "core/io/mapped_file.h"

namespace headscope {

namespace {

constexpr std::size_t kLongestHeader = 10'000;

bool is_printable(char c) {
  return c >= 0x20 && c < 0x7F;
}

class DictParser {
 public:
  DictParser(std::string_view text, const std::string& what) : text_(text), what_(what) {}

  NpyDict parse() {
    NpyDict dict;
    bool have_descr = false, have_order = false, have_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = string_literal("a key");
      expect(':');
      bool& have = key == "descr" ? have_descr : key == "fortran_order" ? have_order : have_shape;
      if (key != "descr" && key != "fortran_order" && key != "shape") fail(fmt::format("unknown key '{}'", key));
      if (have) fail(fmt::format("the key '{}' stands twice", key));
      have = true;
      if (key == "descr") {
        dict.descr = descr();
      } else if (key == "fortran_order") {
        dict.fortran_order = boolean();
      } else {
        dict.shape = tuple();
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (at_ != text_.size()) fail(fmt::format("{} after the closing brace", found()));
    if (!have_descr) fail("the key 'descr' is missing");
    if (!have_order) fail("the key 'fortran_order' is missing");
    if (!have_shape) fail("the key 'shape' is missing");
    return dict;
  }

 private:
  [[noreturn]] void fail(const std::string& detail) const {
    throw Error(fmt::format("{}: broken .npy header at its byte {}: {}", what_, at_, detail));
  }

  std::string found() const {
    if (at_ >= text_.size()) return "the end";
    const char c = text_[at_];
    return is_printable(c) ? fmt::format("'{}'", c) : fmt::format("byte 0x{:02X}", static_cast<unsigned char>(c));
  }

  void skip_blanks() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) {
      ++at_;
    }
  }

  bool accept(char wanted) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  void expect(char wanted) {
    if (!accept(wanted)) fail(fmt::format("expected '{}', found {}", wanted, found()));
  }

  std::string string_literal(const char* meaning) {
    skip_blanks();
    if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) {
      fail(fmt::format("expected {} in quotes, found {}", meaning, found()));
    }
    const char quote = text_[at_];
    const std::size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != quote) {
      if (text_[at_] == '\\' || !is_printable(text_[at_])) fail(fmt::format("{} in a string", found()));
      ++at_;
    }
    if (at_ >= text_.size()) fail("a string without an end");
    return std::string(text_.substr(begin, at_++ - begin));
  }

  std::string descr() {
    skip_blanks();
    if (at_ < text_.size() && (text_[at_] == '[' || text_[at_] == '(')) {
      throw Error(
          fmt::format("{}: a structured array; expected plain numbers (save one field of it: "
                      "numpy.save(path, a['field']))",
                      what_));
    }
    return string_literal("a type");
  }

  bool boolean() {
    skip_blanks();
    for (const std::string_view word : {std::string_view("True"), std::string_view("False")}) {
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return word == "True";
      }
    }
    fail(fmt::format("expected True or False, found {}", found()));
  }

  long long integer() {
    skip_blanks();
    long long value = 0;
    const char* end = text_.data() + text_.size();
    const auto [next, error] = std::from_chars(text_.data() + at_, end, value);
    if (error == std::errc::result_out_of_range) fail("a size that does not fit 64 bits");
    if (error != std::errc()) fail(fmt::format("expected a size, found {}", found()));
    if (value < 0) fail(fmt::format("a negative size ({})", value));
    at_ = static_cast<std::size_t>(next - text_.data());
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;
    return value;
  }

  std::vector<long long> tuple() {
    std::vector<long long> sizes;
    expect('(');
    while (!accept(')')) {
      if (sizes.size() >= 64) fail("more than 64 axes");
      sizes.push_back(integer());
      if (!accept(',')) {
        if (sizes.size() == 1) fail(fmt::format("expected ',' after a tuple's only value, found {}", found()));
        expect(')');
        break;
      }
    }
    return sizes;
  }

  std::string_view text_;
  const std::string& what_;
  std::size_t at_ = 0;
};

std::string_view text_at(std::span<const std::byte> bytes, std::size_t begin, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes.data()) + begin, size};
}

}  // namespace

NpyDict parse_npy_dict(std::string_view text, const std::string& what) {
  return DictParser(text, what).parse();
}

NpyDict read_npy_dict(std::span<const std::byte> bytes, const std::string& what, std::size_t& data_offset) {
  if (bytes.size() < kNpyMagic.size() || text_at(bytes, 0, kNpyMagic.size()) != kNpyMagic) {
    const std::string seen = describe_bytes(bytes);
    throw Error(fmt::format("{}: not an .npy file{}{}; expected an array saved by numpy.save", what,
                            seen.empty() ? "" : ": it is ", seen));
  }
  if (bytes.size() < 10) throw Error(fmt::format("{}: ends within its .npy header (a download cut short?)", what));
  const int major = std::to_integer<int>(bytes[6]);
  if (major < 1 || major > 3) throw Error(fmt::format("{}: .npy version {}; expected 1, 2 or 3", what, major));
  const std::size_t begin = major == 1 ? 10 : 12;
  if (bytes.size() < begin) throw Error(fmt::format("{}: ends within its .npy header (a download cut short?)", what));
  const std::size_t length = major == 1 ? load<std::uint16_t>(&bytes[8]) : load<std::uint32_t>(&bytes[8]);
  if (length > kLongestHeader) {
    throw Error(fmt::format("{}: an .npy header of {} bytes; at most {} are read", what, length, kLongestHeader));
  }
  if (length > bytes.size() - begin) {
    throw Error(fmt::format("{}: ends within its .npy header: {} bytes of {} (a download cut short?)", what,
                            bytes.size() - begin, length));
  }
  data_offset = begin + length;
  return parse_npy_dict(text_at(bytes, begin, length), what);
}

}  // namespace headscope
