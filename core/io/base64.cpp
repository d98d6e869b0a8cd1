#include "core/io/base64.h"

#include <string_view>

namespace headscope {

namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

void Base64Buffer::add(unsigned char byte) {
  group_[held_++] = byte;
  if (held_ < 3) return;
  held_ = 0;
  const unsigned bits = unsigned{group_[0]} << 16 | unsigned{group_[1]} << 8 | group_[2];
  const char digits[4] = {kDigits[bits >> 18], kDigits[bits >> 12 & 63], kDigits[bits >> 6 & 63], kDigits[bits & 63]};
  out_.write(digits, 4);
}

void Base64Buffer::finish() {
  if (held_ == 0) return;
  const std::size_t bytes = held_;
  const unsigned bits = unsigned{group_[0]} << 16 | (bytes > 1 ? unsigned{group_[1]} << 8 : 0);
  const char digits[4] = {kDigits[bits >> 18], kDigits[bits >> 12 & 63], bytes > 1 ? kDigits[bits >> 6 & 63] : '=',
                          '='};
  held_ = 0;
  out_.write(digits, 4);
}

Base64Buffer::int_type Base64Buffer::overflow(int_type byte) {
  if (!traits_type::eq_int_type(byte, traits_type::eof())) add(static_cast<unsigned char>(byte));
  return traits_type::not_eof(byte);
}

std::streamsize Base64Buffer::xsputn(const char* bytes, std::streamsize count) {
  for (std::streamsize k = 0; k < count; ++k) add(static_cast<unsigned char>(bytes[k]));
  return count;
}

}  // namespace headscope
