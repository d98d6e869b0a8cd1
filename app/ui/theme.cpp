#include "app/ui/theme.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>

#include "app/ui/font_metrics.h"
#include "app/ui/imgui_compat.h"
#include "app/ui/text_pieces.h"
#include "core/picture/text.h"
#include "core/text/utf8.h"

namespace headscope::ui {

namespace {

// Beyond ASCII and Latin-1: what the interface itself writes.
constexpr const char32_t kOwnCharacters[] =
    U"\u2013\u2014\u2018\u2019\u201C\u201D\u2022\u2026\u00D7\u00F7\u221A\u2212\u2190\u2191\u2192\u2193\u21E7\u221E"
    U"\u2264\u2265\u2260\u2248\u2211\u220F\u22C5\u2032\u25B8\u25BE\u2713\u0394\u03B1\u03B2"
    U"\u03BC\u03C3"
    U"\u03A3\uFFFD";

bool is_own(std::uint32_t c) {
  if (c < 0x20) return true;
  if (c <= 0xFF) return true;
  for (const char32_t own : kOwnCharacters) {
    if (own == c) return true;
  }
  return false;
}

// A character of the phrase that the atlas is to hold, beyond the interface's own.
bool belongs_in_atlas(std::uint32_t c) {
  return c <= compat::last_code_point && !is_own(c) && !is_invisible(c) && !is_scaled_letter(c);
}

// With very many characters only the types that show phrases and tokens get them; the others draw them as pictures.
constexpr std::size_t kManyCharacters = 400;
bool shows_tokens(Type type) {
  return type == Type::words16 || type == Type::mono11 || type == Type::mono12;
}

// Of the type's size and role.
FontRole font_role(Type type) {
  switch (type) {
    case Type::words11:
    case Type::words12:
    case Type::words13:
    case Type::words16:
      return FontRole::words;
    case Type::title12:
    case Type::title13:
    case Type::title15:
      return FontRole::words_bold;
    case Type::mono_bold11:
    case Type::mono_bold12:
    case Type::mono_bold20:
      return FontRole::numbers_bold;
    default:
      return FontRole::numbers;
  }
}

// Sorted code points of `text` that are not the interface's own and that the atlas could hold.
std::vector<std::uint32_t> further_characters(const std::string& text) {
  std::set<std::uint32_t> found;
  for (std::size_t at = 0; at < text.size();) {
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      ++at;
      continue;
    }
    const CodePoint c = code_point_at(text, at);
    at += static_cast<std::size_t>(c.bytes);
    if (c.valid && belongs_in_atlas(c.value)) found.insert(c.value);
  }
  return {found.begin(), found.end()};
}

struct LoadedFont {
  std::vector<unsigned char> bytes;
  VerticalMetrics metrics;
};

// Files are read once for all sizes; the atlas only borrows the bytes until it is built.
class FontLoader {
 public:
  const LoadedFont& load(const FontFile& file) {
    std::unique_ptr<LoadedFont>& font = fonts_[{file.path, file.face}];
    if (font == nullptr) {
      font = std::make_unique<LoadedFont>();
      font->bytes = file_bytes(file.path);
      font->metrics = vertical_metrics(font->bytes, file.face);
    }
    return *font;
  }

 private:
  std::map<std::pair<std::string, int>, std::unique_ptr<LoadedFont>> fonts_;
};

using Ranges = std::vector<ImWchar>;

Ranges ranges_of(const std::vector<std::uint32_t>& sorted) {
  Ranges ranges;
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t end = i + 1;
    while (end < sorted.size() && sorted[end] == sorted[end - 1] + 1) ++end;
    ranges.push_back(static_cast<ImWchar>(sorted[i]));
    ranges.push_back(static_cast<ImWchar>(sorted[end - 1]));
    i = end;
  }
  ranges.push_back(0);
  return ranges;
}

ImFont* add_font(FontLoader& loader, const FontFile& file, float em, const Ranges& ranges, bool merge) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  const LoadedFont& font = loader.load(file);
  if (font.bytes.empty()) return nullptr;
  ImFontConfig config;
  config.MergeMode = merge;
  config.FontNo = file.face;
  config.OversampleH = 3;
  config.OversampleV = 1;
  config.PixelSnapH = false;
  const float size = em * (font.metrics.ascent + font.metrics.descent);
#if IMGUI_VERSION_NUM >= 19200
  // The atlas reads glyphs as they are first drawn: it keeps a copy of the file.
  void* copy = ImGui::MemAlloc(font.bytes.size());
  std::copy(font.bytes.begin(), font.bytes.end(), static_cast<unsigned char*>(copy));
  return atlas.AddFontFromMemoryTTF(copy, static_cast<int>(font.bytes.size()), size, &config, ranges.data());
#else
  config.FontDataOwnedByAtlas = false;
  return atlas.AddFontFromMemoryTTF(const_cast<unsigned char*>(font.bytes.data()), static_cast<int>(font.bytes.size()),
                                    size, &config, ranges.data());
