// Without it GLFW would declare GL.
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/platform/glfw_context.h"
#include "app/platform/glfw_display.h"
#include "app/platform/glfw_keys.h"
#include "app/platform/glfw_look.h"
#include "app/platform/input_queue.h"
#include "app/platform/window.h"
#include "core/base/error.h"

namespace headscope {
namespace {

// At 1x, as app/ui/layout.h has them: what is smaller would hide the status bar.
constexpr int kSmallestWidth = 960, kSmallestHeight = 600;
constexpr std::chrono::milliseconds kShortestFrame{7};

// By wake_window, from any thread, and not yet seen by wait().
std::atomic<bool> woken = false;

[[noreturn]] void refuse(const std::string& what) {
  throw Error("No window: " + what + ". The same engine works without one: headscope-cli --help.");
}

class GlfwWindow : public Window {
 public:
  GlfwWindow(const std::string& title, int width, int height) : title_(title) {
    const std::string no_display = start_glfw();
    if (!no_display.empty()) refuse(no_display);
    fit_to_monitor(width, height);
    const ShownWindow shown = open_shown_window(title, width, height);
    if (shown.window == nullptr) {
      const std::string reason = last_complaint();
      glfwTerminate();
      refuse("OpenGL 3.3 is needed and was refused (" + reason + ")");
    }
    take(shown);
  }

  ~GlfwWindow() override {
    shared_.clear();
    lost_shared_.clear();
    for (GLFWcursor* cursor : cursors_) {
      if (cursor != nullptr) glfwDestroyCursor(cursor);
    }
    for (GLFWwindow* lost : lost_) glfwDestroyWindow(lost);
    glfwDestroyWindow(window_);
    glfwTerminate();
  }
  GlfwWindow(const GlfwWindow&) = delete;
  GlfwWindow& operator=(const GlfwWindow&) = delete;

  bool should_close() const override { return glfwWindowShouldClose(window_) == GLFW_TRUE; }
  void request_close(bool close) override { glfwSetWindowShouldClose(window_, close ? GLFW_TRUE : GLFW_FALSE); }

  InputEvents wait(double seconds) override {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begin = Clock::now();
    if (seconds == 0 || !input_.empty()) glfwPollEvents();
    // A compositor's answer to a swap, or a device that comes and goes, ends GLFW's wait too; it is no event to us.
    while (input_.empty() && !changed_ && !woken && seconds != 0) {
      if (seconds < 0) {
        glfwWaitEvents();
        continue;
      }
      const double left = seconds - std::chrono::duration<double>(Clock::now() - begin).count();
      if (left <= 0) break;
      glfwWaitEventsTimeout(left);
    }
    InputEvents portion = input_.take();
    const bool called = woken.exchange(false);
    portion.woken = std::exchange(changed_, false) || called;
    return portion;
  }

  void swap() override {
    glfwSwapBuffers(window_);
    if (!paced_) return;
    // Nothing waits for the screen on Wayland: a mouse may move a thousand times a second.
    std::this_thread::sleep_until(swapped_ + kShortestFrame);
    swapped_ = std::chrono::steady_clock::now();
  }

  void run(const Turns& turns) override {
    while (turns.turn()) {
    }
    turns.end();
  }

  // The old window lives on, hidden: other threads may still hold contexts that share with its.
  void renew_context() override {
    int x = 0, y = 0, width = 0, height = 0;
    glfwGetWindowPos(window_, &x, &y);
    glfwGetWindowSize(window_, &width, &height);
    const bool maximised = glfwGetWindowAttrib(window_, GLFW_MAXIMIZED) == GLFW_TRUE;
    const ShownWindow shown = open_shown_window(title_, width, height);
    if (shown.window == nullptr) {
      throw Error("The graphics driver lost the window and does not begin anew (" + last_complaint() +
                  "). What you did is saved.");
    }
    glfwHideWindow(window_);
    lost_.push_back(window_);
    std::move(shared_.begin(), shared_.end(), std::back_inserter(lost_shared_));
    shared_.clear();
    take(shown);
    if (!on_wayland()) glfwSetWindowPos(window_, x, y);
    if (maximised) glfwMaximizeWindow(window_);
    cursor_ = Cursor::arrow;
    changed_ = true;
    glfwGetError(nullptr);
  }

