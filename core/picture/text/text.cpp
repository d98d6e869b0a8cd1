#include "core/picture/text/text.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/assert.h"
#include "core/base/utf8.h"
#include "core/picture/blend.h"
#include "core/picture/text/text_glyphs.h"
#include "core/picture/text/text_layout.h"

namespace headscope {

namespace {

// Text is blended between encoded bytes and linear light: linear light alone makes light text on dark look bold and
// dark text on light thin, encoded bytes the reverse.
constexpr double kBlendGamma = 1.4;

struct BlendTables {
  std::array<float, 256> light;
  std::array<std::uint8_t, 4096> byte;
  BlendTables() {
    for (std::size_t i = 0; i < light.size(); ++i) {
      light[i] = static_cast<float>(std::pow(static_cast<double>(i) / 255, kBlendGamma));
    }
    for (std::size_t i = 0; i < byte.size(); ++i) {
      byte[i] =
          static_cast<std::uint8_t>(std::floor(255 * std::pow(static_cast<double>(i) / 4095, 1 / kBlendGamma) + 0.5));
    }
  }
};

void blend(Rgba& ground, Rgba color, std::uint8_t coverage) {
  static const BlendTables tables;
  const float share = static_cast<float>(coverage) / 255.0F * (static_cast<float>(color.a) / 255.0F);
  if (share <= 0) return;
  if (share >= 1) {
    ground = color;
    return;
  }
  if (ground.a < 255) {
    blend_over(ground, color, static_cast<double>(coverage) / 255);
    return;
  }
  const auto mixed = [share](std::uint8_t below, std::uint8_t above) {
    const float light = tables.light[below] + share * (tables.light[above] - tables.light[below]);
    return tables.byte[static_cast<std::size_t>(light * 4095.0F + 0.5F)];
  };
  ground.r = mixed(ground.r, color.r);
  ground.g = mixed(ground.g, color.g);
  ground.b = mixed(ground.b, color.b);
}

// Where a glyph is drawn, in whole pixels of the picture.
struct Pen {
  long along = 0, across = 0;  // the line; across it lies the baseline
  bool upwards = false;
  int top = 0;  // row of the picture at which the image begins
};

void draw_bitmap(Image& image, const GlyphBitmap& bitmap, const Pen& pen, Rgba color) {
  for (int y = 0; y < bitmap.height; ++y) {
    for (int x = 0; x < bitmap.width; ++x) {
      const std::uint8_t coverage =
          bitmap.coverage[static_cast<std::size_t>(y) * static_cast<std::size_t>(bitmap.width) +
                          static_cast<std::size_t>(x)];
      if (coverage == 0) continue;
      const long a = pen.along + bitmap.left + x, b = pen.across + bitmap.top + y;
      const long image_x = pen.upwards ? b : a, image_y = (pen.upwards ? -a - 1 : b) - pen.top;
      if (image_x < 0 || image_y < 0 || image_x >= image.width || image_y >= image.height) continue;
      blend(image.at(static_cast<int>(image_x), static_cast<int>(image_y)), color, coverage);
    }
  }
}

// Draws glyphs with the pen at `along` on the line, in pixels.
class GlyphPainter {
 public:
  GlyphPainter(Image& image, double pixel_size, Rgba color, const LinePlace& place)
      : image_(image),
        pixel_size_(pixel_size),
        color_(color),
        upwards_(place.quarter_turns == 1),
        across_(std::lround(upwards_ ? place.x : place.y)),
        begin_(upwards_ ? -place.y : place.x),
        top_(place.top) {}

  double begin() const { return begin_; }
  // Pixels from the beginning of the line to the edge of the picture that it runs to.
  double room() const { return (upwards_ ? 0 : image_.width) - begin_ + 2 * pixel_size_; }

  void draw(const GlyphId& glyph, double along, long below = 0) {
    const double quarters = std::floor(along * 4 + 0.5);
    const long whole = static_cast<long>(std::floor(quarters / 4));
    const int part =
        glyph.kind == GlyphId::Kind::outline ? static_cast<int>(quarters - 4.0 * static_cast<double>(whole)) : 0;
    draw_bitmap(image_, glyph_bitmap(glyph, pixel_size_, part), {whole, across_ + below, upwards_, top_}, color_);
  }

