#include "core/picture/text_glyphs.h"

#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_ADVANCES_H
#include FT_OUTLINE_H
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>

namespace headscope {

namespace {

// Hexadecimal digits, 3 x 5, a row in three bits from the left: a box needs no font.
constexpr std::array<std::array<std::uint8_t, 5>, 16> kDigits = {{{7, 5, 5, 5, 7},
                                                                  {2, 6, 2, 2, 7},
                                                                  {7, 1, 7, 4, 7},
                                                                  {7, 1, 3, 1, 7},
                                                                  {5, 5, 7, 1, 1},
                                                                  {7, 4, 7, 1, 7},
                                                                  {7, 4, 7, 5, 7},
                                                                  {7, 1, 2, 2, 2},
                                                                  {7, 5, 7, 5, 7},
                                                                  {7, 5, 7, 1, 7},
                                                                  {2, 5, 7, 5, 5},
                                                                  {6, 5, 6, 5, 6},
                                                                  {3, 4, 4, 4, 3},
                                                                  {6, 5, 5, 5, 6},
                                                                  {7, 4, 6, 4, 7},
                                                                  {7, 4, 6, 4, 4}}};

// A box is two rows of digits in a frame with one dot of air; a dot is 1 px at the sizes of the screen.
struct BoxLayout {
  int dot, columns, digits;
  int width() const { return dot * (4 * columns + 3); }
  int height() const { return dot * 15; }
};

BoxLayout box_layout(std::uint32_t code_point, double pixel_size) {
  const int digits = code_point > 0xFFFF ? 6 : code_point > 0xFF ? 4 : 2;
  return {std::max(1, static_cast<int>(std::floor(pixel_size / 14 + 0.5))), digits == 2 ? 1 : digits / 2, digits};
}

GlyphBitmap box_bitmap(std::uint32_t code_point, double pixel_size) {
  const BoxLayout box = box_layout(code_point, pixel_size);
  GlyphBitmap bitmap{box.dot, -12 * box.dot, box.width(), box.height(), {}};
  bitmap.coverage.assign(static_cast<std::size_t>(bitmap.width) * static_cast<std::size_t>(bitmap.height), 0);
  const int dots_wide = box.width() / box.dot, dots_high = box.height() / box.dot;
  const auto set_dot = [&](int dot_x, int dot_y) {
    for (int y = dot_y * box.dot; y < (dot_y + 1) * box.dot; ++y) {
      for (int x = dot_x * box.dot; x < (dot_x + 1) * box.dot; ++x) {
        bitmap.coverage[static_cast<std::size_t>(y) * static_cast<std::size_t>(bitmap.width) +
                        static_cast<std::size_t>(x)] = 255;
      }
    }
  };
  for (int x = 0; x < dots_wide; ++x) {
    set_dot(x, 0);
    set_dot(x, dots_high - 1);
  }
  for (int y = 0; y < dots_high; ++y) {
    set_dot(0, y);
    set_dot(dots_wide - 1, y);
  }
  for (int k = 0; k < box.digits; ++k) {
    const std::uint32_t digit = (code_point >> (4 * (box.digits - 1 - k))) & 15U;
    const int left = 2 + 4 * (k % box.columns), top = 2 + 6 * (k / box.columns);
    for (int y = 0; y < 5; ++y) {
      for (int x = 0; x < 3; ++x) {
        if ((kDigits.at(digit).at(static_cast<std::size_t>(y)) >> (2 - x)) & 1) set_dot(left + x, top + y);
      }
    }
  }
  return bitmap;
}

struct LibraryDeleter {
  void operator()(FT_Library library) const { FT_Done_FreeType(library); }
};
struct FaceDeleter {
  void operator()(FT_Face face) const { FT_Done_Face(face); }
};
using Library = std::unique_ptr<FT_LibraryRec_, LibraryDeleter>;
using Face = std::unique_ptr<FT_FaceRec_, FaceDeleter>;

// FreeType's objects are not thread-safe, so that each thread has its own. Bounded: an editor left open for a week
// in many scripts and sizes must not grow.
constexpr std::size_t kMostBitmaps = 8192, kMostGlyphs = 65536;

struct FontCache {
  Library library;
  std::vector<std::pair<FontFile, Face>> faces;  // after `library`: they go first
  std::unordered_map<std::uint64_t, GlyphId> glyphs;
  std::map<std::tuple<int, std::uint32_t, int, int>, GlyphBitmap> bitmaps;
  GlyphBitmap scratch;

  FontCache() {
    FT_Library made = nullptr;
    if (FT_Init_FreeType(&made) == 0) library.reset(made);
  }

  // -1 when the file cannot be opened or has no outlines.
  int face_of(const FontFile& file) {
    if (file.path.empty() || !library) return -1;
    for (std::size_t k = 0; k < faces.size(); ++k) {
      if (faces[k].first == file) return faces[k].second ? static_cast<int>(k) : -1;
    }
    FT_Face made = nullptr;
    if (FT_New_Face(library.get(), file.path.c_str(), file.face, &made) != 0) made = nullptr;
    Face face(made);
    if (face && (!FT_IS_SCALABLE(made) || FT_Select_Charmap(made, FT_ENCODING_UNICODE) != 0)) face.reset();
    faces.emplace_back(file, std::move(face));
    return faces.back().second ? static_cast<int>(faces.size() - 1) : -1;
  }

