// Zip archives, as numpy.savez and numpy.savez_compressed write them: APPNOTE.TXT of PKWARE, sections 4.3 to 4.5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace headscope {

struct ZipMember {
  std::string name;
  std::size_t begin = 0;       // of its bytes in the archive
  std::uint64_t packed = 0;    // how many bytes lie in the archive
  std::uint64_t bytes = 0;     // how many they unpack to; the same where nothing was compressed
  std::uint32_t checksum = 0;  // CRC-32 of the unpacked bytes
  bool deflated = false;       // false: the bytes lie in the archive as they are
};

// The members of an archive in the order of its directory, folders left out. The archive is not trusted: every member
// lies inside it and none over another, names are unique, at most 65,536 members. Throws Error that names `what` for
// anything else, for encrypted members and for other ways of compression than deflate. Nothing is unpacked.
std::vector<ZipMember> zip_members(std::span<const std::byte> archive, const std::string& what);

// The bytes of a member that lies in the archive as it is. Throws Error when its checksum is another one.
std::span<const std::byte> stored_member(std::span<const std::byte> archive, const ZipMember& member,
                                         const std::string& what);

// The unpacked bytes of a deflated member; memory grows with what is really there. Throws Error when it holds more or
// fewer bytes than the directory says, or its checksum is another one.
std::vector<std::byte> inflated_member(std::span<const std::byte> archive, const ZipMember& member,
                                       const std::string& what);

}  // namespace headscope
