// The text in front of an .npy file's values: a Python dict literal of three keys.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

inline constexpr std::string_view kNpyMagic = "\x93NUMPY";  // the first bytes of every .npy file

struct NpyDict {
  std::string descr;
  bool fortran_order = false;
  std::vector<long long> shape;
};

// Parses "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }": the keys in any order, each once, and no
// others; Python 2's 3L counts as 3. Error says what was found at which byte of the header; `what` names the file.
NpyDict parse_npy_dict(std::string_view text, const std::string& what);

// The dict in front of the values of `bytes`, a whole .npy file, and where its values begin. Neither the type nor the
// length of the values is looked at. Throws Error for other files and for headers of more than 10,000 bytes.
NpyDict read_npy_dict(std::span<const std::byte> bytes, const std::string& what, std::size_t& data_offset);

}  // namespace headscope
