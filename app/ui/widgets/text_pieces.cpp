// Runs that the atlas has, small pictures for what it cannot hold, and boxes for what no font has.
#include "app/ui/widgets/text_pieces.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/ui/imgui_compat.h"
#include "app/ui/widgets/font_role.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/utf8.h"
#include "core/picture/text/text.h"

namespace headscope::ui {

namespace {

void keep_within_limit(UiState& state) {
  constexpr std::size_t kOfEntry = 128;
  if (state.glyph_bytes + state.glyphs.size() * kOfEntry <= kMostGlyphBytes) return;
  state.glyphs.clear();
  state.glyph_bytes = 0;
}

// The character in white on nothing, its coverage as alpha; no pixels when no font has it.
const UiState::GlyphPicture& glyph_picture(Ui& ui, Type type, std::uint32_t code_point) {
  keep_within_limit(ui.state);
  const auto [at, is_new] = ui.state.glyphs.try_emplace({code_point, static_cast<int>(type)});
  UiState::GlyphPicture& picture = at->second;
  const float pixels = em_pixels(type) * ui.fonts.scale;
  if (is_new || picture.em_pixels != pixels) {
    ui.state.glyph_bytes -= picture.white.pixels.size() * sizeof(Rgba);
    picture = {};
    picture.em_pixels = pixels;
    std::string utf8;
    append_utf8(utf8, code_point);
    const FontRole role = font_role(type);
    if (!fallback_font_file(code_point, role).path.empty()) {
      const double width = drawn_width(utf8, role, pixels);
      const int w = std::clamp(static_cast<int>(std::ceil(width)) + 2, 1, 512);
      const int h = std::clamp(static_cast<int>(std::ceil(pixels * 1.5)), 1, 512);
      Image image(w, h, {0, 0, 0, 255});
      draw_text(image, {1, std::round(pixels * 1.1)}, utf8, role, pixels, {255, 255, 255, 255});
      for (Rgba& pixel : image.pixels) pixel = {255, 255, 255, pixel.g};
      ui.state.glyph_bytes += image.pixels.size() * sizeof(Rgba);
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

float line_height(Ui& ui, Type type) {
  return ui.fonts.pixels[static_cast<int>(type)];
}

// A run of glyphs of the atlas.
void add_run(Ui& ui, ImVec2 at, const TextStyle& style, std::string_view s) {
  compat::add_text(canvas(), {ui.fonts[style.type], line_height(ui, style.type), color32(style.color)}, at, s,
                   style.all);
}

void draw_picture(Ui& ui, ImVec2 at, const TextStyle& style, std::uint32_t code_point) {
  const UiState::GlyphPicture& picture = glyph_picture(ui, style.type, code_point);
  const std::uint64_t key =
      (std::uint64_t{0x676C} << 48) | (std::uint64_t{code_point} << 8) | static_cast<std::uint64_t>(style.type);
  const TextureId id = ui.textures.image(key, static_cast<std::uint64_t>(picture.em_pixels * 64), picture.white);
  if (id == 0) return;
  const float base = std::round(at.y + compat::ascent(ui.fonts[style.type], line_height(ui, style.type)));
  const float top = base - std::round(picture.em_pixels * 1.1f);
  const float left = std::floor(at.x) - 1;
  canvas().AddImage(compat::texture(id), {left, top},
                    {left + static_cast<float>(picture.white.width), top + static_cast<float>(picture.white.height)},
                    {0, 0}, {1, 1}, color32(style.color));
}

void draw_box(Ui& ui, ImVec2 at, const TextStyle& style, std::string_view label, float width) {
  const float size = line_height(ui, style.type);
  const Rect box{{std::floor(at.x) + 1, std::round(at.y + size * 0.12f)},
                 {std::floor(at.x + width) - 1, std::round(at.y + size * 0.9f)}};
  outline(ui, box, style.color, 1, ui.px(2));
  const float small = line_height(ui, kBoxType);
  add_run(ui, {box.min.x + ui.px(2), std::round(box.center().y - small / 2)}, {kBoxType, style.color, style.all},
          label);
}

}  // namespace

float em_pixels(Type type) {
  constexpr float sizes[] = {11, 12, 13, 16, 12, 13, 15, 10, 11, 12, 16, 11, 12, 20};
  static_assert(sizeof(sizes) / sizeof(sizes[0]) == static_cast<std::size_t>(Type::count));
  return sizes[static_cast<int>(type)];
}

float atlas_em(Type type, float scale) {
  return std::max(6.0f, std::round(em_pixels(type) * scale));
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

float pieces_width(Ui& ui, Type type, std::string_view s) {
  if (is_ascii(s)) return plain_width(ui, type, s.data(), s.data() + s.size());
  float width = 0;
  for (const TextPiece& piece : text_pieces(ui, type, s)) width += piece_width(ui, type, s, piece);
  return width;
}

void draw_pieces(Ui& ui, ImVec2 at, const TextStyle& style, std::string_view s) {
  if (is_ascii(s)) {
    add_run(ui, at, style, s);
    return;
  }
  for (const TextPiece& piece : text_pieces(ui, style.type, s)) {
    const float width = piece_width(ui, style.type, s, piece);
    if (piece.kind == TextPiece::Kind::plain) {
      add_run(ui, at, style, s.substr(piece.begin, piece.end - piece.begin));
    } else if (piece.kind == TextPiece::Kind::picture) {
      draw_picture(ui, at, style, piece.code_point);
    } else if (piece.kind == TextPiece::Kind::boxed || piece.kind == TextPiece::Kind::bad_byte) {
      draw_box(ui, at, style, box_label(piece, s), width);
    }
    at.x += width;
  }
}

}  // namespace headscope::ui
