#include "app/frame/frame.h"

#include <imgui.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "app/frame/start.h"
#include "app/gl/driver_call.h"
#include "app/gl/framebuffer.h"
#include "app/gl/offscreen.h"
#include "app/gl/shader_dialect.h"
#include "app/session/desktop_programs.h"
#include "app/ui/font_atlas.h"
#include "app/ui/imgui_compat.h"
#include "app/ui/mouse_input.h"
#include "core/base/error.h"
#include "core/picture/palette.h"

namespace headscope {
ImGuiGuard::ImGuiGuard() {
  IMGUI_CHECKVERSION();
  ui::compat::let_allocations_throw();
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;  // the layout is in the view state
  io.LogFilename = nullptr;
  ui::compat::leave_input_order_to_us();
  io.MouseDoubleClickTime = 0.5f;  // as on Windows; in 0.3 seconds a slow driver draws too few frames for two clicks
}

ImGuiGuard::~ImGuiGuard() {
  ImGui::DestroyContext();
}

void add_voice(Surface& surface) {
  if (can_say()) surface.say = say;
  if (can_play()) surface.play = play;
}

Surface null_surface(int width, int height, double content_scale) {
  Surface surface;
  surface.width = width;
  surface.height = height;
  surface.content_scale = content_scale;
  auto clipboard = std::make_shared<std::string>();
  surface.get_clipboard = [clipboard] { return *clipboard; };
  surface.set_clipboard = [clipboard](const std::string& text) { *clipboard = text; };
  return surface;
}

Cursor cursor_shape() {
  switch (ImGui::GetMouseCursor()) {
    case ImGuiMouseCursor_TextInput:
      return Cursor::text;
    case ImGuiMouseCursor_ResizeEW:
      return Cursor::resize_x;
    case ImGuiMouseCursor_ResizeNS:
      return Cursor::resize_y;
    default:
      return Cursor::arrow;
  }
}

FrameDrawer::FrameDrawer(HeatmapDrawer painter) {
  if (!ImGui_ImplOpenGL3_Init(shader_version())) {
    throw Error(
        "The graphics driver refused the window's own shaders: OpenGL 3.3 is needed. The same engine works "
        "without a window: headscope-cli --help.");
  }
  const bool software = is_software_renderer(renderer_name());
  textures_ = GlTextureStore::make(software ? HeatmapDrawer::processor : painter);
}

FrameDrawer::~FrameDrawer() {
  textures_.reset();
  ImGui_ImplOpenGL3_Shutdown();
}

void FrameDrawer::prepare_fonts(const Session& session, float scale) {
  const std::string text = ui::text_on_screen(session, state);
  if (scale == fonts_scale_ && !ui::needs_rebuild(fonts_, text)) return;
  const bool first = fonts_scale_ == 0;
  fonts_ = ui::build_fonts(scale, text);
  fonts_scale_ = scale;
  if (!ui::compat::upload_fonts(first)) throw Error("The graphics driver refused the texture of the fonts.");
}

std::vector<ui::Command> FrameDrawer::make(Session& session, Settings& settings, const Surface& surface,
                                           InputEvents input, double seconds, std::vector<ui::Command> commands) {
  const float scale = static_cast<float>(surface.content_scale * settings.ui_scale);
  prepare_fonts(session, scale);
  const Palette& colors = palette(settings.theme);

  in_driver(ImGui_ImplOpenGL3_NewFrame);
  ImGuiIO& io = ImGui::GetIO();
  // One unit of Dear ImGui is one pixel everywhere; sizes follow the scale instead.
  io.DisplaySize = {static_cast<float>(surface.width), static_cast<float>(surface.height)};
  io.DisplayFramebufferScale = {1, 1};
  io.DeltaTime = std::max(1e-6f, static_cast<float>(seconds - seconds_));  // Dear ImGui refuses 0
  seconds_ = seconds;
  ui::apply_mouse(input.mouse, shift_);
  const auto began = std::chrono::steady_clock::now();
  ImGui::NewFrame();
  probe.rects.clear();
  state.time = seconds;
  ui::Ui ui{.session = session,
            .settings = settings,
            .textures = *textures_,
            .state = state,
            .fonts = fonts_,
            .colors = colors,
            .scale = scale,
            .input = std::move(input),
            .shift_held = shift_,
            .commands = std::move(commands),
            .probe = &probe,
            .get_clipboard = surface.get_clipboard,
            .set_clipboard = surface.set_clipboard,
            .say = surface.say,
            .play = surface.play};
  ui::draw_shell(ui);
  ImGui::EndFrame();
  ground_ = colors.panel;
  ui_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
  return std::move(ui.commands);
}

void FrameDrawer::abandon() {
  ui::compat::abandon_frame();
}

void FrameDrawer::render(const Surface& surface) {
  ImGui::Render();
  clear_framebuffer(surface.width, surface.height, ground_);
  in_driver([] { ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData()); });
  textures_->end_frame();
  add_notice(state, ui::Notice::Kind::warn, "graphics", textures_->take_complaint());
}

}  // namespace headscope
