// Texts as gzip writes them.
#pragma once

#include <zlib.h>

#include <string>
#include <string_view>

namespace headscope::test {

// One member (RFC 1952) without a name and a time.
inline std::string gzipped(std::string_view text, int level = 6) {
  z_stream z{};
  deflateInit2(&z, level, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&z, static_cast<uLong>(text.size())), '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  z.avail_in = static_cast<uInt>(text.size());
  z.next_out = reinterpret_cast<Bytef*>(packed.data());
  z.avail_out = static_cast<uInt>(packed.size());
  deflate(&z, Z_FINISH);
  packed.resize(z.total_out);
  deflateEnd(&z);
  return packed;
}

// What gzip 1.12 -n itself wrote of "cat box\nink\n" and of "fox\n".
inline std::string gzip_of_cat_box() {
  return {
      "\x1f\x8b\x08\0\0\0\0\0\0\x03\x4b\x4e\x2c\x51\x48\xca\xaf\xe0\xca\xcc\xcb\xe6\x02\0\x38\x9f\x5a\xe8\x0c\0\0\0",
      32};
}
inline std::string gzip_of_fox() {
  return {"\x1f\x8b\x08\0\0\0\0\0\x02\x03\x4b\xcb\xaf\xe0\x02\0\x3e\xe1\xb1\x7b\x04\0\0\0", 24};
}

}  // namespace headscope::test
