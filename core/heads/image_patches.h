// Which tokens of a trace are patches of an image: what lets weights be painted over it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/attention/trace.h"
#include "core/base/image.h"
#include "core/model/image_grid.h"

namespace headscope {

struct ImagePatches {
  ImageGrid grid;                        // row by row
  std::int64_t leading = 0;              // tokens before the patches: the class token, registers
  std::shared_ptr<const Image> picture;  // the pixels that the model reads; null: a capture holds none
  std::int64_t tokens() const { return leading + grid.patches(); }
};

// Of the queries, or of the keys; nullopt when they are no patches of one image, or some of them are not shown.
std::optional<ImagePatches> image_patches(const Trace& trace, bool of_keys);

}  // namespace headscope
