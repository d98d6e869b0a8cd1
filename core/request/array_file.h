// Files that hold several arrays by name, judged by how their names end.
#pragma once

#include <string>
#include <string_view>

namespace headscope {

// Whether a file of that name holds arrays by name: .safetensors, .npz, or a file of torch.save (.pt, .pth, .bin).
inline bool names_arrays(std::string_view path) {
  for (const std::string_view ending : {".safetensors", ".npz", ".pt", ".pth", ".bin"}) {
    if (path.ends_with(ending)) return true;
  }
  return false;
}

}  // namespace headscope
