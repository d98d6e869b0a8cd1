#include "tests/app/ui/driver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "app/ui/font_atlas.h"
#include "app/ui/imgui_compat.h"
#include "app/ui/mouse_input.h"
#include "core/base/utf8.h"

namespace headscope::ui {

TextureId NullTextures::heatmap(const HeatmapSpec& spec) {
  EXPECT_GT(spec.width, 0);
  EXPECT_GT(spec.height, 0);
  EXPECT_LE(spec.width, 16384);
  of_frame.push_back(spec);
  return static_cast<TextureId>(++heatmaps);
}

TextureId NullTextures::image(std::uint64_t, std::uint64_t, const Image& pixels) {
  EXPECT_GT(pixels.width, 0);
  return static_cast<TextureId>(1000000 + ++images);
}

Driver::Driver(int width, int height, float scale) : Driver(demo_document(), width, height, scale) {}

Driver::Driver(const Document& document, int width, int height, float scale, SessionOptions options,
               std::unique_ptr<Executor> executor)
    : session(
          std::move(executor), [] {}, std::move(options)),
      width_(width),
      height_(height),
      content_scale_(scale),
      start_(std::chrono::steady_clock::now()) {
  ImGui::CreateContext(font_source_.atlas());
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;  // as the window's renderer: a list may have many vertices
  compat::leave_input_order_to_us();
  settings.recent_files.clear();
  session.open(document.request, document.view, document.identity());
  step(4);
}

Driver::~Driver() {
  ImGui::DestroyContext();
}

void Driver::frame(InputEvents input) {
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {static_cast<float>(width_), static_cast<float>(height_)};
  io.DeltaTime = 1.0f / 60;
  time_ += 1.0 / 60;
  session.update(start_ + std::chrono::microseconds(static_cast<std::int64_t>(time_ * 1e6)));
  const float scale = content_scale_ * static_cast<float>(settings.ui_scale);
  const std::string text = text_on_screen(session, state);
  if (scale != fonts_scale_ || needs_rebuild(fonts_, text)) {
    fonts_ = font_source_.use(scale, text);
    fonts_scale_ = scale;
  }
  for (MouseEvent& event : input.mouse) event.shift = shift_held;
  bool held = shift_held;
  apply_mouse(input.mouse, held);
  ImGui::NewFrame();
  state.time = time_;
  texts.clear();
  probe.texts = &texts;
  probe.untranslated = &untranslated;
  Ui ui{.session = session,
        .settings = settings,
        .textures = textures,
        .state = state,
        .fonts = fonts_,
        .colors = palette(settings.theme),
        .scale = scale,
        .input = std::move(input),
        .shift_held = held,
        .commands = std::exchange(pushed_, {}),
        .probe = &probe,
        .translation = translation,
        .get_clipboard = [this] { return clipboard; },
        .set_clipboard = [this](const std::string& text_to_keep) { clipboard = text_to_keep; },
        .say =
            [this](const std::string& text_to_say) {
              if (said.size() < kMostHeard) said.push_back(text_to_say);
            },
        .play =
            [this](const std::string& wav) {
              if (played.size() < kMostHeard) played.push_back(wav);
            }};
  draw_shell(ui);
  ImGui::Render();
  compat::upload_textures_nowhere();
  for (Command& command : ui.commands) for_main.push_back(std::move(command));
}

std::string words(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += (i > 0 ? " w" : "w") + std::to_string(i);
  return text;
}

Document phrase_document(const std::string& words, std::int64_t heads, std::int64_t d_model) {
  Document document;
  document.request.phrase = words;
  document.request.heads = heads;
  document.request.d_model = d_model;
  return document;
}

void Driver::step(int frames) {
  for (int i = 0; i < frames; ++i) frame({});
  for (int i = 0; i < 20 && state.wants_frame; ++i) frame({});
  EXPECT_FALSE(state.wants_frame) << "the window asks for frames without end";
}

void Driver::wait(double seconds) {
  time_ += seconds;
  step(1);
}

void Driver::resize(int width, int height) {
  width_ = width;
  height_ = height;
  step();
}

void Driver::set_scale(float content_scale) {
  content_scale_ = content_scale;
  step();
}

Rect Driver::rect(const std::string& name) {
  const auto found = probe.rects.find(name);
  if (found == probe.rects.end()) {
    ADD_FAILURE() << "no control named " << name;
    return {};
  }
  return found->second;
}

void Driver::move(ImVec2 to) {
  InputEvents input;
  input.mouse.push_back({.kind = MouseEvent::Kind::move, .x = to.x, .y = to.y});
  frame(std::move(input));
}

void Driver::hover(const std::string& name) {
  move(rect(name).center());
  step(1);
}

void Driver::click(const std::string& name, float x, float y) {
  const Rect r = rect(name);
  click_at({r.min.x + r.width() * x, r.min.y + r.height() * y});
}

void Driver::click_at(ImVec2 at, int times) {
  // Clicks far apart in time do not become double clicks.
  for (int i = 0; i < 40; ++i) {
    if (i % 20 == 0) move(at);
    ImGui::GetIO().DeltaTime = 1.0f;
  }
  ImGui::GetIO().MouseClickedTime[0] = -10;
  for (int i = 0; i < times; ++i) {
    button(0, true);
    button(0, false);
  }
  step();
}

void Driver::right_click(const std::string& name) {
  move(rect(name).center());
  button(1, true);
  button(1, false);
  step();
}

void Driver::double_click(const std::string& name, float x) {
  const Rect r = rect(name);
  click_at({r.min.x + r.width() * x, r.center().y}, 2);
}

void Driver::triple_click(const std::string& name, float x) {
  const Rect r = rect(name);
  click_at({r.min.x + r.width() * x, r.center().y}, 3);
}

void Driver::drag(ImVec2 from, ImVec2 to) {
  move(from);
  ImGui::GetIO().MouseClickedTime[0] = -10;
  button(0, true);
  for (int i = 1; i <= 4; ++i) {
    const float t = static_cast<float>(i) / 4;
    move({from.x + (to.x - from.x) * t, from.y + (to.y - from.y) * t});
  }
  button(0, false);
  step();
}

void Driver::wheel(const std::string& name, float turns) {
  move(rect(name).center());
  wheel_here(turns);
  step(1);
}

void Driver::wheel_here(float turns) {
  InputEvents input;
  input.mouse.push_back({.kind = MouseEvent::Kind::wheel, .y = turns});
  frame(std::move(input));
}

void Driver::button(int button, bool down) {
  InputEvents input;
  input.mouse.push_back({.kind = MouseEvent::Kind::button, .button = button, .down = down});
  frame(std::move(input));
}

void Driver::choose(const std::string& name, const std::string& label) {
  click(name);
  ASSERT_EQ(state.open_combo, name) << "the list did not open";
  click(name + "/" + label);
}

void Driver::drop(const std::string& path) {
  InputEvents input;
  input.dropped.push_back(path);
  frame(std::move(input));
  step();
}

void Driver::type(const std::string& utf8) {
  for (std::size_t at = 0; at < utf8.size();) {
    const CodePoint c = code_point_at(utf8, at);
    at += static_cast<std::size_t>(c.bytes);
    InputEvents input;
    if (c.value == U' ') input.keys.push_back({KeyName::space, false, false, false, false});
    input.characters.push_back(c.value);
    frame(std::move(input));
  }
  step();
}

void Driver::key(KeyName key, bool ctrl, bool shift, bool alt) {
  InputEvents input;
  input.keys.push_back({key, false, ctrl, shift, alt});
  frame(std::move(input));
  step();
}

void Driver::tab_to(const std::string& name) {
  for (std::size_t i = 0; i <= state.tab_order.size() + 2; ++i) {
    if (state.focus == name) return;
    key(KeyName::tab);
  }
  ADD_FAILURE() << "Tab never reaches " << name;
}

std::vector<std::string> Driver::names(const std::string& prefix) const {
  std::vector<std::string> found;
  for (const auto& [name, rect] : probe.rects) {
    if (name.starts_with(prefix)) found.push_back(name);
  }
  return found;
}

}  // namespace headscope::ui
