#include "core/io/gzip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/io/mapped_file.h"

namespace headscope {
namespace {

constexpr int kGzipFrame = 16 + MAX_WBITS;  // what inflateInit2() takes for a member with its header and its sums

bool begins_a_member(std::span<const std::byte> bytes) {
  return bytes.size() >= 2 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b};
}

}  // namespace

struct GzipReader::State {
  std::span<const std::byte> rest;  // what is not unpacked yet
  std::string what;
  z_stream z{};
  bool begun = false;  // inside of a member
  std::uint64_t made = 0;
  std::vector<char> piece = std::vector<char>(kPiece);

  State(std::span<const std::byte> bytes, std::string of) : rest(bytes), what(std::move(of)) {
    if (::inflateInit2(&z, kGzipFrame) != Z_OK) throw std::bad_alloc();
  }
  ~State() { ::inflateEnd(&z); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  [[noreturn]] void fail(const std::string& how) const {
    throw Error(fmt::format("{}: {} after {} unpacked bytes; copy or download it anew", what, how, made));
  }

  // The beginning of another member, or the end. Padding with zeros, which tapes need, is no end of a list of phrases.
  bool begin() {
    if (rest.empty()) return false;
    if (!begins_a_member(rest)) fail(fmt::format("{} bytes that gzip has not written follow", rest.size()));
    ::inflateReset(&z);
    return begun = true;
  }

  // Unpacks into `to` what fits, and returns how much that was: 0 at the end of a member too.
  std::size_t fill(std::span<char> to) {
    constexpr std::size_t most = std::numeric_limits<uInt>::max();
    const std::size_t in = std::min(rest.size(), most);
    z.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(rest.data()));
    z.avail_in = static_cast<uInt>(in);
    z.next_out = reinterpret_cast<Bytef*>(to.data());
    z.avail_out = static_cast<uInt>(to.size());
    const int status = ::inflate(&z, Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    const std::size_t got = to.size() - z.avail_out;
    rest = rest.subspan(in - z.avail_in);
    made += got;
    if (status == Z_STREAM_END) begun = false;
    if (status == Z_BUF_ERROR || (status == Z_OK && got == 0 && rest.empty())) fail("its compressed bytes break off");
    if (status != Z_OK && status != Z_STREAM_END) {
      fail(fmt::format("its compressed bytes are damaged ({})", z.msg == nullptr ? "no stream" : z.msg));
    }
    return got;
  }
};

GzipReader::GzipReader(std::span<const std::byte> bytes, std::string what) {
  if (!begins_a_member(bytes)) {
    const std::string seen = describe_bytes(bytes);
    throw Error(fmt::format("{}: {}; expected a file that gzip has written", what,
                            seen.empty() ? "does not begin as a gzip file does" : "is " + seen));
  }
  state_ = std::make_unique<State>(bytes, std::move(what));
}

GzipReader::~GzipReader() = default;

std::string_view GzipReader::next() {
  State& state = *state_;
  std::size_t size = 0;
  while (size < kPiece && (state.begun || state.begin())) {
    size += state.fill(std::span(state.piece).subspan(size));
  }
  return {state.piece.data(), size};
}

}  // namespace headscope
