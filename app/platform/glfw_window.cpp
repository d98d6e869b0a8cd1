#include <epoxy/gl.h>
// GLFW comes after libepoxy: both would declare GL.
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <utility>
#include <vector>

#include "app/platform/app_icon.h"
#include "app/platform/glfw_keys.h"
#include "app/platform/input_queue.h"
#include "app/platform/window.h"
#include "core/error.h"

namespace headscope {
namespace {

constexpr int kSmallestWidth = 960, kSmallestHeight = 640;

// What GLFW complained of last, in words for the user.
std::string last_complaint() {
  const char* description = nullptr;
  glfwGetError(&description);
  return description != nullptr ? description : "GLFW gives no reason";
}

[[noreturn]] void refuse(const std::string& what) {
  throw Error("No window: " + what + ". The same engine works without one: headscope-cli --help.");
}

void hint_core_context(int major, int minor) {
  glfwDefaultWindowHints();
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, major);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, minor);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_DEPTH_BITS, 0);
  glfwWindowHint(GLFW_STENCIL_BITS, 0);
}

// The context of a window that is never shown.
class HiddenContext : public SharedContext {
 public:
  explicit HiddenContext(GLFWwindow* shares_with) {
    hint_core_context(4, 3);
    glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
    glfwWindowHint(GLFW_FOCUSED, GLFW_FALSE);
    window_ = glfwCreateWindow(1, 1, "Headscope computes", nullptr, shares_with);
    glfwGetError(nullptr);
  }
  ~HiddenContext() override {
    if (window_ != nullptr) glfwDestroyWindow(window_);
  }
  HiddenContext(const HiddenContext&) = delete;
  HiddenContext& operator=(const HiddenContext&) = delete;

  bool made() const { return window_ != nullptr; }
  void make_current() override {
    glfwMakeContextCurrent(window_);
    if (glfwGetCurrentContext() != window_) throw Error("The driver does not let a second thread use its context.");
  }
  void release() override {
    glfwMakeContextCurrent(nullptr);
    lent = false;
  }
  std::atomic<bool> lent = false;

 private:
  GLFWwindow* window_ = nullptr;
};

class GlfwWindow : public Window {
 public:
  GlfwWindow(const std::string& title, int width, int height) {
#if GLFW_VERSION_MAJOR == 3 && GLFW_VERSION_MINOR < 4
    // Without a display GLFW 3.3 says only which X11 call failed.
    const bool has_display = std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr;
#else
    const bool has_display = true;
#endif
    if (glfwInit() != GLFW_TRUE) {
      const std::string reason = last_complaint();
#ifdef __linux__
      refuse(has_display ? reason : "there is no display (DISPLAY is not set)");
#else
      refuse(reason);
#endif
    }
    hint_core_context(3, 3);
    glfwWindowHintString(GLFW_X11_CLASS_NAME, "headscope");
    glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "headscope");
    fit_to_monitor(width, height);
    window_ = glfwCreateWindow(width, height, title.c_str(), nullptr, nullptr);
    if (window_ == nullptr) {
      const std::string reason = last_complaint();
      glfwTerminate();
      refuse("OpenGL 3.3 is needed and was refused (" + reason + ")");
    }
    glfwMakeContextCurrent(window_);
    limit_size();
    glfwSetInputMode(window_, GLFW_LOCK_KEY_MODS, GLFW_TRUE);
    set_icon();
    // A software driver has no screen to wait for: waiting would only cost time.
    const auto* renderer = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
    const std::string driver = renderer != nullptr ? renderer : "";
    const bool software = driver.find("llvmpipe") != std::string::npos ||
                          driver.find("softpipe") != std::string::npos ||
                          driver.find("SwiftShader") != std::string::npos;
    glfwSwapInterval(software ? 0 : 1);

