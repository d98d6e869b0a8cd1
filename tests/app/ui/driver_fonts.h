// The fonts of a Driver. To draw an atlas takes longer than most tests, so all Drivers of the process share those of
// plain texts, as long as they are among the last few scales.
#pragma once

#include <imgui.h>

#include <memory>
#include <string>

#include "app/ui/imgui_compat.h"
#include "app/ui/theme.h"

namespace headscope::ui {

class DriverFonts {
 public:
  // For ImGui::CreateContext. Null: the context is to make an atlas of its own, which draws glyphs as they are needed.
  ImFontAtlas* atlas() { return own_.get(); }
  // Gives the current context an atlas at `scale` with the characters of `text`, as build_fonts() would draw it, and
  // returns its fonts. Not within a frame. The fonts are valid until the next call, and as long as this lives.
  Fonts use(float scale, const std::string& text);

 private:
  struct Shared;
  std::shared_ptr<Shared> used_;  // what the context draws with; null: own_
  // Holds what a text with further characters needs.
  std::unique_ptr<ImFontAtlas> own_ = compat::dynamic_glyphs ? nullptr : std::make_unique<ImFontAtlas>();
};

}  // namespace headscope::ui
