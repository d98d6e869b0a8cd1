#include "core/picture/text/text_glyphs.h"

#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_ADVANCES_H
#include FT_OUTLINE_H
#include <hb-ot.h>
#include <hb.h>
#include <utf8proc.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "core/base/per_thread.h"
#include "core/picture/text/text_box.h"

namespace headscope {

namespace {

struct LibraryDeleter {
  void operator()(FT_Library library) const { FT_Done_FreeType(library); }
};
struct FaceDeleter {
  void operator()(FT_Face face) const { FT_Done_Face(face); }
};
struct FontDeleter {
  void operator()(hb_font_t* font) const { hb_font_destroy(font); }
};
using Library = std::unique_ptr<FT_LibraryRec_, LibraryDeleter>;
using Face = std::unique_ptr<FT_FaceRec_, FaceDeleter>;
using ShapingFont = std::unique_ptr<hb_font_t, FontDeleter>;

// The same face, read by HarfBuzz: its scale is the design's own, so that advances are those of FT_LOAD_NO_SCALE.
ShapingFont open_for_shaping(const FontFile& file) {
  hb_blob_t* blob = hb_blob_create_from_file(file.path.c_str());
  // The upper half of fontconfig's index is an instance of a variable font, counted from 1.
  const unsigned index = static_cast<unsigned>(file.face) & 0xFFFFU, instance = static_cast<unsigned>(file.face) >> 16;
  hb_face_t* face = hb_face_create(blob, index);
  hb_blob_destroy(blob);
  ShapingFont font;
  if (hb_face_get_glyph_count(face) > 0) {
    font.reset(hb_font_create(face));
    hb_ot_font_set_funcs(font.get());
    if (instance > 0) hb_font_set_var_named_instance(font.get(), instance - 1);
  }
  hb_face_destroy(face);
  return font;
}

// FreeType's objects are not thread-safe, so that each thread has its own. Bounded: an editor left open for a week
// in many scripts and sizes must not grow.
//
// Rendered letters are 0.3 KB each at 16 px, 4 KB at 64 px: as many as 16,000 or 1,000 different ones, which is more
// than a page shows. What is known of letters and graphemes takes 40 and up to 200 bytes each; a page of Chinese has
// 2,000.
constexpr std::size_t kMostBitmapBytes = std::size_t{4} << 20, kMostGlyphs = 16384;
constexpr std::size_t kMostKept = 32;  // code points of a grapheme whose face is remembered

struct FontCache {
  Library library;
  std::vector<std::pair<FontFile, Face>> faces;  // after `library`: they go first
  std::unordered_map<std::uint64_t, GlyphId> glyphs;
  std::unordered_map<std::u32string, int> face_of_grapheme;  // behind the letters stands the role
  std::map<int, ShapingFont> shaping_fonts;
  std::map<std::tuple<int, std::uint32_t, int, int>, GlyphBitmap> bitmaps;
  std::size_t bitmap_bytes = 0;
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
  static PerThread<FontCache> fonts;
  return fonts.get();
}

// Sets the size in 1/64 px.
void set_size(FT_Face face, int size) {
  FT_Set_Char_Size(face, 0, size, 72, 72);
}

int size_in_64ths(double pixel_size) {
  return static_cast<int>(std::floor(std::clamp(pixel_size, 1.0, 2000.0) * 64 + 0.5));
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

int find_face_of_all(std::u32string_view code_points, FontRole role) {
  FontCache& fonts = cache();
  const auto has_all = [&](int face) {
    return std::all_of(code_points.begin(), code_points.end(), [&](char32_t code_point) {
      return takes_no_room(code_point) || FT_Get_Char_Index(fonts.face(face), code_point) != 0;
    });
  };
  for (const char32_t code_point : code_points) {
    if (takes_no_room(code_point)) continue;
    const GlyphId glyph = glyph_of(code_point, role);
    if (glyph.kind != GlyphId::Kind::outline) return -1;
    if (has_all(glyph.face)) return glyph.face;
    break;
  }
  std::u32string seen;
  std::copy_if(code_points.begin(), code_points.end(), std::back_inserter(seen),
               [](char32_t code_point) { return !takes_no_room(code_point); });
  const int face = seen.empty() ? -1 : fonts.face_of(fallback_font_file(seen, role));
  return face >= 0 && has_all(face) ? face : -1;
}

}  // namespace

double pixels_of(double pixel_size) {
  return size_in_64ths(pixel_size) / 64.0;
}

bool takes_no_room(std::uint32_t code_point) {
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(code_point));
  return category == UTF8PROC_CATEGORY_CF || (code_point >= 0xFE00 && code_point <= 0xFE0F) ||
         (code_point >= 0xE0100 && code_point <= 0xE01EF);
}

int face_of_all(std::u32string_view code_points, FontRole role) {
  if (code_points.size() > kMostKept) return find_face_of_all(code_points, role);
  auto& known = cache().face_of_grapheme;
  std::u32string key(code_points);
  key += static_cast<char32_t>(role);
  const auto found = known.find(key);
  if (found != known.end()) return found->second;
  const int face = find_face_of_all(code_points, role);
  if (known.size() >= kMostGlyphs) known.clear();
  known.emplace(std::move(key), face);
  return face;
}

hb_font_t* shaping_font(int face) {
  FontCache& fonts = cache();
  const auto [at, is_new] = fonts.shaping_fonts.try_emplace(face);
  if (is_new) at->second = open_for_shaping(fonts.faces[static_cast<std::size_t>(face)].first);
  return at->second.get();
}

FontFile font_file_of(int face) {
  return cache().faces[static_cast<std::size_t>(face)].first;
}

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
  if (glyph.kind == GlyphId::Kind::box) return box_advance(glyph.index, pixel_size);
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
  GlyphBitmap bitmap = outline_bitmap(glyph, size, quarters);
  constexpr std::size_t kOfEntry = 128;  // of the table itself
  const std::size_t bytes = bitmap.coverage.capacity() + kOfEntry;
  if (fonts.bitmap_bytes + bytes > kMostBitmapBytes) {
    fonts.bitmaps.clear();
    fonts.bitmap_bytes = 0;
  }
  fonts.bitmap_bytes += bytes;
  return fonts.bitmaps.emplace(key, std::move(bitmap)).first->second;
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
