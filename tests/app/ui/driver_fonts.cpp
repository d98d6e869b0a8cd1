#include "tests/app/ui/driver_fonts.h"

#include <algorithm>
#include <map>

#include "app/ui/font_atlas.h"

namespace headscope::ui {
namespace {

struct Shared {
  ImFontAtlas atlas;
  Fonts fonts;
};

// ASCII adds nothing to what the interface itself writes, so one atlas a scale serves every such text.
bool is_ascii(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

Fonts build(float scale, const std::string& text) {
  Fonts fonts = build_fonts(scale, text);
  compat::upload_fonts_nowhere();
  return fonts;
}

}  // namespace

Fonts DriverFonts::use(float scale, const std::string& text) {
  if (own_ == nullptr) return build(scale, text);
  ImFontAtlas*& current = ImGui::GetIO().Fonts;
  if (!is_ascii(text)) {
    current = own_.get();
    return build(scale, text);
  }
  static std::map<float, Shared> by_scale;
  const auto [found, is_new] = by_scale.try_emplace(scale);
  current = &found->second.atlas;
  if (is_new) found->second.fonts = build(scale, text);
  return found->second.fonts;
}

}  // namespace headscope::ui