#endif
}

}  // namespace

Fonts build_fonts(float scale, const std::string& text) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  atlas.Clear();
  // Advances as the font has them, not rounded up to whole pixels: mono columns keep their exact pitch.
#if IMGUI_VERSION_NUM < 19200
  atlas.FontBuilderIO = ImFontAtlasGetBuilderForStbTruetype();
#endif
  atlas.Flags |= ImFontAtlasFlags_NoMouseCursors;
  atlas.TexGlyphPadding = 1;

  Fonts fonts;
  fonts.scale = scale;
  const std::vector<std::uint32_t> wanted = further_characters(text);
  std::vector<std::uint32_t> own;
  for (std::uint32_t c = 0x20; c <= 0xFF; ++c) {
    if (c < 0x7F || c >= 0xA0) own.push_back(c);
  }
  for (const char32_t c : kOwnCharacters) {
    if (c != 0 && c > 0xFF) own.push_back(c);
  }
  own.insert(own.end(), wanted.begin(), wanted.end());
  std::sort(own.begin(), own.end());
  own.erase(std::unique(own.begin(), own.end()), own.end());
  const Ranges all_ranges = ranges_of(own);
  std::erase_if(own, [&](std::uint32_t c) { return !is_own(c); });
  const Ranges own_ranges = ranges_of(own);
  const bool many = wanted.size() > kManyCharacters;

  // Which further file has which of the wanted characters, for words and for numbers. The symbols that the interface
  // writes may be missing in the best font too.
  std::vector<std::uint32_t> asked = wanted;
  for (const char32_t c : kOwnCharacters) {
    if (c > 0xFF && c != 0xFFFD) asked.push_back(c);
  }
  std::map<FontRole, std::map<std::pair<std::string, int>, std::vector<std::uint32_t>>> further;
  for (const FontRole role : {FontRole::words, FontRole::words_bold, FontRole::numbers, FontRole::numbers_bold}) {
    const FontFile main = font_file(role);
    for (const std::uint32_t c : asked) {
      const FontFile file = fallback_font_file(c, role);
      if (!file.path.empty() && file != main) further[role][{file.path, file.face}].push_back(c);
    }
  }

  std::vector<std::unique_ptr<Ranges>> kept;  // until the atlas is built
  FontLoader loader;
  for (int i = 0; i < static_cast<int>(Type::count); ++i) {
    const Type type = static_cast<Type>(i);
    const FontRole role = font_role(type);
    const float em = std::max(6.0f, std::round(em_pixels(type) * scale));
    const FontFile main = font_file(role);
    ImFont* font = main.path.empty()
                       ? nullptr
                       : add_font(loader, main, em, many && !shows_tokens(type) ? own_ranges : all_ranges, false);
    if (font == nullptr) {
      ImFontConfig config;
      config.SizePixels = em;
      font = atlas.AddFontDefault(&config);
    }
    fonts.by_type[i] = font;
    const VerticalMetrics metrics = main.path.empty() ? VerticalMetrics() : loader.load(main).metrics;
    fonts.ascent[i] = std::round(em * metrics.ascent);
    fonts.descent[i] = std::round(em * metrics.descent);
    if (many && !shows_tokens(type)) continue;
    for (auto& [file, characters] : further[role]) {
      std::sort(characters.begin(), characters.end());
      characters.erase(std::unique(characters.begin(), characters.end()), characters.end());
      kept.push_back(std::make_unique<Ranges>(ranges_of(characters)));
      add_font(loader, {file.first, file.second}, em, *kept.back(), true);
    }
  }
#if IMGUI_VERSION_NUM < 19200
  atlas.Build();
  atlas.ClearInputData();
#endif
  for (int i = 0; i < static_cast<int>(Type::count); ++i) {
#if IMGUI_VERSION_NUM >= 19200
    fonts.pixels[i] = fonts.by_type[i]->LegacySize;
#else
    fonts.pixels[i] = fonts.by_type[i]->FontSize;
#endif
  }
  for (const std::uint32_t c : wanted) {
    const bool here = compat::has_glyph(fonts[Type::words16], c) || compat::has_glyph(fonts[Type::mono12], c);
    (here ? fonts.covered : fonts.missing).push_back(c);
  }
  return fonts;
}

bool needs_rebuild(const Fonts& fonts, const std::string& text) {
  if (compat::dynamic_glyphs && fonts.covered.empty() && fonts.missing.empty() && text.empty()) return false;
  for (std::size_t at = 0; at < text.size();) {
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      ++at;
      continue;
    }
    const CodePoint c = code_point_at(text, at);
    at += static_cast<std::size_t>(c.bytes);
    if (!c.valid || !belongs_in_atlas(c.value)) continue;
    if (!std::binary_search(fonts.covered.begin(), fonts.covered.end(), c.value) &&
        !std::binary_search(fonts.missing.begin(), fonts.missing.end(), c.value)) {
      return true;
    }
  }
  return false;
}

}  // namespace headscope::ui
