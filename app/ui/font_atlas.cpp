#include "app/ui/font_atlas.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <memory>
#include <set>
#include <span>

#include "app/ui/imgui_compat.h"
#include "app/ui/widgets/font_metrics.h"
#include "app/ui/widgets/font_role.h"
#include "app/ui/widgets/text_pieces.h"
#include "core/base/error.h"
#include "core/base/utf8.h"
#include "core/io/mapped_file.h"
#include "core/picture/text/text.h"

namespace headscope::ui {

namespace {

// Beyond ASCII: what the interface itself writes.
constexpr const char32_t kOwnCharacters[] =
    U"\u00A0\u00B0\u00B1\u00B2\u00B3\u00B5\u00B7\u00D7\u00F7\u00A9\u2013\u2014\u2018\u2019\u201C\u201D\u2022\u2026"
    U"\u221A\u2212\u2190\u2191\u2192\u2193\u21E7\u221E\u2264\u2265\u2260\u2248\u2211\u220F\u22C5\u2032\u2039\u203A"
    U"\u25B8\u25BE\u2713\u0394\u03A3\u03B1\u03B2\u03BC\u03C3";
// In the types of tokens only: a font's tables reach from 0 to its last character, 400 KB for this one.
constexpr std::uint32_t kReplacement = 0xFFFD;

bool is_own(std::uint32_t c) {
  if (c < 0x7F || c == kReplacement) return true;
  for (const char32_t own : kOwnCharacters) {
    if (own == c) return true;
  }
  return false;
}

// Small alphabets come whole with their first letter, so that typing on needs no new atlas.
struct Alphabet {
  std::uint32_t first, last;
};
constexpr Alphabet kAlphabets[] = {{0xA1, 0x17F}, {0x370, 0x3FF}, {0x400, 0x45F}, {0x3041, 0x30FF}};

const Alphabet* alphabet_of(std::uint32_t c) {
  for (const Alphabet& alphabet : kAlphabets) {
    if (c >= alphabet.first && c <= alphabet.last) return &alphabet;
  }
  return nullptr;
}

// A character of the phrase that the atlas is to hold, beyond the interface's own. Letters that change with their
// neighbours are drawn as pictures of whole runs.
bool belongs_in_atlas(std::uint32_t c) {
  return c <= compat::last_code_point && !is_own(c) && !is_invisible(c) && !is_scaled_letter(c) && !needs_layout(c);
}

// Characters of no small alphabet come in these types only; the others draw them as pictures.
bool shows_tokens(Type type) {
  return type == Type::words12 || type == Type::words16 || type == Type::mono11 || type == Type::mono12;
}

// Code points of `text` that the atlas is to hold beyond the interface's own, sorted.
struct FurtherCharacters {
  std::vector<std::uint32_t> letters;  // of small alphabets, whole
  std::vector<std::uint32_t> others;
};
FurtherCharacters further_characters(const std::string& text) {
  std::set<std::uint32_t> letters, others;
  for (std::size_t at = 0; at < text.size();) {
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      ++at;
      continue;
    }
    const CodePoint c = code_point_at(text, at);
    at += static_cast<std::size_t>(c.bytes);
    if (!c.valid || !belongs_in_atlas(c.value)) continue;
    const Alphabet* alphabet = alphabet_of(c.value);
    if (alphabet == nullptr) {
      others.insert(c.value);
    } else if (!letters.contains(c.value)) {
      for (std::uint32_t k = alphabet->first; k <= alphabet->last; ++k) {
        if (belongs_in_atlas(k)) letters.insert(k);
      }
    }
  }
  return {{letters.begin(), letters.end()}, {others.begin(), others.end()}};
}

struct LoadedFont {
  std::shared_ptr<const MappedFile> file;  // null: it cannot be read
  VerticalMetrics metrics;
};

// Files are mapped once for all sizes; the atlas only borrows the bytes until it is built.
class FontLoader {
 public:
  const LoadedFont& load(const FontFile& file) {
    std::unique_ptr<LoadedFont>& font = fonts_[{file.path, file.face}];
    if (font == nullptr) {
      font = std::make_unique<LoadedFont>();
      try {
        font->file = MappedFile::open(file.path);
        font->metrics = vertical_metrics(font->file->bytes(), file.face);
      } catch (const Error&) {
        // A font that vanished: the next one, or Dear ImGui's own, takes its place.
      }
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
  if (font.file == nullptr || font.file->bytes().empty()) return nullptr;
  const std::span<const std::byte> bytes = font.file->bytes();
  ImFontConfig config;
  config.MergeMode = merge;
  config.FontNo = file.face;
  config.OversampleH = 2;
  config.OversampleV = 1;
  config.PixelSnapH = false;
  const float pixels = em * (font.metrics.ascent + font.metrics.descent);
  return compat::add_font(atlas, bytes, pixels, config, ranges.data());
}

std::vector<std::uint32_t> joined(std::initializer_list<const std::vector<std::uint32_t>*> lists) {
  std::set<std::uint32_t> all;
  for (const auto* list : lists) all.insert(list->begin(), list->end());
  return {all.begin(), all.end()};
}

// What the types of one kind get: `ranges` from their own font, and `asked` from other files where that lacks it.
struct AskedCharacters {
  Ranges ranges;
  std::vector<std::uint32_t> asked;
};

// Of the types of tokens, or of all others.
AskedCharacters asked_characters(const FurtherCharacters& wanted, bool tokens) {
  std::vector<std::uint32_t> plain;
  for (std::uint32_t c = 0x20; c < 0x7F; ++c) plain.push_back(c);
  std::vector<std::uint32_t> symbols;
  for (const char32_t c : kOwnCharacters) {
    if (c != 0) symbols.push_back(c);
  }
  const std::vector<std::uint32_t> replacement{kReplacement};
  const std::vector<std::uint32_t> asked =
      tokens ? joined({&symbols, &wanted.letters, &wanted.others, &replacement}) : joined({&symbols, &wanted.letters});
  return {ranges_of(joined({&plain, &asked})), asked};
}

// Which further file has which of the characters; the symbols too may be missing in the best font.
using Files = std::map<std::pair<std::string, int>, std::vector<std::uint32_t>>;
Files further_files(FontRole role, const std::vector<std::uint32_t>& characters) {
  Files files;
  const FontFile main = font_file(role);
  for (const std::uint32_t c : characters) {
    const FontFile file = fallback_font_file(c, role);
    if (!file.path.empty() && file != main) files[{file.path, file.face}].push_back(c);
  }
  return files;
}

}  // namespace

Fonts build_fonts(float scale, const std::string& text) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  compat::begin_fonts(atlas);
  atlas.Flags |= ImFontAtlasFlags_NoMouseCursors;
  atlas.TexGlyphPadding = 1;

