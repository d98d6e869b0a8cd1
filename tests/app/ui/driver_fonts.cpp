#include "tests/app/ui/driver_fonts.h"

#include <algorithm>
#include <cstddef>
#include <list>

#include "app/ui/font_atlas.h"

namespace headscope::ui {

struct DriverFonts::Shared {
  ImFontAtlas atlas;
  Fonts fonts;
  float scale = 0;
};

namespace {

// An atlas takes 2 MB without its pixels. A run that goes through all scales would hold a dozen, and seem to grow.
constexpr std::size_t kMostShared = 3;

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
    used_.reset();
    return build(scale, text);
  }
  static std::list<std::shared_ptr<Shared>> known;  // used last: first
  const auto found = std::find_if(known.begin(), known.end(), [&](const auto& each) { return each->scale == scale; });
  const bool is_new = found == known.end();
  if (is_new) {
    known.push_front(std::make_shared<Shared>());
  } else {
    known.splice(known.begin(), known, found);
  }
  current = &known.front()->atlas;
  used_ = known.front();
  if (is_new) {
    used_->fonts = build(scale, text);
    used_->scale = scale;
  }
  if (known.size() > kMostShared) known.pop_back();
  return used_->fonts;
}

}  // namespace headscope::ui