    glfwSetWindowUserPointer(window_, this);
    glfwSetKeyCallback(window_, [](GLFWwindow* w, int key, int scancode, int action, int mods) {
      if (action == GLFW_RELEASE) return;
      const KeyEvent event = key_event(key, scancode, action, mods);
      if (event.key != KeyName::unknown) self(w).input_.add(event);
    });
    glfwSetCharCallback(
        window_, [](GLFWwindow* w, unsigned code_point) { self(w).input_.add(static_cast<char32_t>(code_point)); });
    glfwSetDropCallback(window_, [](GLFWwindow* w, int count, const char** paths) {
      for (int i = 0; i < count; ++i) self(w).input_.add_drop(paths[i]);
    });
    // Dear ImGui's own callbacks call the ones that are there already.
    if (ImGui::GetCurrentContext() != nullptr) imgui_ = ImGui_ImplGlfw_InitForOpenGL(window_, true);
  }

  ~GlfwWindow() override {
    if (imgui_) ImGui_ImplGlfw_Shutdown();
    shared_.clear();
    glfwDestroyWindow(window_);
    glfwTerminate();
  }
  GlfwWindow(const GlfwWindow&) = delete;
  GlfwWindow& operator=(const GlfwWindow&) = delete;

  bool should_close() const override {
    return glfwWindowShouldClose(window_) == GLFW_TRUE;
  }
  void request_close(bool close) override {
    glfwSetWindowShouldClose(window_, close ? GLFW_TRUE : GLFW_FALSE);
  }

  InputEvents wait(double seconds) override {
    if (!input_.empty()) {
      glfwPollEvents();
    } else if (seconds < 0) {
      glfwWaitEvents();
    } else if (seconds > 0) {
      glfwWaitEventsTimeout(seconds);
    } else {
      glfwPollEvents();
    }
    return input_.take();
  }

  void swap() override {
    glfwSwapBuffers(window_);
  }

  void framebuffer_size(int& width, int& height) const override {
    glfwGetFramebufferSize(window_, &width, &height);
  }

  double content_scale() const override {
    float x = 1, y = 1;
    glfwGetWindowContentScale(window_, &x, &y);
    return x > y ? x : y;
  }

  void set_title(const std::string& title) override {
    glfwSetWindowTitle(window_, title.c_str());
  }

  std::string clipboard() const override {
    const char* text = glfwGetClipboardString(window_);
    glfwGetError(nullptr);  // an empty clipboard is no error to us
    return text != nullptr ? text : "";
  }

  void set_clipboard(const std::string& text) override {
    glfwSetClipboardString(window_, text.c_str());
  }

  SharedContext* lend_context() override {
    auto free = std::find_if(shared_.begin(), shared_.end(), [](const auto& context) { return !context->lent; });
    if (free == shared_.end()) {
      auto made = std::make_unique<HiddenContext>(window_);
      if (!made->made()) return nullptr;
      free = shared_.insert(shared_.end(), std::move(made));
    }
    (*free)->lent = true;
    return free->get();
  }

  void begin_imgui_frame() override {
    ImGui_ImplGlfw_NewFrame();
    // One unit of Dear ImGui is one pixel on every platform; sizes follow content_scale() instead.
    int window_width = 0, window_height = 0, width = 0, height = 0;
    glfwGetWindowSize(window_, &window_width, &window_height);
    glfwGetFramebufferSize(window_, &width, &height);
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
    io.DisplayFramebufferScale = {1, 1};
    if (window_width > 0 && width != window_width && ImGui::IsMousePosValid(&io.MousePos)) {
      const float pixels = static_cast<float>(width) / static_cast<float>(window_width);
#if IMGUI_VERSION_NUM >= 18700
      double x = 0, y = 0;
      glfwGetCursorPos(window_, &x, &y);
      io.AddMousePosEvent(static_cast<float>(x) * pixels, static_cast<float>(y) * pixels);
#else
      io.MousePos = {io.MousePos.x * pixels, io.MousePos.y * pixels};
#endif
    }
  }

 private:
  static GlfwWindow& self(GLFWwindow* window) {
    return *static_cast<GlfwWindow*>(glfwGetWindowUserPointer(window));
  }

  // Sizes are given at 1x. Where a screen coordinate is a pixel (X11, Windows) they grow with the content scale;
  // nowhere do they exceed the desktop.
  static void fit_to_monitor(int& width, int& height) {
    GLFWmonitor* monitor = glfwGetPrimaryMonitor();
    if (monitor == nullptr) return;
#if !defined(__APPLE__)
    float x = 1, y = 1;
    if (std::getenv("WAYLAND_DISPLAY") == nullptr || std::getenv("DISPLAY") != nullptr) {
      glfwGetMonitorContentScale(monitor, &x, &y);
    }
    width = static_cast<int>(static_cast<float>(width) * x);
    height = static_cast<int>(static_cast<float>(height) * y);
#endif
    int left = 0, top = 0, work_width = 0, work_height = 0;
    glfwGetMonitorWorkarea(monitor, &left, &top, &work_width, &work_height);
    if (work_width > 0 && width > work_width) width = work_width;
    if (work_height > 0 && height > work_height) height = work_height;
    glfwGetError(nullptr);
  }

  void limit_size() {
    int window_width = 0, width = 0, ignored = 0;
    glfwGetWindowSize(window_, &window_width, &ignored);
    glfwGetFramebufferSize(window_, &width, &ignored);
    const double per_1x = width > 0 ? content_scale() * window_width / width : 1;
    glfwSetWindowSizeLimits(window_, static_cast<int>(kSmallestWidth * per_1x),
                            static_cast<int>(kSmallestHeight * per_1x), GLFW_DONT_CARE, GLFW_DONT_CARE);
  }

  void set_icon() {
    std::array<Image, 3> icons{app_icon(16), app_icon(32), app_icon(64)};
    std::array<GLFWimage, 3> images{};
    for (std::size_t i = 0; i < icons.size(); ++i) {
      images[i] = {icons[i].width, icons[i].height, &icons[i].pixels.data()->r};
    }
    glfwSetWindowIcon(window_, static_cast<int>(images.size()), images.data());
    glfwGetError(nullptr);  // Wayland and macOS take their icon from elsewhere
  }

  GLFWwindow* window_ = nullptr;
  std::vector<std::unique_ptr<HiddenContext>> shared_;
  bool imgui_ = false;
  InputQueue input_;
};

}  // namespace

void wake_window() {
  glfwPostEmptyEvent();
}

std::unique_ptr<Window> make_glfw_window(const std::string& title, int width, int height) {
  return std::make_unique<GlfwWindow>(title, width, height);
}

}  // namespace headscope
