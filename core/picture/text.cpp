#include "core/picture/text.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/assert.h"
#include "core/base/utf8.h"
#include "core/picture/text_glyphs.h"
#include "core/text/visual_order.h"

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
  const auto mixed = [share](std::uint8_t below, std::uint8_t above) {
    const float light = tables.light[below] + share * (tables.light[above] - tables.light[below]);
    return tables.byte[static_cast<std::size_t>(light * 4095.0F + 0.5F)];
  };
  ground.r = mixed(ground.r, color.r);
  ground.g = mixed(ground.g, color.g);
  ground.b = mixed(ground.b, color.b);
  ground.a =
      static_cast<std::uint8_t>(static_cast<float>(ground.a) + share * static_cast<float>(255 - ground.a) + 0.5F);
}

// Code points in the order in which they stand on the line.
std::vector<std::uint32_t> code_points_in_order(std::string_view utf8) {
  std::vector<std::uint32_t> result;
  const auto add = [&](std::string_view part) {
    for (std::size_t at = 0; at < part.size();) {
      const CodePoint point = code_point_at(part, at);
      result.push_back(point.value);
      at += static_cast<std::size_t>(point.bytes);
    }
  };
  const std::vector<VisualCluster> clusters = visual_order(utf8);
  if (clusters.empty()) add(utf8);
  for (const VisualCluster& cluster : clusters) {
    add(utf8.substr(static_cast<std::size_t>(cluster.bytes.begin), static_cast<std::size_t>(cluster.bytes.size())));
  }
  return result;
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

double advance_of(std::string_view utf8, FontRole role, double pixel_size) {
  double width = 0;
  for (std::size_t at = 0; at < utf8.size();) {
    const CodePoint point = code_point_at(utf8, at);
    width += glyph_advance(glyph_of(point.value, role), pixel_size);
    at += static_cast<std::size_t>(point.bytes);
  }
  return width;
}

}  // namespace

double text_width(std::string_view utf8, FontRole role, double pixel_size) {
  return advance_of(utf8, role, pixel_size);
}

void draw_text(Image& image, double x, double y, std::string_view utf8, FontRole role, double pixel_size, Rgba color,
               int quarter_turns, int top) {
  HEADSCOPE_ASSERT(quarter_turns == 0 || quarter_turns == 1, "text is drawn level or upwards");
  const bool upwards = quarter_turns == 1;
  const long across = std::lround(upwards ? x : y);
  double pen = upwards ? -y : x;
  const double room = (upwards ? 0 : image.width) - pen + 2 * pixel_size;
  for (const std::uint32_t code_point : code_points_in_order(reaching_part(utf8, role, pixel_size, room))) {
    const GlyphId glyph = glyph_of(code_point, role);
    const double quarters = std::floor(pen * 4 + 0.5);
    const long whole = static_cast<long>(std::floor(quarters / 4));
    const int part =
        glyph.kind == GlyphId::Kind::outline ? static_cast<int>(quarters - 4.0 * static_cast<double>(whole)) : 0;
    draw_bitmap(image, glyph_bitmap(glyph, pixel_size, part), {whole, across, upwards, top}, color);
    pen += glyph_advance(glyph, pixel_size);
  }
}

std::string fit_text(std::string_view utf8, FontRole role, double pixel_size, double width) {
  constexpr std::string_view kEllipsis = "\u2026";
  const double dots = text_width(kEllipsis, role, pixel_size);
  double pen = 0;
  std::size_t cut = 0;  // the longest prefix that leaves room for the ellipsis
  for (std::size_t at = 0; at < utf8.size();) {
    const std::size_t end = next_grapheme(utf8, at);
    pen += advance_of(utf8.substr(at, end - at), role, pixel_size);
    if (pen > width) {
      while (cut > 0 && utf8[cut - 1] == ' ') --cut;
      return dots > width ? std::string() : std::string(utf8.substr(0, cut)) + std::string(kEllipsis);
    }
    if (pen + dots <= width) cut = end;
    at = end;
  }
  return std::string(utf8);
}

}  // namespace headscope
