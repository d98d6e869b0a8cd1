// Bytes as text, RFC 4648 section 4.
#pragma once

#include <array>
#include <ostream>
#include <streambuf>

namespace headscope {

// Passes on what is written to it as base64, without line breaks. finish() writes the rest and its padding.
class Base64Buffer : public std::streambuf {
 public:
  explicit Base64Buffer(std::ostream& out) : out_(out) {}
  void finish();

 protected:
  int_type overflow(int_type byte) override;
  std::streamsize xsputn(const char* bytes, std::streamsize count) override;

 private:
  void add(unsigned char byte);
  std::ostream& out_;
  std::array<unsigned char, 3> group_{};
  std::size_t held_ = 0;
};

}  // namespace headscope
