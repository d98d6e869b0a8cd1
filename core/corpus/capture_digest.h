// What of a capture tells it from another one, without reading all of a large file. Internal to core/corpus.
#pragma once

#include <cstddef>
#include <span>

#include "core/io/safetensors.h"
#include "core/io/sha256.h"

namespace headscope {

// Values of so many bytes are all read; of more, of each tensor so many pages.
constexpr std::size_t kWholeCapture = std::size_t{1} << 20, kCapturePage = std::size_t{1} << 12, kCapturePages = 8;

// Adds the header of the file, and of its values, n bytes: all of them where n <= kWholeCapture; else of each tensor,
// in the order of their names, all where it has at most kCapturePages pages, and otherwise that many: page k begins at
// byte floor(k (size - page) / (pages - 1)), so that the first and the last byte are in. What another run wrote, or
// another model, differs there; a few numbers that were changed in a large file may not.
void add_capture(Sha256& sha, std::span<const std::byte> bytes, const SafetensorsHeader& header);

}  // namespace headscope
