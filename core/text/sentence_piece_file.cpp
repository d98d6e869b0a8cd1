#include "core/text/sentence_piece_file.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <string_view>

#include "core/base/error.h"
#include "core/base/utf8.h"
#include "core/io/mapped_file.h"

namespace headscope {
namespace {

constexpr std::size_t kMostPieces = 2'000'000;

// One message: its fields one after the other.
class Message {
 public:
  Message(std::string_view bytes, std::size_t begin, const std::string& file)
      : bytes_(bytes), begin_(begin), file_(file) {}

  // The next field; false at the end.
  bool next() {
    if (at_ == bytes_.size()) return false;
    const std::uint64_t key = varint();
    number_ = key >> 3;
    kind_ = static_cast<int>(key & 7);
    value_ = 0;
    text_ = {};
    if (kind_ == 0) {
      value_ = varint();
    } else if (kind_ == 1) {
      text_ = taken(8);
    } else if (kind_ == 2) {
      text_ = taken(varint());
    } else if (kind_ == 5) {
      text_ = taken(4);
    } else {
      fail("a field of a known kind");
    }
    return true;
  }

  // Whether the field has this number; Error where it is then of another kind.
  bool is(std::uint64_t number, int kind) const {
    if (number_ != number) return false;
    if (kind_ != kind) fail(fmt::format("field {} of kind {}", number, kind));
    return true;
  }
  std::uint64_t value() const { return value_; }
  std::string_view text() const { return text_; }
  Message inner() const { return {text_, begin_ + at_ - text_.size(), file_}; }
  double number32() const {
    std::uint32_t bits = 0;
    for (std::size_t k = 4; k-- > 0;) bits = bits << 8 | static_cast<unsigned char>(text_[k]);
    return static_cast<double>(std::bit_cast<float>(bits));
  }

  [[noreturn]] void fail(const std::string& expected) const {
    throw Error(fmt::format("{}: at byte {} expected {}, as SentencePiece's models have it (is the file damaged?)",
                            file_, begin_ + at_, expected));
  }

 private:
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at_ == bytes_.size()) fail("the rest of a number");
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    fail("a number of at most 64 bits");
  }
  std::string_view taken(std::uint64_t count) {
    if (count > bytes_.size() - at_) fail(fmt::format("{} more bytes", count));
    const std::string_view part = bytes_.substr(at_, static_cast<std::size_t>(count));
    at_ += part.size();
    return part;
  }

  std::string_view bytes_;
  std::size_t begin_;  // in the file
  const std::string& file_;
  std::size_t at_ = 0;
  std::uint64_t number_ = 0, value_ = 0;
  int kind_ = 0;
  std::string_view text_;
};

SentencePieceFile::Piece read_piece(Message message) {
  SentencePieceFile::Piece piece;
  while (message.next()) {
    if (message.is(1, 2)) piece.text = message.text();
    if (message.is(2, 5)) piece.score = message.number32();
    if (message.is(3, 0)) {
      if (message.value() < 1 || message.value() > 6) message.fail("a piece's type, 1 to 6");
      piece.type = static_cast<SentencePieceFile::Piece::Type>(message.value());
    }
  }
  if (!std::isfinite(piece.score)) message.fail("a finite score of a piece");
  if (piece.text.empty() || first_invalid_byte(piece.text) != std::string::npos) message.fail("a piece of UTF-8 text");
  return piece;
}

void read_trainer(Message message, SentencePieceFile& file) {
  while (message.next()) {
    if (message.is(3, 0)) {
      if (message.value() < 1 || message.value() > 4) message.fail("a model's type, 1 to 4");
      file.model = static_cast<SentencePieceFile::Model>(message.value());
    }
    if (message.is(24, 0)) file.blank_behind = message.value() != 0;
    if (message.is(35, 0)) file.byte_fallback = message.value() != 0;
  }
}

void read_normalizer(Message message, SentencePieceFile& file) {
  while (message.next()) {
    if (message.is(2, 2)) file.precompiled_charsmap = message.text();
    if (message.is(3, 0)) file.add_dummy_prefix = message.value() != 0;
    if (message.is(4, 0)) file.remove_extra_blanks = message.value() != 0;
    if (message.is(5, 0)) file.escape_blanks = message.value() != 0;
  }
}

}  // namespace

SentencePieceFile read_sentence_piece_file(std::span<const std::byte> bytes, const std::string& file) {
  const std::string other = describe_bytes(bytes);
  if (!other.empty()) throw Error(fmt::format("{}: found {}; expected a SentencePiece model", file, other));
  SentencePieceFile read;
  Message message({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, 0, file);
  while (message.next()) {
    if (message.is(1, 2)) {
      if (read.pieces.size() == kMostPieces) message.fail("at most two million pieces");
      read.pieces.push_back(read_piece(message.inner()));
    }
    if (message.is(2, 2)) read_trainer(message.inner(), read);
    if (message.is(3, 2)) read_normalizer(message.inner(), read);
  }
  if (read.pieces.empty()) message.fail("a piece");
  return read;
}

}  // namespace headscope
