#include <fmt/format.h>
#include <zlib.h>

#include <memory>
#include <string_view>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/base/utf8.h"
#include "core/io/mapped_file.h"
#include "core/io/png.h"
#include "core/io/png_chunks.h"

namespace headscope {

namespace {

constexpr std::size_t kLongestText = std::size_t{16} << 20;

// The part of `rest` before its first NUL, which is taken away with the NUL. False when there is no NUL.
bool take_until_nul(std::string_view& rest, std::string_view& part) {
  const std::size_t nul = rest.find('\0');
  if (nul == rest.npos) return false;
  part = rest.substr(0, nul);
  rest.remove_prefix(nul + 1);
  return true;
}

std::string utf8_of_latin1(std::string_view text) {
  std::string utf8;
  for (const char c : text) append_utf8(utf8, static_cast<unsigned char>(c));
  return utf8;
}

// A zlib stream's content. It may be a thousand times longer than the stream, so it grows while it is read.
std::string inflated(std::string_view stream, const std::string& what, std::string_view keyword) {
  z_stream z{};
  if (::inflateInit(&z) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&z, ::inflateEnd);
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(stream.data()));
  z.avail_in = static_cast<uInt>(stream.size());
  std::string text, piece(std::size_t{1} << 16, '\0');
  while (true) {
    z.next_out = reinterpret_cast<Bytef*>(piece.data());
    z.avail_out = static_cast<uInt>(piece.size());
    const int status = ::inflate(&z, Z_NO_FLUSH);
    text.append(piece, 0, piece.size() - z.avail_out);
    if (text.size() > kLongestText) {
      throw Error(fmt::format("{}: the text {} is longer than {} bytes", what, in_quotes(keyword), kLongestText));
    }
    if (status == Z_STREAM_END) return text;
    if (status != Z_OK) throw Error(fmt::format("{}: the text {} is damaged", what, in_quotes(keyword)));
  }
}

// keyword NUL text
void read_latin_text(const PngChunk& chunk, std::string_view rest, PngInfo& info, const std::string& what) {
  std::string_view keyword;
  if (!take_until_nul(rest, keyword))
    throw Error(fmt::format("{}: damaged PNG: a {} chunk without a NUL", what, chunk.type));
  info.texts.emplace(utf8_of_latin1(keyword), utf8_of_latin1(rest));
}

// keyword NUL compressed method language NUL translated keyword NUL text
void read_international_text(std::string_view rest, PngInfo& info, const std::string& what) {
  std::string_view keyword, language, translated;
  const bool has_keyword = take_until_nul(rest, keyword) && rest.size() >= 2;
  const bool compressed = has_keyword && rest[0] != 0;
  const bool known_method = has_keyword && (rest[0] == 0 || (rest[0] == 1 && rest[1] == 0));
  if (has_keyword) rest.remove_prefix(2);
  if (!known_method || !take_until_nul(rest, language) || !take_until_nul(rest, translated)) {
    throw Error(fmt::format("{}: damaged PNG: an iTXt chunk that breaks off", what));
  }
  info.texts.emplace(utf8_of_latin1(keyword), compressed ? inflated(rest, what, keyword) : std::string(rest));
}

}  // namespace

PngInfo parse_png_info(std::span<const std::byte> bytes, const std::string& what) {
  PngInfo info;
  for_each_png_chunk(bytes, what, [&](const PngChunk& chunk) {
    if (chunk.type == "IHDR") {
      const PngHeader header = png_header(chunk, what);
      info.width = header.width;
      info.height = header.height;
      return;
    }
    if (chunk.type != "tEXt" && chunk.type != "iTXt") return;
    if (chunk.data.size() > kLongestText) {
      throw Error(fmt::format("{}: a text of {} bytes; at most {} are read", what, chunk.data.size(), kLongestText));
    }
    if (!checksum_fits(chunk)) {
      throw Error(fmt::format("{}: damaged PNG: the checksum of an {} chunk is wrong", what, chunk.type));
    }
    const std::string_view data(reinterpret_cast<const char*>(chunk.data.data()), chunk.data.size());
    if (chunk.type == "tEXt") {
      read_latin_text(chunk, data, info, what);
    } else {
      read_international_text(data, info, what);
    }
  });
  return info;
}

PngInfo read_png_info(const std::string& path) {
  const auto file = MappedFile::open(path);
  PngInfo info = parse_png_info(file->bytes(), path);
  file->check_unchanged();
  return info;
}

}  // namespace headscope
