// Archives of arrays: two that NumPy 1.24.2 itself wrote, in hexadecimal, and a writer for all others.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace headscope::test {

// numpy.savez(weights=numpy.float16([[[1, 0], [.25, .75]]]), tokens=numpy.array(["a", "\u00e9"]))
constexpr const char* kStoredNpz =
    "504b03041400000000000000210019a3fd1c88000000880000000b001400776569676874732e6e707901001000880000000000000088"
    "00000000000000934e554d5059010076007b276465736372273a20273c6632272c2027666f727472616e5f6f72646572273a2046616c"
    "73652c20277368617065273a2028312c20322c2032292c207d2020202020202020202020202020202020202020202020202020202020"
    "20202020202020202020202020202020202020202020202020200a003c00000034003a504b0304140000000000000021009d1eb8d688"
    "000000880000000a001400746f6b656e732e6e70790100100088000000000000008800000000000000934e554d5059010076007b2764"
    "65736372273a20273c5531272c2027666f727472616e5f6f72646572273a2046616c73652c20277368617065273a2028322c292c207d"
    "202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020"
    "2020202020200a61000000e9000000504b010214031400000000000000210019a3fd1c88000000880000000b00000000000000000000"
    "00800100000000776569676874732e6e7079504b01021403140000000000000021009d1eb8d688000000880000000a00000000000000"
    "000000008001c5000000746f6b656e732e6e7079504b0506000000000200020071000000890100000000";

// numpy.savez_compressed(w, numpy.asfortranarray(w)), w as above
constexpr const char* kDeflatedNpz =
    "504b03041400000008000000210019a3fd1c5000000088000000090014006172725f302e6e7079010010008800000000000000500000"
    "00000000009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a06e9366a4aea3a09e965f54529498179f5f94920a12774bcc294e058a"
    "17672416a402f91a863a0a4640a4a9a350ab401ee062b06160603061b00200504b03041400000008000000210030ddc3994f00000088"
    "000000090014006172725f312e6e70790100100088000000000000004f000000000000009bec17ea1b10c9c850c650ad9e925a9c5ca4"
    "6ea5a06e9366a4aea3a09e965f54529498179f5f94920a120f292a4d050a17672416a402b91a863a0a4640a4a9a350ab4026e062b061"
    "30616060b00200504b010214031400000008000000210019a3fd1c500000008800000009000000000000000000000080010000000061"
    "72725f302e6e7079504b010214031400000008000000210030ddc3994f0000008800000009000000000000000000000080018b000000"
    "6172725f312e6e7079504b050600000000020002006e000000150100000000";

// A member as it is to be written; what the archive says of it may be wrong.
struct ZipFile {
  std::string name;
  std::string content;
  bool deflated = false;
  std::uint32_t bytes_off = 0;     // added to the size that is told
  std::uint32_t checksum_off = 0;  // added to the checksum that is told
  std::uint16_t flags = 0;
  std::uint16_t method = 0;  // 0: what `deflated` says
};

template <typename T>
void put_number(std::string& to, T value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  to.append(bytes, sizeof value);
}

// Deflate without zlib's frame.
inline std::string raw_deflated(const std::string& content) {
  z_stream z{};
  deflateInit2(&z, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&z, static_cast<uLong>(content.size())), '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  z.avail_in = static_cast<uInt>(content.size());
  z.next_out = reinterpret_cast<Bytef*>(packed.data());
  z.avail_out = static_cast<uInt>(packed.size());
  deflate(&z, Z_FINISH);
  packed.resize(z.total_out);
  deflateEnd(&z);
  return packed;
}

inline std::string zip_of(const std::vector<ZipFile>& files) {
  std::string archive, directory;
  for (const ZipFile& file : files) {
    const std::string packed = file.deflated ? raw_deflated(file.content) : file.content;
    std::string numbers;  // what both headers hold
    put_number(numbers, std::uint16_t{20});
    put_number(numbers, file.flags);
    put_number(numbers,
               file.method != 0 ? file.method : std::uint16_t{file.deflated ? std::uint8_t{8} : std::uint8_t{0}});
    put_number(numbers, std::uint32_t{0});
    const auto sum =
        crc32(0, reinterpret_cast<const Bytef*>(file.content.data()), static_cast<uInt>(file.content.size()));
    put_number(numbers, static_cast<std::uint32_t>(sum) + file.checksum_off);
    put_number(numbers, static_cast<std::uint32_t>(packed.size()));
    put_number(numbers, static_cast<std::uint32_t>(file.content.size()) + file.bytes_off);
    put_number(numbers, static_cast<std::uint16_t>(file.name.size()));
    put_number(numbers, std::uint16_t{0});
    directory += "PK\x01\x02" + std::string(2, '\0') + numbers + std::string(10, '\0');
    put_number(directory, static_cast<std::uint32_t>(archive.size()));
    directory += file.name;
    archive += "PK\x03\x04" + numbers + file.name + packed;
  }
  std::string end = "PK\x05\x06" + std::string(4, '\0');
  put_number(end, static_cast<std::uint16_t>(files.size()));
  put_number(end, static_cast<std::uint16_t>(files.size()));
  put_number(end, static_cast<std::uint32_t>(directory.size()));
  put_number(end, static_cast<std::uint32_t>(archive.size()));
  return archive + directory + end + std::string(2, '\0');
}

}  // namespace headscope::test
