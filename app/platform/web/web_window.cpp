// A window that is the canvas of a page.
#include <emscripten.h>
#include <emscripten/html5.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "app/platform/input_queue.h"
#include "app/platform/web/page_input.h"
#include "app/platform/window.h"
#include "core/base/error.h"
#include "core/base/standard_streams.h"

// clang-format off
EM_JS(void, headscope_set_title, (const char* title), { document.title = UTF8ToString(title); });
EM_JS(void, headscope_set_cursor, (const char* name), { Module["canvas"].style.cursor = UTF8ToString(name); });
EM_JS(void, headscope_set_clipboard, (const char* text), { Module["copy"](UTF8ToString(text)); });
EM_JS(char*, headscope_clipboard, (), { return allocateUTF8(Module["pasted"] || ""); });
EM_JS(void, headscope_stopped, (const char* why), { Module["stopped"](UTF8ToString(why)); });
EM_JS(void, headscope_notice, (const char* text), { Module["notice"](UTF8ToString(text)); });
EM_JS(void, headscope_mirror_state, (), { Module["mirrorState"](GLctx); });
EM_JS(void, headscope_turned, (), { if (Module["onTurn"]) Module["onTurn"](); });
// clang-format on

namespace headscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kCanvas = "#canvas";
// Work that waits for the one thread may begin for this long between two frames; a piece that has begun is finished.
constexpr double kWorkSeconds = 0.02;

bool woken = false;  // by wake_window(), and not yet seen by wait()

class WebWindow : public Window {
 public:
  explicit WebWindow(const std::string& title) {
    EmscriptenWebGLContextAttributes wanted;
    emscripten_webgl_init_context_attributes(&wanted);
    wanted.majorVersion = 2;
    wanted.alpha = wanted.depth = wanted.stencil = wanted.antialias = false;
    wanted.preserveDrawingBuffer = true;  // a frame that changes nothing is not drawn
    context_ = emscripten_webgl_create_context(kCanvas, &wanted);
    if (context_ <= 0) {
      throw Error(
          "This browser gives the page no WebGL 2, which Headscope draws with. Another browser may, or this one with "
          "another graphics driver.");
    }
    emscripten_webgl_make_context_current(context_);
    headscope_mirror_state();
    headscope_set_title(title.c_str());
    hear_page(kCanvas, input_);
    fit();
  }

  bool should_close() const override { return false; }
  // A page is closed by its browser alone.
  void request_close(bool closes) override {
    if (closes) headscope_notice("What you did is kept in this browser. To leave, close this tab.");
  }

  InputEvents wait(double seconds) override {
    if (seconds > 0 && turns_.work) turns_.work(seconds);
    fit();
    InputEvents portion = input_.take();
    portion.woken = std::exchange(changed_, false) || std::exchange(woken, false);
    return portion;
  }

  void swap() override {}  // the browser shows what is drawn when a turn ends

  void run(const Turns& turns) override {
    turns_ = turns;
    emscripten_set_main_loop_arg([](void* self) { static_cast<WebWindow*>(self)->frame(); }, this, 0, false);
    // A page that is hidden may never be seen again.
    emscripten_set_visibilitychange_callback(
        this, false, [](int, const EmscriptenVisibilityChangeEvent* event, void* self) -> EM_BOOL {
          if (event->hidden) static_cast<WebWindow*>(self)->turns_.end();
          return EM_FALSE;
        });
  }

  void renew_context() override {
    throw Error("The browser has lost the page's pictures. What you did is kept: load the page again.");
  }

  void framebuffer_size(int& width, int& height) const override {
    width = width_;
    height = height_;
  }
  double content_scale() const override { return emscripten_get_device_pixel_ratio(); }
  void set_title(const std::string& title) override { headscope_set_title(title.c_str()); }

  std::string clipboard() const override {
    char* const text = headscope_clipboard();
    std::string result = text;
    std::free(text);
    return result;
  }
  void set_clipboard(const std::string& text) override { headscope_set_clipboard(text.c_str()); }
  SharedContext* lend_context() override { return nullptr; }

  void set_cursor(Cursor cursor) override {
    if (cursor == cursor_) return;
    cursor_ = cursor;
    constexpr const char* kNames[] = {"default", "text", "ew-resize", "ns-resize"};
    headscope_set_cursor(kNames[static_cast<int>(cursor)]);
  }

 private:
  // Once for every frame of the browser: a turn where one is due, then what waits for the thread.
  void frame() {
    try {
      fit();
      const bool is_due = due_ && Clock::now() >= *due_;
      if (is_due || changed_ || woken || !input_.empty()) take_turn();
      turns_.work(kWorkSeconds);
    } catch (const std::exception& error) {
      emscripten_cancel_main_loop();
      say_on_standard_error(std::string("error: ") + error.what() + "\n");
      headscope_stopped(error.what());
    }
  }

  void take_turn() {
    turns_.turn();
    headscope_turned();
    const double seconds = turns_.seconds_to_sleep();
    due_.reset();
    if (seconds < 0) return;
    due_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }

  // The canvas has as many pixels as the screen has where it lies.
  void fit() {
    double width = 0, height = 0;
    emscripten_get_element_css_size(kCanvas, &width, &height);
    const double ratio = content_scale();
    const int across = static_cast<int>(std::lround(width * ratio)),
              down = static_cast<int>(std::lround(height * ratio));
    if (across == width_ && down == height_) return;
    width_ = across;
    height_ = down;
    emscripten_set_canvas_element_size(kCanvas, across, down);
    changed_ = true;
  }

  EMSCRIPTEN_WEBGL_CONTEXT_HANDLE context_ = 0;
  Turns turns_;
  InputQueue input_;
  int width_ = 0, height_ = 0;
  bool changed_ = false;                                 // the size, since the last wait()
  std::optional<Clock::time_point> due_ = Clock::now();  // the next turn, where no event comes before
  Cursor cursor_ = Cursor::arrow;
};

}  // namespace

void wake_window() {
  woken = true;
}

std::unique_ptr<Window> make_window(const std::string& title, int, int) {
  return std::make_unique<WebWindow>(title);
}

}  // namespace headscope
