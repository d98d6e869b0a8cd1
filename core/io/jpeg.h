// JPEG pictures, by libjpeg.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/base/image.h"

namespace headscope {

// The pixels of a baseline or progressive JPEG, gray or colour; every pixel is opaque. At most 100 million of them, and
// no more than the file's bytes can hold. A picture whose data ends early, or that libjpeg reads with a warning, is
// refused: its last rows would be made up. Notes of the camera (Exif), its orientation among them, are not followed.
// Throws Error: no JPEG, damaged, CMYK.
Image read_jpeg(const std::string& path);
Image parse_jpeg(std::span<const std::byte> bytes, const std::string& what);

// The pixels of a PNG or a JPEG, told apart by their first bytes. Throws Error as read_png and read_jpeg, and for every
// other file.
Image read_picture(const std::string& path);

}  // namespace headscope
