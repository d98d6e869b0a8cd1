// Every difference between Dear ImGui 1.86 (Debian 12) and the newest that this project touches, in one place.
#pragma once

#include <imgui.h>
#include <imgui_impl_opengl3.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <string_view>

#include "core/picture/texture_store.h"

namespace headscope::ui::compat {

// ImTextureID was void* before 1.91.4 and is a 64-bit number since.
inline ImTextureID texture(TextureId id) {
#if IMGUI_VERSION_NUM >= 19140
  return static_cast<ImTextureID>(id);
#else
  return reinterpret_cast<ImTextureID>(static_cast<std::uintptr_t>(id));
#endif
}

// From 1.92 on glyphs are made when first drawn: no ranges, no rebuild of the atlas.
constexpr bool dynamic_glyphs = IMGUI_VERSION_NUM >= 19200;
// Debian's builds have 16-bit characters: code points above U+FFFF cannot be in the atlas.
constexpr std::uint32_t last_code_point = sizeof(ImWchar) == 2 ? 0xFFFFu : 0x10FFFFu;

// ---- fonts. Sizes are in pixels and need not be whole: Inter at 12 pixels an em is 14.52 high. Dear ImGui drops the
// fraction since 1.90, which makes every advance up to 7 % narrower. In 1.90 and 1.91 the atlas is therefore built in
// units of 1/1024 pixel, rasterized at the density that gives the wanted pixels, and converted to pixels afterwards.
// From 1.92 on it is baked at the next whole size, rasterized at the density that corrects the difference.
#if IMGUI_VERSION_NUM >= 19000 && IMGUI_VERSION_NUM < 19200
constexpr float font_units = 1024;
#else
constexpr float font_units = 1;
#endif

// Empties the atlas. It is drawn by stb_truetype: advances as the font has them, not rounded up to whole pixels, so
// that mono columns keep their exact pitch.
inline void begin_fonts(ImFontAtlas& atlas) {
  atlas.Clear();
#if IMGUI_VERSION_NUM < 19200
  atlas.FontBuilderIO = ImFontAtlasGetBuilderForStbTruetype();
#endif
}

inline void set_font_size(ImFontConfig& config, [[maybe_unused]] ImFontAtlas& atlas, float pixels) {
  config.SizePixels = pixels;
#if IMGUI_VERSION_NUM >= 19200
  // A face merged into a font is baked and drawn like the font.
  config.RasterizerDensity = config.MergeMode ? atlas.Fonts.back()->Sources[0]->RasterizerDensity
                                              : pixels / std::max(1.0f, std::round(pixels));
#elif IMGUI_VERSION_NUM >= 19000
  config.SizePixels = std::round(pixels * font_units);
  config.RasterizerDensity = 1 / font_units;
#endif
}

// `font`, the bytes of a file, and `ranges` must stay valid until finish_fonts().
inline ImFont* add_font(ImFontAtlas& atlas, std::span<const std::byte> font, float pixels, ImFontConfig config,
                        const ImWchar* ranges) {
  set_font_size(config, atlas, pixels);
#if IMGUI_VERSION_NUM >= 19200
  // The atlas reads a glyph when it is first drawn, so it keeps a copy of the file.
  void* data = ImGui::MemAlloc(font.size());
  std::memcpy(data, font.data(), font.size());
#else
  void* data = const_cast<std::byte*>(font.data());
  config.FontDataOwnedByAtlas = false;
#endif
  return atlas.AddFontFromMemoryTTF(data, static_cast<int>(font.size()), config.SizePixels, &config, ranges);
}

// Dear ImGui's own face, for a machine without fonts.
inline ImFont* add_default_font(ImFontAtlas& atlas, float pixels) {
  ImFontConfig config;
  set_font_size(config, atlas, pixels);
  return atlas.AddFontDefault(&config);
}

inline void finish_fonts([[maybe_unused]] ImFontAtlas& atlas) {
#if IMGUI_VERSION_NUM < 19200
  atlas.Build();
  atlas.ClearInputData();
#endif
#if IMGUI_VERSION_NUM >= 19000 && IMGUI_VERSION_NUM < 19200
  for (ImFont* font : atlas.Fonts) {
    const float ascent = std::floor((font->Ascent - 1) / font_units + 1);
    for (ImFontGlyph& glyph : font->Glyphs) {
      // Puts the baseline on a whole pixel.
      glyph.Y0 = (glyph.Y0 - font->Ascent) / font_units + ascent;
      glyph.Y1 = (glyph.Y1 - font->Ascent) / font_units + ascent;
      glyph.X0 /= font_units;
      glyph.X1 /= font_units;
      glyph.AdvanceX /= font_units;
    }
    font->FontSize /= font_units;
    font->Ascent = ascent;
    font->Descent = std::ceil((font->Descent + 1) / font_units - 1);
    font->BuildLookupTable();
  }
#endif
}

inline float font_pixels(const ImFont* font) {
#if IMGUI_VERSION_NUM >= 19200
  return font->LegacySize;
#else
  return font->FontSize;
#endif
}

// Uploads the atlas that was just built to the driver. False when the driver refuses.
inline bool upload_fonts([[maybe_unused]] bool first) {
#if IMGUI_VERSION_NUM < 19200
  // The first frame creates the texture together with the other objects of the renderer.
  if (!first) ImGui_ImplOpenGL3_DestroyFontsTexture();
  if (!(first ? ImGui_ImplOpenGL3_CreateDeviceObjects() : ImGui_ImplOpenGL3_CreateFontsTexture())) return false;
  ImGui::GetIO().Fonts->ClearTexData();  // the driver has its own copy
#endif
  return true;
}

// ---- memory. Dear ImGui checks no allocation, so that one which fails must not come back: std::bad_alloc leaves the
// frame.
inline void let_allocations_throw() {
  const auto allocate = [](std::size_t size, void*) {
    void* const memory = std::malloc(size);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
  };
  ImGui::SetAllocatorFunctions(allocate, [](void* memory, void*) { std::free(memory); });
}

// Ends the frame that an exception has left, with the windows, groups and styles that are open in it.
inline void abandon_frame() {
  ImGuiContext& g = *ImGui::GetCurrentContext();
  if (g.FrameCount == g.FrameCountEnded) return;  // none was begun
#if IMGUI_VERSION_NUM >= 19130
  bool& asserts = ImGui::GetIO().ConfigErrorRecoveryEnableAssert;
  const bool before = asserts;
  asserts = false;
  ImGui::ErrorRecoveryTryToRecoverState(&g.StackSizesInNewFrame);
  asserts = before;
#else
  ImGui::ErrorCheckEndFrameRecover(nullptr, nullptr);
#endif
  ImGui::EndFrame();
}

// ---- for tests without a renderer: marks every texture as uploaded. Call them after build_fonts, and after each
// Render.
inline void upload_fonts_nowhere() {
  ImGuiIO& io = ImGui::GetIO();
#if IMGUI_VERSION_NUM >= 19200
  io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
#else
  unsigned char* pixels = nullptr;
  int width = 0, height = 0;
  io.Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
  io.Fonts->SetTexID(texture(1));
  io.Fonts->ClearTexData();  // as upload_fonts() does
#endif
}
inline void upload_textures_nowhere() {
#if IMGUI_VERSION_NUM >= 19200
  for (ImTextureData* data : ImGui::GetPlatformIO().Textures) {
    const bool ends = data->Status == ImTextureStatus_WantDestroy;
    data->SetTexID(ends ? ImTextureID_Invalid : texture(1));
    data->SetStatus(ends ? ImTextureStatus_Destroyed : ImTextureStatus_OK);
  }
#endif
}

inline bool has_glyph(ImFont* font, std::uint32_t code_point) {
  if (code_point > last_code_point) return false;
#if IMGUI_VERSION_NUM >= 19200
  return font->IsGlyphInFont(static_cast<ImWchar>(code_point));
#else
  return font->FindGlyphNoFallback(static_cast<ImWchar>(code_point)) != nullptr;
#endif
}

inline float advance(ImFont* font, float pixels, std::uint32_t code_point) {
#if IMGUI_VERSION_NUM >= 19200
  ImFontBaked* baked = font->GetFontBaked(pixels);
  return baked->GetCharAdvance(static_cast<ImWchar>(code_point)) * (pixels / baked->Size);
#else
  return font->GetCharAdvance(static_cast<ImWchar>(code_point)) * (pixels / font->FontSize);
#endif
}

inline float ascent(ImFont* font, float pixels) {
#if IMGUI_VERSION_NUM >= 19200
  const ImFontBaked* baked = font->GetFontBaked(pixels);
  return baked->Ascent * (pixels / baked->Size);
#else
  return font->Ascent * (pixels / font->FontSize);
#endif
}

// The font of a text, its size in pixels and its colour.
struct InkedFont {
  ImFont* font = nullptr;
  float pixels = 0;
  ImU32 ink = 0;
};

// Draws UTF-8 text whose upper left corner is `at`; `all`: also the parts outside of the clip rectangle.
inline void add_text(ImDrawList& list, const InkedFont& inked, ImVec2 at, std::string_view text, bool all = false) {
  const auto [font, pixels, ink] = inked;
  const char *const begin = text.data(), *const end = text.data() + text.size();
#if IMGUI_VERSION_NUM >= 19290
  // The font is baked at another size, so the ascent is no whole number of pixels; the baseline must lie on a whole
  // pixel.
  const ImDrawListFlags flags = list.Flags;
  list.Flags |= ImDrawListFlags_TextNoPixelSnap;
  const float up = ascent(font, pixels);
  at = {std::floor(at.x), std::round(at.y + up) - up};
#endif
  if (all) {
    font->RenderText(&list, pixels, at, ink, {-1e6f, -1e6f, 1e6f, 1e6f}, begin, end);
  } else {
    list.AddText(font, pixels, at, ink, begin, end);
  }
#if IMGUI_VERSION_NUM >= 19290
  list.Flags = flags;
#endif
}

// The last two arguments of AddPolyline were exchanged in 1.92.8.
inline void add_polyline(ImDrawList& list, const ImVec2* points, int count, ImU32 color, float thickness, bool closed) {
  const ImDrawFlags flags = closed ? ImDrawFlags_Closed : ImDrawFlags_None;
#if IMGUI_VERSION_NUM >= 19280
  list.AddPolyline(points, count, color, thickness, flags);
#else
  list.AddPolyline(points, count, color, flags, thickness);
#endif
}

// PathStroke's likewise.
inline void path_stroke(ImDrawList& list, ImU32 color, float thickness, bool closed) {
  const ImDrawFlags flags = closed ? ImDrawFlags_Closed : ImDrawFlags_None;
#if IMGUI_VERSION_NUM >= 19280
  list.PathStroke(color, thickness, flags);
#else
  list.PathStroke(color, flags, thickness);
#endif
}

// ---- the mouse. A frame gets at most one change of a button (InputQueue). Dear ImGui's own event queue (since 1.87)
// is switched off: the window loop would not know of events that it holds back.
inline void leave_input_order_to_us() {
#if IMGUI_VERSION_NUM >= 18700
  ImGui::GetIO().ConfigInputTrickleEventQueue = false;
#endif
}
inline void set_mouse_position(float x, float y) {
  ImGuiIO& io = ImGui::GetIO();
#if IMGUI_VERSION_NUM >= 18700
  io.AddMousePosEvent(x, y);
#else
  io.MousePos = ImVec2(x, y);
#endif
}
inline void set_mouse_button(int button, bool down) {
  ImGuiIO& io = ImGui::GetIO();
#if IMGUI_VERSION_NUM >= 18700
  io.AddMouseButtonEvent(button, down);
#else
  io.MouseDown[button] = down;
#endif
}
inline void add_mouse_wheel(float x, float y) {
  ImGuiIO& io = ImGui::GetIO();
#if IMGUI_VERSION_NUM >= 18700
  io.AddMouseWheelEvent(x, y);
#else
  io.MouseWheelH += x;
  io.MouseWheel += y;
#endif
}

}  // namespace headscope::ui::compat
