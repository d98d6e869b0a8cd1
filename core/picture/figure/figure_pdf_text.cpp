#include "core/picture/figure/figure_pdf_text.h"

#include <cairo-ft.h>
#include <fontconfig/fontconfig.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/base/utf8.h"
#include "core/picture/text/needs_layout.h"
#include "core/picture/text/text_box.h"
#include "core/picture/text/text_glyphs.h"
#include "core/picture/text/text_layout.h"

namespace headscope {

namespace {

// Glyphs of one face, and the text that they stand for.
struct Stretch {
  int face = -1;
  std::string text;
  std::vector<cairo_glyph_t> glyphs;
  std::vector<cairo_text_cluster_t> clusters;
};

// A line in stretches, and the boxes in it.
struct Line {
  std::vector<Stretch> stretches;
  std::vector<std::pair<double, std::uint32_t>> boxes;  // where their pen is, and their code point

  Stretch& of_face(int face) {
    if (stretches.empty() || stretches.back().face != face) stretches.push_back({face, {}, {}, {}});
    return stretches.back();
  }
};

// One glyph a code point, the pen beginning at `pen`; returns where it ends.
double add_plain(Line& line, std::string_view text, double pen, FontRole role, double size) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    const GlyphId glyph = glyph_of(point.value, role);
    at += static_cast<std::size_t>(point.bytes);
    if (glyph.kind == GlyphId::Kind::box) line.boxes.emplace_back(pen, glyph.index);
    if (glyph.kind == GlyphId::Kind::outline) {
      Stretch& stretch = line.of_face(glyph.face);
      const std::size_t before = stretch.text.size();
      append_utf8(stretch.text, point.value);
      stretch.glyphs.push_back({glyph.index, pen, 0});
      stretch.clusters.push_back({static_cast<int>(stretch.text.size() - before), 1});
    }
    pen += glyph_advance(glyph, size);
  }
  return pen;
}

// A run that HarfBuzz has shaped: its glyphs together stand for its text.
void add_shaped(Line& line, const TextLayout& layout, const TextRun& run, std::string_view text) {
  std::size_t first = run.first_glyph;
  while (first < run.glyph_end && layout.glyphs[first].glyph.kind != GlyphId::Kind::outline) ++first;
  if (first == run.glyph_end) return;
  Stretch& stretch = line.of_face(layout.glyphs[first].glyph.face);
  int count = 0;
  for (std::size_t k = first; k < run.glyph_end; ++k) {
    const PlacedGlyph& placed = layout.glyphs[k];
    if (placed.glyph.kind != GlyphId::Kind::outline) continue;
    stretch.glyphs.push_back({placed.glyph.index, placed.x, placed.y});
    ++count;
  }
  std::string valid;
  for (std::size_t at = run.begin; at < run.end;) {
    const CodePoint point = code_point_at(text, at);
    append_utf8(valid, point.value);
    at += static_cast<std::size_t>(point.bytes);
  }
  stretch.text += valid;
  stretch.clusters.push_back({static_cast<int>(valid.size()), count});
}

Line line_of(const TextItem& item) {
  Line line;
  if (!needs_layout(item.text)) {
    add_plain(line, item.text, 0, item.role, item.size);
    return line;
  }
  const auto layout = text_layout(item.text, item.role, item.size);
  for (const TextRun& run : layout->runs) {
    if (run.shaped) {
      add_shaped(line, *layout, run, item.text);
    } else {
      add_plain(line, run.plain, run.left, item.role, item.size);
    }
  }
  return line;
}

void draw_box(cairo_t* page, double pen, std::uint32_t code_point, double size) {
  const GlyphBitmap box = box_bitmap(code_point, size);
  for (int y = 0; y < box.height; ++y) {
    for (int x = 0; x < box.width; ++x) {
      const std::size_t at =
          static_cast<std::size_t>(y) * static_cast<std::size_t>(box.width) + static_cast<std::size_t>(x);
      if (box.coverage[at] != 0) cairo_rectangle(page, pen + box.left + x, box.top + y, 1, 1);
    }
  }
  cairo_fill(page);
}

}  // namespace

PdfText::~PdfText() {
  for (const auto& [file, face] : faces_) cairo_font_face_destroy(face);
}

cairo_font_face_t* PdfText::face_of(const FontFile& file) {
  const auto [at, is_new] = faces_.try_emplace({file.path, file.face}, nullptr);
  if (is_new) {
    FcPattern* const pattern = FcPatternCreate();
    FcPatternAddString(pattern, FC_FILE, reinterpret_cast<const FcChar8*>(file.path.c_str()));
    FcPatternAddInteger(pattern, FC_INDEX, file.face);
    at->second = cairo_ft_font_face_create_for_pattern(pattern);
    FcPatternDestroy(pattern);
  }
  return at->second;
}

void PdfText::show(const TextItem& item) {
  const Line line = line_of(item);
  cairo_save(page_);
  cairo_translate(page_, item.x, item.y);
  if (item.quarter_turns == 1) cairo_rotate(page_, -1.5707963267948966);
  cairo_set_source_rgba(page_, item.color.r / 255.0, item.color.g / 255.0, item.color.b / 255.0, item.color.a / 255.0);
  for (const Stretch& stretch : line.stretches) {
    cairo_set_font_face(page_, face_of(font_file_of(stretch.face)));
    cairo_set_font_size(page_, pixels_of(item.size));
    cairo_show_text_glyphs(page_, stretch.text.data(), static_cast<int>(stretch.text.size()), stretch.glyphs.data(),
                           static_cast<int>(stretch.glyphs.size()), stretch.clusters.data(),
                           static_cast<int>(stretch.clusters.size()), static_cast<cairo_text_cluster_flags_t>(0));
  }
  for (const auto& [pen, code_point] : line.boxes) draw_box(page_, pen, code_point, item.size);
  cairo_restore(page_);
}

}  // namespace headscope