  void framebuffer_size(int& width, int& height) const override { glfwGetFramebufferSize(window_, &width, &height); }

  double content_scale() const override {
    float x = 1, y = 1;
    glfwGetWindowContentScale(window_, &x, &y);
    return x > y ? x : y;
  }

  void set_title(const std::string& title) override {
    title_ = title;
    glfwSetWindowTitle(window_, title.c_str());
  }

  std::string clipboard() const override {
    const char* text = glfwGetClipboardString(window_);
    glfwGetError(nullptr);  // an empty clipboard is no error to us
    return text != nullptr ? text : "";
  }

  void set_clipboard(const std::string& text) override { glfwSetClipboardString(window_, text.c_str()); }

  SharedContext* lend_context() override {
    auto free = std::find_if(shared_.begin(), shared_.end(), [](const auto& context) { return !context->lent; });
    if (free == shared_.end()) {
      auto made = std::make_unique<HiddenContext>(window_, tells_losses_);
      if (!made->made()) return nullptr;
      free = shared_.insert(shared_.end(), std::move(made));
    }
    (*free)->lent = true;
    return free->get();
  }

  void set_cursor(Cursor cursor) override {
    if (cursor == cursor_) return;
    cursor_ = cursor;
    constexpr std::array<int, 4> shapes{GLFW_ARROW_CURSOR, GLFW_IBEAM_CURSOR, GLFW_HRESIZE_CURSOR, GLFW_VRESIZE_CURSOR};
    const auto i = static_cast<std::size_t>(cursor);
    if (cursors_[i] == nullptr) cursors_[i] = glfwCreateStandardCursor(shapes[i]);
    glfwSetCursor(window_, cursors_[i]);
    glfwGetError(nullptr);  // a theme without the shape keeps the arrow
  }

 private:
  // Makes it the window: its context is current, it is heard, and looks like the program's.
  void take(const ShownWindow& shown) {
    window_ = shown.window;
    tells_losses_ = shown.tells_losses;
    glfwMakeContextCurrent(window_);
    limit_size();
    glfwSetInputMode(window_, GLFW_LOCK_KEY_MODS, GLFW_TRUE);
    set_icon(window_);
    // A software driver has no screen to wait for: waiting would only cost time. On Wayland it would last for as long
    // as the window is hidden, and the compositor shows whole frames without it.
    const bool software = draws_by_software();
    glfwSwapInterval(software || on_wayland() ? 0 : 1);
    paced_ = !software && on_wayland();

    glfwSetWindowUserPointer(window_, this);
    hear_keys();
    hear_mouse();
    hear_window();
  }

  static GlfwWindow& self(GLFWwindow* window) { return *static_cast<GlfwWindow*>(glfwGetWindowUserPointer(window)); }

  void hear_keys() {
    glfwSetKeyCallback(window_, [](GLFWwindow* w, int key, int scancode, int action, int mods) {
      if (key == GLFW_KEY_LEFT_SHIFT || key == GLFW_KEY_RIGHT_SHIFT) {
        self(w).shift_ = action != GLFW_RELEASE;
        self(w).add_move();
      }
      if (action == GLFW_RELEASE) return;
      const KeyEvent event = key_event(key, scancode, action, mods);
      if (event.key != KeyName::unknown) self(w).input_.add(event);
    });
    glfwSetCharCallback(
        window_, [](GLFWwindow* w, unsigned code_point) { self(w).input_.add(static_cast<char32_t>(code_point)); });
    glfwSetDropCallback(window_, [](GLFWwindow* w, int count, const char** paths) {
      for (int i = 0; i < count; ++i) self(w).input_.add_drop(paths[i]);
    });
  }

