// One frame, from input to pixels: Dear ImGui, fonts, textures and the panels. Knows neither GLFW nor EGL.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/gl/gl_texture_store.h"
#include "app/platform/window.h"
#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/ui/ui.h"

namespace headscope {

// Owns the context of Dear ImGui.
class ImGuiGuard {
 public:
  ImGuiGuard();
  ~ImGuiGuard();
  ImGuiGuard(const ImGuiGuard&) = delete;
  ImGuiGuard& operator=(const ImGuiGuard&) = delete;
};

// The size, scale, clipboard and voice of what a frame is drawn on.
struct Surface {
  int width = 0, height = 0;  // pixels
  double content_scale = 1;
  std::function<std::string()> get_clipboard;
  std::function<void(const std::string&)> set_clipboard;
  std::function<void(const std::string&)> say, play;  // Ui::say, Ui::play
};

// Lets a surface speak and play sounds, by the programs that are installed here.
void add_voice(Surface& surface);

// A surface of this size without a window system; it has a clipboard of its own.
Surface null_surface(int width, int height, double content_scale);

// What the pointer looks like over the frame made last.
Cursor cursor_shape();

class FrameDrawer {
 public:
  // A GL context of at least 3.3 must be current, now and until this is destroyed. Throws Error when the driver
  // refuses.
  // With the processor as the painter no heatmap is drawn by a shader, whatever the driver.
  explicit FrameDrawer(HeatmapDrawer painter = HeatmapDrawer::shader);
  ~FrameDrawer();
  FrameDrawer(const FrameDrawer&) = delete;
  FrameDrawer& operator=(const FrameDrawer&) = delete;

  // Makes a frame: the panels take the input and execute `commands`. Returns the commands that the application must
  // execute. A frame that is not rendered is dropped when the next one is made. `seconds`: the time, which never
  // decreases.
  std::vector<ui::Command> make(Session& session, Settings& settings, const Surface& surface, InputEvents input,
                                double seconds, std::vector<ui::Command> commands = {});
  // Gives up the frame that make() or render() has left by an exception: the next make() begins afresh.
  void abandon();
  // Draws the frame made last on the bound framebuffer.
  void render(const Surface& surface);
  const GlTextureStore& textures() const { return *textures_; }

  ui::UiState state;
  ui::Probe probe;
  double ui_ms = 0;  // milliseconds that the panels of the last frame took

 private:
  void prepare_fonts(const Session& session, float scale);

  std::unique_ptr<GlTextureStore> textures_;
  ui::Fonts fonts_;
  float fonts_scale_ = 0;
  double seconds_ = 0;  // of the last frame
  bool shift_ = false;  // shift was held at the last mouse event
  Rgba ground_;
};

}  // namespace headscope
