// How a model wants its images: preprocessor_config.json of a checkpoint folder.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/image.h"
#include "core/model/architecture.h"
#include "core/model/image_resize.h"

namespace headscope {

// The steps in their order; those that are not there are left out.
struct ImageProcessor {
  struct Size {
    std::int64_t height = 0, width = 0;
    friend bool operator==(const Size&, const Size&) = default;
  };
  std::string path;                        // of the file
  const ResampleFilter* filter = nullptr;  // of the first step; null: images keep their size
  std::optional<Size> size;                // becomes this size ...
  std::int64_t shortest_edge = 0;          // ... or one whose shorter side is this, the longer one rounded down
  std::optional<Size> crop;                // the middle of it
  double factor = 1;                       // multiplies every number
  std::array<double, 3> mean{}, deviation{1, 1, 1};  // of each channel: x becomes (x - mean) / deviation
};

// Of a folder; `architecture` says what the reference's processors of its family do where the file does not. Null
// without such a file. Throws Error that names the file and lists what does not fit, or asks for what is not done.
std::shared_ptr<const ImageProcessor> read_image_processor(const std::string& folder, const Architecture& architecture);

// The same of the file's text.
ImageProcessor parse_image_processor(const std::string& json, const Architecture& architecture,
                                     const std::string& path);

// The image at the size that the model reads it, before its numbers are scaled. Throws Error where the crop is larger
// than the image, or the size above 16,384 a side; `what` names the image.
Image fitted_image(const ImageProcessor& processor, const Image& image, const std::string& what);

// Channel `channel` (0 red, 1 green, 2 blue) of a pixel as the model reads it.
float channel_value(const ImageProcessor& processor, const Rgba& pixel, std::size_t channel);

}  // namespace headscope
