#include "core/corpus/capture_digest.h"

namespace headscope {
namespace {

void add(Sha256& sha, std::span<const std::byte> bytes) {
  sha.add(bytes.data(), bytes.size());
}

void add_pages(Sha256& sha, std::span<const std::byte> values) {
  if (values.size() <= kCapturePages * kCapturePage) return add(sha, values);
  const std::size_t last = values.size() - kCapturePage;
  // last / (pages - 1) whole steps, and the rest of the division apart: no product becomes too large.
  for (std::size_t k = 0; k < kCapturePages; ++k) {
    const std::size_t begin = last / (kCapturePages - 1) * k + last % (kCapturePages - 1) * k / (kCapturePages - 1);
    add(sha, values.subspan(begin, kCapturePage));
  }
}

}  // namespace

void add_capture(Sha256& sha, std::span<const std::byte> bytes, const SafetensorsHeader& header) {
  if (bytes.size() - header.data_begin <= kWholeCapture) return add(sha, bytes);
  add(sha, bytes.first(header.data_begin));
  for (const SafetensorsEntry& entry : header.entries) {
    add_pages(sha, bytes.subspan(header.data_begin + entry.begin, entry.end - entry.begin));
  }
}

}  // namespace headscope