 private:
  Image& image_;
  double pixel_size_;
  Rgba color_;
  bool upwards_;
  long across_;
  double begin_;
  int top_;
};

// The part of the text that can reach into `room` pixels: a line may be a whole book.
std::string_view reaching_part(std::string_view utf8, FontRole role, double pixel_size, double room) {
  std::size_t at = 0;
  for (double width = 0; at < utf8.size() && width <= room;) {
    const CodePoint point = code_point_at(utf8, at);
    width += glyph_advance(glyph_of(point.value, role), pixel_size);
    at += static_cast<std::size_t>(point.bytes);
  }
  return utf8.substr(0, at);
}

// As much of a line as is laid out for a picture: its left end may be the end of the text.
std::string_view laid_out_part(std::string_view utf8) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 16;
  return utf8.size() <= kMostBytes ? utf8 : utf8.substr(0, previous_grapheme(utf8, kMostBytes));
}

double advance_of(std::string_view utf8, FontRole role, double pixel_size) {
  double width = 0;
  for (std::size_t at = 0; at < utf8.size();) {
    const CodePoint point = code_point_at(utf8, at);
    width += glyph_advance(glyph_of(point.value, role), pixel_size);
    at += static_cast<std::size_t>(point.bytes);
  }
  return width;
}

constexpr std::string_view kEllipsis = "\u2026";

std::string without_last_blanks(std::string_view utf8) {
  while (utf8.ends_with(' ')) utf8.remove_suffix(1);
  return std::string(utf8);
}

// fit_text() of a line that is laid out: what is left of a text may be wider than it was within the text.
std::string fit_layout(std::string_view utf8, FontRole role, double pixel_size, double width) {
  const auto layout = text_layout(utf8, role, pixel_size);
  if (layout->width <= width) return std::string(utf8);
  std::vector<PlacedGrapheme> graphemes = layout->graphemes;
  std::sort(graphemes.begin(), graphemes.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  double pen = drawn_width(kEllipsis, role, pixel_size);
  if (pen > width) return {};
  std::size_t count = 0;  // how many graphemes are left
  for (; count < graphemes.size(); ++count) {
    pen += graphemes[count].right - graphemes[count].left;
    if (pen > width) break;
  }
  for (std::size_t less = 1;; less *= 2) {
    const std::size_t cut = count == 0 ? 0 : graphemes[count - 1].end;
    std::string result = without_last_blanks(utf8.substr(0, cut)) + std::string(kEllipsis);
    if (count == 0 || drawn_width(result, role, pixel_size) <= width) return result;
    count -= std::min(count, less);
  }
}

}  // namespace

double drawn_width(std::string_view utf8, FontRole role, double pixel_size) {
  if (needs_layout(utf8)) return text_layout(utf8, role, pixel_size)->width;
  return advance_of(utf8, role, pixel_size);
}

void draw_glyphs(Image& image, std::span<const PlacedGlyph> glyphs, double pixel_size, Rgba color,
                 const LinePlace& place) {
  GlyphPainter painter(image, pixel_size, color, place);
  for (const PlacedGlyph& placed : glyphs) {
    painter.draw(placed.glyph, painter.begin() + placed.x, std::lround(placed.y));
  }
}

void draw_text(Image& image, const LinePlace& place, std::string_view utf8, FontRole role, double pixel_size,
               Rgba color) {
  HEADSCOPE_ASSERT(place.quarter_turns == 0 || place.quarter_turns == 1, "text is drawn level or upwards");
  GlyphPainter painter(image, pixel_size, color, place);
  const std::string_view part = reaching_part(utf8, role, pixel_size, painter.room());
  if (needs_layout(part)) {
    const auto layout = text_layout(laid_out_part(utf8), role, pixel_size);
    draw_glyphs(image, layout->glyphs, pixel_size, color, place);
    return;
  }
  double pen = painter.begin();
  for (std::size_t at = 0; at < part.size();) {
    const CodePoint point = code_point_at(part, at);
    const GlyphId glyph = glyph_of(point.value, role);
    painter.draw(glyph, pen);
    pen += glyph_advance(glyph, pixel_size);
    at += static_cast<std::size_t>(point.bytes);
  }
}

std::string fit_text(std::string_view utf8, FontRole role, double pixel_size, double width) {
  const std::string_view part = reaching_part(utf8, role, pixel_size, width);
  if (needs_layout(part)) return fit_layout(laid_out_part(utf8), role, pixel_size, width);
  const double dots = drawn_width(kEllipsis, role, pixel_size);
  double pen = 0;
  std::size_t cut = 0;  // the longest prefix that leaves room for the ellipsis
  for (std::size_t at = 0; at < utf8.size();) {
    const std::size_t end = next_grapheme(utf8, at);
    pen += advance_of(utf8.substr(at, end - at), role, pixel_size);
    if (pen > width)
      return dots > width ? std::string() : without_last_blanks(utf8.substr(0, cut)) + std::string(kEllipsis);
    if (pen + dots <= width) cut = end;
    at = end;
  }
  return std::string(utf8);
}

}  // namespace headscope
