// Drives the window in process: no window, no GL, no clock. Clicks go to controls by their probe name, assertions go to
// the session and not to pixels.
#pragma once

#include <imgui.h>

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/session/background/work/executor.h"
#include "app/session/documents.h"
#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/ui/ui.h"
#include "core/picture/texture_store.h"
#include "tests/app/ui/driver_fonts.h"

namespace headscope::ui {

// "w0 w1 w2 ...": `count` words.
std::string words(int count);
// A seeded layer over these words, nothing hidden.
Document phrase_document(const std::string& words, std::int64_t heads = 8, std::int64_t d_model = 64);
inline constexpr const char* kTwelve = "The animal didn't cross the street because it was too tired .";

// Hands out numbers and counts; nothing is drawn.
class NullTextures : public TextureStore {
 public:
  TextureId heatmap(const HeatmapSpec& spec) override;
  TextureId image(std::uint64_t key, std::uint64_t version, const Image& pixels) override;
  int heatmaps = 0, images = 0;
  std::vector<HeatmapSpec> of_frame;  // since this was cleared
};

class Driver {
 public:
  explicit Driver(int width = 1600, int height = 1000, float scale = 1);
  Driver(const Document& document, int width = 1600, int height = 1000, float scale = 1, SessionOptions options = {},
         std::unique_ptr<Executor> executor = make_inline_executor());
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  Session session;
  Settings settings;
  UiState state;
  NullTextures textures;
  Probe probe;
  std::vector<DrawnText> texts;        // of the last frame
  std::set<std::string> untranslated;  // what the language of the settings had no words for
  Translation* translation = nullptr;  // instead of that of the settings' language
  std::string clipboard;
  static constexpr std::size_t kMostHeard = 8;
  std::vector<std::string> said, played;  // texts that were spoken, sounds that were played: the first ones
  std::vector<Command> for_main;          // commands that the shell left to main

  // One frame with this input, and the commands that were pushed before.
  void frame(InputEvents input);
  // The next frame begins with this command, as when something outside of the panels asks for it.
  void push(CommandId id, std::string argument = "") { pushed_.push_back({id, std::move(argument)}); }
  // Frames until nothing asks for another one, at least `frames`.
  void step(int frames = 2);
  // Time passes without frames, then one.
  void wait(double seconds);
  // Time passes without frames.
  void let_pass(double seconds) { time_ += seconds; }
  void resize(int width, int height);
  void set_scale(float content_scale);

  bool has(const std::string& name) const { return probe.rects.count(name) > 0; }
  // Fails the test when there is no such control on screen.
  Rect rect(const std::string& name);
  bool shift_held = false;  // for what the mouse does
  void move(ImVec2 to);
  void hover(const std::string& name);
  // (x, y): shares of the control's size.
  void click(const std::string& name, float x = 0.5f, float y = 0.5f);
  void click_at(ImVec2 at, int times = 1);
  void right_click(const std::string& name);
  void double_click(const std::string& name, float x = 0.5f);
  void triple_click(const std::string& name, float x = 0.5f);
  void drag(ImVec2 from, ImVec2 to);
  void wheel(const std::string& name, float turns);
  void wheel_here(float turns);
  // One frame: the button goes down or up where the pointer is. 0 left, 1 right.
  void button(int button, bool down);
  // Picks a line of the list that clicking `name` opens, by its label.
  void choose(const std::string& name, const std::string& label);
  void drop(const std::string& path);

  void type(const std::string& utf8);  // one frame a code point
  void key(KeyName key, bool ctrl = false, bool shift = false, bool alt = false);
  void ctrl(KeyName k) { key(k, true); }
  // Tab until `name` has the focus; fails the test when it never gets it.
  void tab_to(const std::string& name);

  std::string focus() const { return state.focus; }
  const Trace& trace() const { return *session.trace(); }
  std::vector<std::string> names(const std::string& prefix) const;

 private:
  DriverFonts font_source_;
  Fonts fonts_;
  float fonts_scale_ = 0;
  int width_, height_;
  float content_scale_;
  double time_ = 0;
  std::vector<Command> pushed_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace headscope::ui
