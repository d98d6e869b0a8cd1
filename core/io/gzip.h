// gzip files (RFC 1952), unpacked piece by piece: memory does not grow with what is packed in them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace headscope {

class GzipReader {
 public:
  static constexpr std::size_t kPiece = std::size_t{1} << 18;

  // The bytes of the whole file, which have to outlive it; `what` begins every sentence. Error when they do not begin
  // as a gzip file does.
  GzipReader(std::span<const std::byte> bytes, std::string what);
  ~GzipReader();
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;

  // The next kPiece bytes of what was packed, fewer at the end, none behind it; valid until the next call. Members that
  // follow one another (`cat a.gz b.gz`) are one text. Error where the packed bytes break off, are damaged (each member
  // carries the CRC-32 and the length of what it holds), or are followed by anything but another member.
  std::string_view next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headscope
