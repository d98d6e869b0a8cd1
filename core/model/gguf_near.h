// Architectures that GGUF files name and that are not opened: what is nearest.
#pragma once

#include <string>
#include <string_view>

#include "core/io/gguf.h"

namespace headscope {

// What a refusal says behind general.architecture, from its comma on: that the family opens as a folder, or which is
// nearest and what differs, or what its keys hint at; "" where nothing can be said.
std::string gguf_nearest_sentence(const GgufFile& file, std::string_view architecture);

}  // namespace headscope
