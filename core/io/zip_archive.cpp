#include "core/io/zip_archive.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <new>
#include <set>
#include <string_view>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/io/bytes.h"
#include "core/io/mapped_file.h"

namespace headscope {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::uint32_t kLocalHeader = 0x04034B50, kEntry = 0x02014B50, kEnd = 0x06054B50, kEnd64 = 0x06064B50,
                        kLocator64 = 0x07064B50;
constexpr std::size_t kLocalBytes = 30, kEntryBytes = 46, kEndBytes = 22, kEnd64Bytes = 56, kLocatorBytes = 20;
constexpr std::size_t kLongestComment = 65535;
constexpr std::uint64_t kMostMembers = 65536;
// Deflate makes at most 258 bytes of two bits.
constexpr std::uint64_t kMostRatio = 1032;
constexpr std::uint32_t kIn64 = 0xFFFFFFFF;  // the number stands in the field of 64 bits

// Numbers at places of the archive; beyond its end they are a refusal.
struct Reader {
  Bytes archive;
  const std::string& what;

  [[noreturn]] void refuse(const std::string& detail) const {
    throw Error(fmt::format("{}: damaged zip archive: {} (a download cut short?)", what, detail));
  }
  void need(std::uint64_t at, std::uint64_t count, const char* of) const {
    if (at > archive.size() || count > archive.size() - at) refuse(fmt::format("{} lies beyond its end", of));
  }
  template <typename T>
  T number(std::uint64_t at) const {
    return load<T>(archive.data() + at);
  }
  std::string_view text(std::uint64_t at, std::size_t count) const {
    return {reinterpret_cast<const char*>(archive.data()) + at, count};
  }
};

struct Directory {
  std::uint64_t begin = 0, bytes = 0, members = 0;
};

// The last record of an archive, whose comment ends with the file.
std::uint64_t end_record(const Reader& in) {
  const std::size_t size = in.archive.size();
  const std::size_t last = size < kEndBytes ? 0 : size - kEndBytes;
  for (std::size_t back = 0; size >= kEndBytes && back <= std::min(last, kLongestComment); ++back) {
    const std::size_t at = last - back;
    if (in.number<std::uint32_t>(at) == kEnd && in.number<std::uint16_t>(at + 20) == back) return at;
  }
  const std::string seen = describe_bytes(in.archive.first(std::min<std::size_t>(size, 4096)));
  if (size >= 4 && in.number<std::uint32_t>(0) == kLocalHeader) in.refuse("its directory is missing");
  throw Error(fmt::format("{}: not a zip archive{}{}; expected what numpy.savez wrote", in.what,
                          seen.empty() ? "" : ": it is ", seen));
}

Directory directory_of(const Reader& in) {
  const std::uint64_t end = end_record(in);
  Directory directory{in.number<std::uint32_t>(end + 16), in.number<std::uint32_t>(end + 12),
                      in.number<std::uint16_t>(end + 10)};
  const bool large = directory.begin == kIn64 || directory.bytes == kIn64 || directory.members == 0xFFFF;
  const bool has_locator = end >= kLocatorBytes && in.number<std::uint32_t>(end - kLocatorBytes) == kLocator64;
  if (large && has_locator) {
    const auto at = in.number<std::uint64_t>(end - kLocatorBytes + 8);
    in.need(at, kEnd64Bytes, "the directory's place");
    if (in.number<std::uint32_t>(at) != kEnd64) in.refuse("the directory's place is not where it is said to be");
    directory = {in.number<std::uint64_t>(at + 48), in.number<std::uint64_t>(at + 40),
                 in.number<std::uint64_t>(at + 32)};
  }
  in.need(directory.begin, directory.bytes, "its directory");
  if (directory.members > kMostMembers) {
    throw Error(fmt::format("{}: {} members; at most {} are read", in.what, directory.members, kMostMembers));
  }
  return directory;
}

// Numbers of 64 bits replace those that did not fit, in this order: unpacked, packed, place.
void read_wide_numbers(const Reader& in, std::uint64_t at, std::uint64_t end, ZipMember& member, std::uint64_t& place) {
  while (end - at >= 4) {
    const auto id = in.number<std::uint16_t>(at), size = in.number<std::uint16_t>(at + 2);
    at += 4;
    if (size > end - at) in.refuse("an extra field lies beyond its entry");
    if (id == 1) {
      std::uint64_t next = at;
      for (std::uint64_t* wide : {&member.bytes, &member.packed, &place}) {
        if (*wide != kIn64) continue;
        if (at + size - next < 8) in.refuse("a size of 64 bits is missing");
        *wide = in.number<std::uint64_t>(next);
        next += 8;
      }
    }
    at += size;
  }
}

// The bytes of a member begin behind its own header, which repeats the name.
void place_member(const Reader& in, std::uint64_t at, ZipMember& member) {
  const std::string shown = in_quotes(member.name);
  in.need(at, kLocalBytes, "a member");
  if (in.number<std::uint32_t>(at) != kLocalHeader) in.refuse(fmt::format("no member begins where {} should", shown));
  const auto name = in.number<std::uint16_t>(at + 26), extra = in.number<std::uint16_t>(at + 28);
  in.need(at + kLocalBytes, std::uint64_t{name} + extra, "a member's name");
  if (in.text(at + kLocalBytes, name) != member.name) in.refuse(fmt::format("{} has two names", shown));
  const std::uint64_t begin = at + kLocalBytes + name + extra;
  in.need(begin, member.packed, "a member");
  member.begin = static_cast<std::size_t>(begin);
}

void check_member(const Reader& in, const ZipMember& member, std::uint16_t flags, std::uint16_t method) {
  const std::string shown = in_quotes(member.name);
  if ((flags & 1) != 0) {
    throw Error(fmt::format("{}: {} is encrypted; expected an archive of numpy.savez", in.what, shown));
  }
  if (method != 0 && method != 8) {
    throw Error(
        fmt::format("{}: {} is compressed by method {}; expected a stored or deflated member", in.what, shown, method));
  }
  if (!member.deflated && member.packed != member.bytes) in.refuse(fmt::format("{} has two sizes", shown));
  if (member.deflated && member.bytes / kMostRatio > member.packed) {
    throw Error(fmt::format("{}: {} says that its {} bytes unpack to {}, which no deflated data does", in.what, shown,
                            member.packed, member.bytes));
  }
}

// Small archives of members over each other unpack to any size.
void check_apart(const Reader& in, const std::vector<ZipMember>& members, std::uint64_t directory) {
  std::vector<const ZipMember*> sorted;
  for (const ZipMember& member : members) sorted.push_back(&member);
  std::sort(sorted.begin(), sorted.end(), [](const ZipMember* a, const ZipMember* b) { return a->begin < b->begin; });
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const std::uint64_t next = i + 1 < sorted.size() ? sorted[i + 1]->begin : directory;
    if (sorted[i]->begin + sorted[i]->packed > next) {
      in.refuse(fmt::format("{} lies over what comes next", in_quotes(sorted[i]->name)));
    }
  }
}

