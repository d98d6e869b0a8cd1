// The atlas of fonts, which holds the interface's own characters and those of the text on screen.
#pragma once

#include <string>

#include "app/ui/theme.h"

namespace headscope::ui {

// Builds the atlas at `scale`, with the glyphs of the interface and of `text` (the characters of the phrases, from
// fonts that fontconfig finds for them). Call it when the scale changes or needs_rebuild() is true; then upload the
// atlas's texture again. Below Dear ImGui 1.92 code points above U+FFFF are not in the atlas: text() draws them as
// small pictures instead, as it does what needs_layout() (core/picture/text/text.h).
Fonts build_fonts(float scale, const std::string& text);

// Whether `text` has characters that build_fonts() was not asked for.
bool needs_rebuild(const Fonts& fonts, const std::string& text);

}  // namespace headscope::ui
