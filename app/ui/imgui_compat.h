// Every difference between Dear ImGui 1.86 (Debian 12) and the newest that this project touches, in one place.
#pragma once

#include <imgui.h>

#include <cstdint>

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
// Debian's builds have 16-bit characters: what lies above U+FFFF cannot be in the atlas.
constexpr std::uint32_t last_code_point = sizeof(ImWchar) == 2 ? 0xFFFFu : 0x10FFFFu;

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
  return font->GetFontBaked(pixels)->GetCharAdvance(static_cast<ImWchar>(code_point));
#else
  return font->GetCharAdvance(static_cast<ImWchar>(code_point)) * (pixels / font->FontSize);
#endif
}

inline float ascent(ImFont* font, float pixels) {
#if IMGUI_VERSION_NUM >= 19200
  return font->GetFontBaked(pixels)->Ascent;
#else
  return font->Ascent * (pixels / font->FontSize);
#endif
}

// The last two arguments of AddPolyline changed places in 1.92.8.
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

// ---- for platforms without a window (tests, offscreen): how a frame is told about the mouse.
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