  void hear_mouse() {
    glfwSetCursorPosCallback(window_, [](GLFWwindow* w, double x, double y) {
      // Positions come in units of the window, which a scaled Wayland desktop makes larger than pixels.
      int units = 0, pixels = 0, ignored = 0;
      glfwGetWindowSize(w, &units, &ignored);
      glfwGetFramebufferSize(w, &pixels, &ignored);
      const double ratio = units > 0 ? static_cast<double>(pixels) / units : 1;
      self(w).pointer_x_ = static_cast<float>(x * ratio);
      self(w).pointer_y_ = static_cast<float>(y * ratio);
      self(w).add_move();
    });
    glfwSetCursorEnterCallback(window_, [](GLFWwindow* w, int entered) {
      // While a button is held, the pointer is followed beyond the edge.
      bool held = false;
      for (int button = GLFW_MOUSE_BUTTON_1; button <= GLFW_MOUSE_BUTTON_3; ++button) {
        held = held || glfwGetMouseButton(w, button) == GLFW_PRESS;
      }
      if (entered == GLFW_TRUE || held) return;
      self(w).pointer_x_ = self(w).pointer_y_ = kNoPointer;
      self(w).add_move();
    });
    glfwSetMouseButtonCallback(window_, [](GLFWwindow* w, int button, int action, int mods) {
      if (button > GLFW_MOUSE_BUTTON_3) return;
      self(w).shift_ = (mods & GLFW_MOD_SHIFT) != 0;
      self(w).input_.add(MouseEvent{
          .kind = MouseEvent::Kind::button, .button = button, .down = action == GLFW_PRESS, .shift = self(w).shift_});
    });
    glfwSetScrollCallback(window_, [](GLFWwindow* w, double x, double y) {
      self(w).input_.add(MouseEvent{.kind = MouseEvent::Kind::wheel,
                                    .x = static_cast<float>(x),
                                    .y = static_cast<float>(y),
                                    .shift = self(w).shift_});
    });
  }

  // What changes the picture without any input.
  void hear_window() {
    const auto changed = [](GLFWwindow* w) { self(w).changed_ = true; };
    glfwSetWindowRefreshCallback(window_, changed);
    glfwSetWindowCloseCallback(window_, changed);
    glfwSetFramebufferSizeCallback(window_, [](GLFWwindow* w, int, int) { self(w).changed_ = true; });
    glfwSetWindowContentScaleCallback(window_, [](GLFWwindow* w, float, float) { self(w).changed_ = true; });
    glfwSetWindowIconifyCallback(window_, [](GLFWwindow* w, int) { self(w).changed_ = true; });
    glfwSetWindowFocusCallback(window_, [](GLFWwindow* w, int) { self(w).changed_ = true; });
  }

  // Where the pointer is and whether Shift is held.
  void add_move() {
    input_.add(MouseEvent{.kind = MouseEvent::Kind::move, .x = pointer_x_, .y = pointer_y_, .shift = shift_});
  }

  void limit_size() {
    int window_width = 0, width = 0, ignored = 0;
    glfwGetWindowSize(window_, &window_width, &ignored);
    glfwGetFramebufferSize(window_, &width, &ignored);
    const double per_1x = width > 0 ? content_scale() * window_width / width : 1;
    glfwSetWindowSizeLimits(window_, static_cast<int>(kSmallestWidth * per_1x),
                            static_cast<int>(kSmallestHeight * per_1x), GLFW_DONT_CARE, GLFW_DONT_CARE);
  }

  std::string title_;
  GLFWwindow* window_ = nullptr;
  bool tells_losses_ = false;  // its context, and those that share with it
  std::vector<std::unique_ptr<HiddenContext>> shared_;
  std::vector<GLFWwindow*> lost_;  // windows whose contexts were lost, and what shared with them
  std::vector<std::unique_ptr<HiddenContext>> lost_shared_;
  InputQueue input_;
  float pointer_x_ = kNoPointer, pointer_y_ = kNoPointer;
  bool shift_ = false;
  bool changed_ = false;  // since the last wait()
  bool paced_ = false;    // swap() itself keeps frames kShortestFrame apart
  std::chrono::steady_clock::time_point swapped_{};
  Cursor cursor_ = Cursor::arrow;
  std::array<GLFWcursor*, 4> cursors_{};  // made when first shown
};

}  // namespace

void wake_window() {
  woken = true;
  glfwPostEmptyEvent();
}

std::unique_ptr<Window> make_window(const std::string& title, int width, int height) {
  return std::make_unique<GlfwWindow>(title, width, height);
}

}  // namespace headscope
