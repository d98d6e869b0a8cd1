// What the font atlas needs to know of a font file.
#pragma once

#include <string>
#include <vector>

namespace headscope::ui {

// Bytes of a file; empty when it cannot be read.
std::vector<unsigned char> file_bytes(const std::string& path);

// Of a TrueType or OpenType face, in ems: how far letters reach above and below the baseline. Dear ImGui's builder
// takes sizes as ascent + descent, the visual system gives them in pixels an em.
struct VerticalMetrics {
  float ascent = 0.95f, descent = 0.25f;  // what a face without readable tables gets
};
VerticalMetrics vertical_metrics(const std::vector<unsigned char>& bytes, int face);

}  // namespace headscope::ui
