// The text in front of an .npy file's values: a Python dict literal of three keys.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headscope {

struct NpyDict {
  std::string descr;
  bool fortran_order = false;
  std::vector<long long> shape;
};

// Parses "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }": the keys in any order, each once, and no
// others; Python 2's 3L counts as 3. Error says what was found at which byte of the header; `what` names the file.
NpyDict parse_npy_dict(std::string_view text, const std::string& what);

}  // namespace headscope
