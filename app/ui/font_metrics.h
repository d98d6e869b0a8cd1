// What the font atlas needs to know of a font file.
#pragma once

#include <string>
#include <vector>

namespace headscope::ui {

// Bytes of a file; empty when it cannot be read.
std::vector<unsigned char> file_bytes(const std::string& path);

// (ascender - descender) / units an em of a TrueType or OpenType face: Dear ImGui's builder takes sizes as line
// heights, the visual system gives them in pixels an em. 1.2 when the tables cannot be read.
float line_height_per_em(const std::vector<unsigned char>& bytes, int face);

}  // namespace headscope::ui