void check_sum(Bytes bytes, const ZipMember& member, const std::string& what) {
  const auto sum = static_cast<std::uint32_t>(::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
  if (sum == member.checksum) return;
  throw Error(fmt::format("{}: {} is damaged: its checksum is {:08x}, the archive says {:08x}", what,
                          in_quotes(member.name), sum, member.checksum));
}

}  // namespace

std::vector<ZipMember> zip_members(Bytes archive, const std::string& what) {
  const Reader in{archive, what};
  const Directory directory = directory_of(in);
  std::vector<ZipMember> members;
  std::set<std::string> names;
  std::uint64_t at = directory.begin;
  const std::uint64_t end = directory.begin + directory.bytes;
  for (std::uint64_t i = 0; i < directory.members; ++i) {
    if (end - at < kEntryBytes || in.number<std::uint32_t>(at) != kEntry) in.refuse("its directory is too short");
    ZipMember member;
    const auto flags = in.number<std::uint16_t>(at + 8), method = in.number<std::uint16_t>(at + 10);
    member.checksum = in.number<std::uint32_t>(at + 16);
    member.packed = in.number<std::uint32_t>(at + 20);
    member.bytes = in.number<std::uint32_t>(at + 24);
    member.deflated = method == 8;
    std::uint64_t place = in.number<std::uint32_t>(at + 42);
    const std::uint64_t name = in.number<std::uint16_t>(at + 28), extra = in.number<std::uint16_t>(at + 30),
                        comment = in.number<std::uint16_t>(at + 32);
    at += kEntryBytes;
    if (end - at < name + extra + comment) in.refuse("its directory is too short");
    member.name = in.text(at, static_cast<std::size_t>(name));
    read_wide_numbers(in, at + name, at + name + extra, member, place);
    at += name + extra + comment;
    if (member.name.ends_with('/')) continue;
    if (!names.insert(member.name).second) in.refuse(fmt::format("{} stands twice", in_quotes(member.name)));
    check_member(in, member, flags, method);
    place_member(in, place, member);
    members.push_back(std::move(member));
  }
  check_apart(in, members, directory.begin);
  return members;
}

Bytes stored_member(Bytes archive, const ZipMember& member, const std::string& what) {
  const Bytes bytes = archive.subspan(member.begin, static_cast<std::size_t>(member.packed));
  check_sum(bytes, member, what);
  return bytes;
}

std::vector<std::byte> inflated_member(Bytes archive, const ZipMember& member, const std::string& what) {
  const Bytes packed = archive.subspan(member.begin, static_cast<std::size_t>(member.packed));
  const auto wanted = static_cast<std::size_t>(member.bytes);
  z_stream z{};
  if (::inflateInit2(&z, -15) != Z_OK) throw std::bad_alloc();  // deflate without zlib's frame
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&z, ::inflateEnd);
  constexpr std::size_t most = std::numeric_limits<uInt>::max();
  std::vector<std::byte> bytes;
  std::size_t taken = 0, made = 0;
  int status = Z_OK;
  const auto damaged = [&](const char* how) {
    return Error(fmt::format("{}: {} is damaged: {}", what, in_quotes(member.name), how));
  };
  while (status != Z_STREAM_END) {
    // One byte more than is wanted tells too long a member.
    if (made == bytes.size()) bytes.resize(std::min(wanted + 1, std::max<std::size_t>(2 * made, 65536)));
    const std::size_t in = std::min(packed.size() - taken, most), out = std::min(bytes.size() - made, most);
    z.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(packed.data() + taken));
    z.avail_in = static_cast<uInt>(in);
    z.next_out = reinterpret_cast<Bytef*>(bytes.data() + made);
    z.avail_out = static_cast<uInt>(out);
    status = ::inflate(&z, Z_NO_FLUSH);
    taken += in - z.avail_in;
    made += out - z.avail_out;
    if (made > wanted) throw damaged("it unpacks to more than the archive says");
    if (status != Z_OK && status != Z_STREAM_END) throw damaged("its compressed bytes break off or make no sense");
  }
  if (made != wanted) throw damaged("it unpacks to less than the archive says");
  if (taken != packed.size()) throw damaged("there is more behind its end");
  bytes.resize(wanted);
  check_sum(bytes, member, what);
  return bytes;
}

}  // namespace headscope
