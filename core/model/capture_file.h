// The file of a capture, by its format: what its tensors are called and which axes they have. Internal to core/model.
#pragma once

#include <string>

#include "core/model/capture.h"
#include "core/model/capture_facts.h"

namespace headscope {

// Reads the tensors of `path` into `capture`, and what the file itself says of them into `facts`. What the layers say
// of each other is not checked. Throws Error as read_capture() does.
void read_capture_file(const std::string& path, Capture& capture, LayerFacts& facts);

}  // namespace headscope