  Fonts fonts;
  fonts.scale = scale;
  const FurtherCharacters wanted = further_characters(text);
  const AskedCharacters of_words = asked_characters(wanted, false), of_tokens = asked_characters(wanted, true);
  std::map<std::pair<FontRole, bool>, Files> further;
  std::vector<std::unique_ptr<Ranges>> kept;  // until the atlas is built
  FontLoader loader;
  for (int i = 0; i < static_cast<int>(Type::count); ++i) {
    const Type type = static_cast<Type>(i);
    const FontRole role = font_role(type);
    const float em = atlas_em(type, scale);
    const FontFile main = font_file(role);
    const bool tokens = shows_tokens(type);
    const AskedCharacters& characters_of_type = tokens ? of_tokens : of_words;
    ImFont* font = main.path.empty() ? nullptr : add_font(loader, main, em, characters_of_type.ranges, false);
    if (font == nullptr) font = compat::add_default_font(atlas, em);
    fonts.by_type[i] = font;
    const VerticalMetrics metrics = main.path.empty() ? VerticalMetrics() : loader.load(main).metrics;
    fonts.ascent[i] = std::round(em * metrics.ascent);
    fonts.descent[i] = std::round(em * metrics.descent);
    const auto [files, is_new] = further.try_emplace({role, tokens});
    if (is_new) files->second = further_files(role, characters_of_type.asked);
    for (const auto& [file, characters] : files->second) {
      kept.push_back(std::make_unique<Ranges>(ranges_of(characters)));
      add_font(loader, {file.first, file.second}, em, *kept.back(), true);
    }
  }
  compat::finish_fonts(atlas);
  for (int i = 0; i < static_cast<int>(Type::count); ++i) fonts.pixels[i] = compat::font_pixels(fonts.by_type[i]);
  for (const std::uint32_t c : joined({&wanted.letters, &wanted.others})) {
    const bool here = compat::has_glyph(fonts[Type::words16], c) || compat::has_glyph(fonts[Type::mono12], c);
    (here ? fonts.covered : fonts.missing).push_back(c);
  }
  return fonts;
}

bool needs_rebuild(const Fonts& fonts, const std::string& text) {
  if (compat::dynamic_glyphs && fonts.scale > 0 && text.empty()) return false;
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
