// Text: runs that the atlas has, small pictures for what it cannot hold, and boxes for what no font has.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "app/ui/imgui_compat.h"
#include "app/ui/widgets/font_role.h"
#include "app/ui/widgets/text_pieces.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/utf8.h"
#include "core/picture/text.h"
#include "core/text/visual_order.h"

namespace headscope::ui {

namespace {

// The character in white on nothing, its coverage as alpha; no pixels when no font has it.
const UiState::GlyphPicture& glyph_picture(Ui& ui, Type type, std::uint32_t code_point) {
  // Far more than is visible at once; the limit keeps a text with ever new characters from growing it without end.
  if (ui.state.glyphs.size() > 6000) ui.state.glyphs.clear();
  const auto [at, is_new] = ui.state.glyphs.try_emplace({code_point, static_cast<int>(type)});
  UiState::GlyphPicture& picture = at->second;
  const float pixels = em_pixels(type) * ui.scale;
  if (is_new || picture.em_pixels != pixels) {
    picture = {};
    picture.em_pixels = pixels;
    std::string utf8;
    append_utf8(utf8, code_point);
    const FontRole role = font_role(type);
    if (!fallback_font_file(code_point, role).path.empty()) {
      const double width = headscope::text_width(utf8, role, pixels);
      const int w = std::clamp(static_cast<int>(std::ceil(width)) + 2, 1, 512);
      const int h = std::clamp(static_cast<int>(std::ceil(pixels * 1.5)), 1, 512);
      Image image(w, h, {0, 0, 0, 255});
      draw_text(image, 1, std::round(pixels * 1.1), utf8, role, pixels, {255, 255, 255, 255});
      for (Rgba& pixel : image.pixels) pixel = {255, 255, 255, pixel.g};
      picture.white = std::move(image);
      picture.advance = static_cast<float>(width);
    }
  }
  return picture;
}

std::string box_label(const TextPiece& piece, std::string_view s) {
  if (piece.kind == TextPiece::Kind::bad_byte) {
    return fmt::format("{:02X}", static_cast<unsigned char>(s[piece.begin]));
  }
  return fmt::format("U+{:04X}", piece.code_point);
}

constexpr Type kBoxType = Type::mono10;

float plain_width(Ui& ui, Type type, const char* begin, const char* end) {
  return ui.fonts[type]->CalcTextSizeA(ui.fonts.pixels[static_cast<int>(type)], 1e9f, 0, begin, end).x;
}

float box_width(Ui& ui, const TextPiece& piece, std::string_view s) {
  const std::string label = box_label(piece, s);
  return std::ceil(plain_width(ui, kBoxType, label.data(), label.data() + label.size())) + ui.px(6);
}

// A run of glyphs; `all`: the caller will move them afterwards, and the clip rectangle leaves none out.
void add_run(ImFont* font, float size, ImVec2 at, ImU32 ink, const char* begin, const char* end, bool all) {
  compat::add_text(canvas(), font, size, at, ink, begin, end, all);
}

float line_height(Ui& ui, Type type) {
  return ui.fonts.pixels[static_cast<int>(type)];
}

}  // namespace

float em_pixels(Type type) {
  constexpr float sizes[] = {11, 12, 13, 16, 12, 13, 15, 10, 11, 12, 16, 11, 12, 20};
  static_assert(sizeof(sizes) / sizeof(sizes[0]) == static_cast<std::size_t>(Type::count));
  return sizes[static_cast<int>(type)];
}

bool is_invisible(std::uint32_t c) {
  return c == 0xAD || c == 0x34F || c == 0x61C || (c >= 0x180B && c <= 0x180F) || (c >= 0x200B && c <= 0x200F) ||
         (c >= 0x202A && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || (c >= 0xFE00 && c <= 0xFE0F) || c == 0xFEFF ||
         (c >= 0xE0000 && c <= 0xE0FFF);
}

bool is_scaled_letter(std::uint32_t c) {
  return (c >= 0x2B0 && c <= 0x2FF) || (c >= 0x1D2C && c <= 0x1DBF) || (c >= 0x2070 && c <= 0x209F);
}

std::vector<TextPiece> text_pieces(Ui& ui, Type type, std::string_view s) {
  std::vector<TextPiece> pieces;
  ImFont* font = ui.fonts[type];
  const auto add = [&](TextPiece::Kind kind, std::size_t begin, std::size_t end, std::uint32_t c) {
    if (kind == TextPiece::Kind::plain && !pieces.empty() && pieces.back().kind == kind && pieces.back().end == begin) {
      pieces.back().end = end;
    } else {
      pieces.push_back({kind, begin, end, c});
    }
  };
  for (std::size_t at = 0; at < s.size();) {
    const CodePoint c = code_point_at(s, at);
    const std::size_t next = at + static_cast<std::size_t>(c.bytes);
    if (!c.valid) {
      add(TextPiece::Kind::bad_byte, at, next, 0);
    } else if (c.value == '\n' || c.value == '\t' || c.value == '\r') {
      add(TextPiece::Kind::blank, at, next, c.value);
    } else if (is_invisible(c.value)) {
      add(TextPiece::Kind::invisible, at, next, c.value);
    } else if (c.value >= 0x20 && !is_scaled_letter(c.value) && compat::has_glyph(font, c.value)) {
      add(TextPiece::Kind::plain, at, next, c.value);
    } else if (c.value >= 0xA0 && glyph_picture(ui, type, c.value).white.width > 0) {
      add(TextPiece::Kind::picture, at, next, c.value);
    } else {
      add(TextPiece::Kind::boxed, at, next, c.value);
    }
    at = next;
  }
  return pieces;
}

float piece_width(Ui& ui, Type type, std::string_view s, const TextPiece& piece) {
  switch (piece.kind) {
    case TextPiece::Kind::plain:
      return plain_width(ui, type, s.data() + piece.begin, s.data() + piece.end);
    case TextPiece::Kind::picture:
      return glyph_picture(ui, type, piece.code_point).advance;
    case TextPiece::Kind::blank:
      return compat::advance(ui.fonts[type], ui.fonts.pixels[static_cast<int>(type)], ' ');
    case TextPiece::Kind::invisible:
      return 0;
    case TextPiece::Kind::bad_byte:
    case TextPiece::Kind::boxed:
      return box_width(ui, piece, s);
  }
  return 0;
}

bool is_ascii(std::string_view s) {
  return std::all_of(s.begin(), s.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != 0x7F && static_cast<unsigned char>(c) < 0x80;
  });
}

float text_top(Ui& ui, Type type, float center) {
  const int i = static_cast<int>(type);
  const float baseline = std::floor(center + (ui.fonts.ascent[i] - ui.fonts.descent[i]) / 2);
  return baseline - compat::ascent(ui.fonts[type], ui.fonts.pixels[i]);
}

float text_width(Ui& ui, Type type, std::string_view s) {
  if (is_ascii(s)) return plain_width(ui, type, s.data(), s.data() + s.size());
  float width = 0;
  for (const TextPiece& piece : text_pieces(ui, type, s)) width += piece_width(ui, type, s, piece);
  return width;
}

namespace {

void text(Ui& ui, ImVec2 at, Type type, Rgba color, std::string_view s, bool all) {
  if (s.empty()) return;
  if (ui.probe != nullptr && ui.probe->texts != nullptr) ui.probe->texts->push_back({std::string(s), at});
  ImDrawList& list = canvas();
  ImFont* font = ui.fonts[type];
  const float size = line_height(ui, type);
  const ImU32 ink = color32(color);
  if (is_ascii(s)) {
    add_run(font, size, at, ink, s.data(), s.data() + s.size(), all);
    return;
  }
  // Right-to-left stretches are reversed, so that they read from right to left.
  std::string turned;
  for (const VisualCluster& cluster : visual_order(s)) {
    turned += s.substr(static_cast<std::size_t>(cluster.bytes.begin), static_cast<std::size_t>(cluster.bytes.size()));
  }
  if (!turned.empty()) s = turned;
  float x = at.x;
  for (const TextPiece& piece : text_pieces(ui, type, s)) {
    const float width = piece_width(ui, type, s, piece);
    if (piece.kind == TextPiece::Kind::plain) {
      add_run(font, size, {x, at.y}, ink, s.data() + piece.begin, s.data() + piece.end, all);
    } else if (piece.kind == TextPiece::Kind::picture) {
      const UiState::GlyphPicture& picture = glyph_picture(ui, type, piece.code_point);
      const std::uint64_t key =
          (std::uint64_t{0x676C} << 48) | (std::uint64_t{piece.code_point} << 8) | static_cast<std::uint64_t>(type);
      const TextureId id = ui.textures.image(key, static_cast<std::uint64_t>(picture.em_pixels * 64), picture.white);
      const float base = std::round(at.y + compat::ascent(font, size));
      const float top = base - std::round(picture.em_pixels * 1.1f);
      const float left = std::floor(x) - 1;
      if (id != 0) {
        list.AddImage(compat::texture(id), {left, top},
                      {left + static_cast<float>(picture.white.width), top + static_cast<float>(picture.white.height)},
                      {0, 0}, {1, 1}, ink);
      }
    } else if (piece.kind == TextPiece::Kind::boxed || piece.kind == TextPiece::Kind::bad_byte) {
      const std::string label = box_label(piece, s);
      const Rect box{{std::floor(x) + 1, std::round(at.y + size * 0.12f)},
                     {std::floor(x + width) - 1, std::round(at.y + size * 0.9f)}};
      outline(ui, box, color, 1, ui.px(2));
      const float small = line_height(ui, kBoxType);
      add_run(ui.fonts[kBoxType], small, {box.min.x + ui.px(2), std::round(box.center().y - small / 2)}, ink,
              label.data(), label.data() + label.size(), all);
    }
    x += width;
  }
}

}  // namespace

void text(Ui& ui, ImVec2 at, Type type, Rgba color, std::string_view s) {
  text(ui, at, type, color, s, false);
}

std::string cut_to_width(Ui& ui, Type type, std::string_view s, float width) {
  // A long text is never measured whole: no line of the window holds more than this.
  const std::size_t most = static_cast<std::size_t>(std::max(8.0f, width)) * 8;
  if (s.size() <= most && text_width(ui, type, s) <= width) return std::string(s);
  const std::string_view ellipsis = "\xE2\x80\xA6";
  const float room = width - text_width(ui, type, ellipsis);
  float x = 0;
  std::size_t end = 0;
  while (end < s.size()) {
    const std::size_t next = next_grapheme(s.substr(0, std::min(s.size(), end + 256)), end);
    x += text_width(ui, type, s.substr(end, next - end));
    if (x > room || next <= end) break;
    end = next;
  }
  return std::string(s.substr(0, end)) + std::string(ellipsis);
}

void text_in(Ui& ui, const Rect& rect, Type type, Rgba color, std::string_view s, float align) {
  if (s.empty() || rect.width() <= 0) return;
  const std::string shown = cut_to_width(ui, type, s, rect.width());
  const float width = text_width(ui, type, shown);
  const float x = rect.min.x + std::max(0.0f, (rect.width() - width) * align);
  text(ui, {std::round(x), text_top(ui, type, rect.center().y)}, type, color, shown);
}

void text_up(Ui& ui, ImVec2 lower_left, Type type, Rgba color, std::string_view s) {
  if (s.empty()) return;
  ImDrawList& list = canvas();
  // Drawn lying, then turned by 90 degrees around its start.
  const ImVec2 start{std::floor(lower_left.x), std::floor(lower_left.y)};
  const int first = list.VtxBuffer.Size;
  text(ui, start, type, color, s, true);
  for (int i = first; i < list.VtxBuffer.Size; ++i) {
    ImVec2& p = list.VtxBuffer[i].pos;
    p = {start.x + (p.y - start.y), start.y - (p.x - start.x)};
  }
}

namespace {

float paragraph_pitch(Ui& ui, Type type) {
  return std::round(line_height(ui, type) * 1.15f);
}

// As much of a word as fits into a line, at least one character.
std::size_t fitting_part(Ui& ui, Type type, std::string_view word, float width) {
  std::size_t end = 0;
  float x = 0;
  while (end < word.size()) {
    const std::size_t next = next_grapheme(word.substr(0, std::min(word.size(), end + 256)), end);
    x += text_width(ui, type, word.substr(end, next - end));
    if (next <= end || (x > width && end > 0)) break;
    end = next;
  }
  return end;
}

// Broken at spaces and line ends; a word that is wider than a line, anywhere.
std::vector<std::string> wrapped_lines(Ui& ui, Type type, std::string_view s, float width) {
  std::vector<std::string> lines;
  std::string line;
  const auto flush = [&] { lines.push_back(std::exchange(line, std::string())); };
  for (std::size_t at = 0; at < s.size();) {
    std::size_t end = s.find_first_of(" \n", at);
    if (end == std::string_view::npos) end = s.size();
    std::string_view word = s.substr(at, end - at);
    const std::string longer = line.empty() ? std::string(word) : line + " " + std::string(word);
    if (text_width(ui, type, longer) <= width) {
      line = longer;
    } else {
      if (!line.empty()) flush();
      while (width >= 1 && text_width(ui, type, word) > width) {
        const std::size_t part = fitting_part(ui, type, word, width);
        if (part == 0 || part >= word.size()) break;
        line = word.substr(0, part);
        flush();
        word.remove_prefix(part);
      }
      line = word;
    }
    if (end < s.size() && s[end] == '\n') flush();
    at = end + 1;
  }
  if (!line.empty()) flush();
  return lines;
}

}  // namespace

float paragraph(Ui& ui, const Rect& rect, Type type, Rgba color, std::string_view s) {
  float y = rect.min.y;
  for (const std::string& line : wrapped_lines(ui, type, s, rect.width())) {
    text(ui, {rect.min.x, y}, type, color, line);
    y += paragraph_pitch(ui, type);
  }
  return y - rect.min.y;
}

float paragraph_height(Ui& ui, Type type, std::string_view s, float width) {
  return static_cast<float>(wrapped_lines(ui, type, s, width).size()) * paragraph_pitch(ui, type);
}

}  // namespace headscope::ui