  FT_Face face(int k) const { return faces[static_cast<std::size_t>(k)].second.get(); }
};

FontCache& cache() {
  thread_local FontCache fonts;
  return fonts;
}

// Sets the size in 1/64 px.
void set_size(FT_Face face, int size) {
  FT_Set_Char_Size(face, 0, size, 72, 72);
}

int size_in_64ths(double pixel_size) {
  return static_cast<int>(std::floor(std::clamp(pixel_size, 1.0, 2000.0) * 64 + 0.5));
}

bool takes_no_room(std::uint32_t code_point) {
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(code_point));
  return category == UTF8PROC_CATEGORY_CF || (code_point >= 0xFE00 && code_point <= 0xFE0F) ||
         (code_point >= 0xE0100 && code_point <= 0xE01EF);
}

GlyphId find_glyph(std::uint32_t code_point, FontRole role) {
  if (takes_no_room(code_point)) return {GlyphId::Kind::nothing, 0, 0};
  if (code_point >= 0x20) {
    FontCache& fonts = cache();
    for (const bool fallback : {false, true}) {
      const int face = fonts.face_of(fallback ? fallback_font_file(code_point, role) : font_file(role));
      if (face < 0) continue;
      const FT_UInt index = FT_Get_Char_Index(fonts.face(face), code_point);
      if (index != 0) return {GlyphId::Kind::outline, face, index};
    }
  }
  return {GlyphId::Kind::box, 0, code_point};
}

GlyphBitmap outline_bitmap(const GlyphId& glyph, int size, int quarters) {
  FT_Face face = cache().face(glyph.face);
  set_size(face, size);
  GlyphBitmap bitmap;
  // Light: hinted vertically only, which keeps the advances of the design.
  if (FT_Load_Glyph(face, glyph.index, FT_LOAD_TARGET_LIGHT | FT_LOAD_NO_BITMAP) != 0) return bitmap;
  if (face->glyph->format != FT_GLYPH_FORMAT_OUTLINE) return bitmap;
  FT_Outline_Translate(&face->glyph->outline, quarters * 16, 0);
  if (FT_Render_Glyph(face->glyph, FT_RENDER_MODE_NORMAL) != 0) return bitmap;
  const FT_Bitmap& rendered = face->glyph->bitmap;
  bitmap.left = face->glyph->bitmap_left;
  bitmap.top = -face->glyph->bitmap_top;
  bitmap.width = static_cast<int>(rendered.width);
  bitmap.height = static_cast<int>(rendered.rows);
  bitmap.coverage.reserve(static_cast<std::size_t>(rendered.width) * rendered.rows);
  for (int y = 0; y < bitmap.height; ++y) {
    const unsigned char* row = rendered.buffer + static_cast<std::ptrdiff_t>(y) * rendered.pitch;
    bitmap.coverage.insert(bitmap.coverage.end(), row, row + rendered.width);
  }
  return bitmap;
}

}  // namespace

GlyphId glyph_of(std::uint32_t code_point, FontRole role) {
  auto& known = cache().glyphs;
  const std::uint64_t key = (static_cast<std::uint64_t>(role) << 32) | code_point;
  const auto found = known.find(key);
  if (found != known.end()) return found->second;
  const GlyphId glyph = find_glyph(code_point, role);
  if (known.size() >= kMostGlyphs) known.clear();
  known.emplace(key, glyph);
  return glyph;
}

double glyph_advance(const GlyphId& glyph, double pixel_size) {
  if (glyph.kind == GlyphId::Kind::nothing) return 0;
  if (glyph.kind == GlyphId::Kind::box) {
    const BoxLayout box = box_layout(glyph.index, pixel_size);
    return box.width() + 2 * box.dot;
  }
  FT_Face face = cache().face(glyph.face);
  FT_Fixed units = 0;
  if (FT_Get_Advance(face, glyph.index, FT_LOAD_NO_SCALE, &units) != 0 || face->units_per_EM == 0) return 0;
  return static_cast<double>(units) * size_in_64ths(pixel_size) / 64.0 / face->units_per_EM;
}

const GlyphBitmap& glyph_bitmap(const GlyphId& glyph, double pixel_size, int quarters) {
  FontCache& fonts = cache();
  const int size = size_in_64ths(pixel_size);
  if (glyph.kind != GlyphId::Kind::outline) {
    fonts.scratch = glyph.kind == GlyphId::Kind::box ? box_bitmap(glyph.index, pixel_size) : GlyphBitmap{};
    return fonts.scratch;
  }
  const auto key = std::make_tuple(glyph.face, glyph.index, size, quarters);
  const auto found = fonts.bitmaps.find(key);
  if (found != fonts.bitmaps.end()) return found->second;
  if (fonts.bitmaps.size() >= kMostBitmaps) fonts.bitmaps.clear();
  return fonts.bitmaps.emplace(key, outline_bitmap(glyph, size, quarters)).first->second;
}

FontMetrics font_metrics(FontRole role, double pixel_size) {
  FontCache& fonts = cache();
  const int k = fonts.face_of(font_file(role));
  if (k < 0) return {0.9 * pixel_size, 0.25 * pixel_size, 0.7 * pixel_size};
  FT_Face face = fonts.face(k);
  const double unit = pixel_size / face->units_per_EM;
  FontMetrics metrics{face->ascender * unit, -face->descender * unit, 0.72 * pixel_size};
  const FT_UInt capital = FT_Get_Char_Index(face, 'H');
  if (capital != 0 && FT_Load_Glyph(face, capital, FT_LOAD_NO_SCALE) == 0) {
    metrics.cap_height = static_cast<double>(face->glyph->metrics.horiBearingY) * unit;
  }
  return metrics;
}

}  // namespace headscope
