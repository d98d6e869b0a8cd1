// What a desktop must give: a window with a GL context, events, clipboard. Nothing here knows a panel.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/platform/key_event.h"

namespace headscope {

// Another context that shares objects with the window's, for another thread: OpenGL 4.3 or newer. The window owns it.
class SharedContext {
 public:
  virtual ~SharedContext() = default;
  // On the thread that uses it. Throws Error when the driver refuses.
  virtual void make_current() = 0;
  // On that thread: it is current nowhere then, and may be lent to somebody else.
  virtual void release() = 0;
};

enum class Cursor { arrow, text, resize_x, resize_y };

class Window {
 public:
  virtual ~Window() = default;
  virtual bool should_close() const = 0;
  virtual void request_close(bool close) = 0;
  // Sleeps until an event (or `seconds`, when >= 0), then returns what came since the last call; when the order of
  // events matters, only as much as comes in one portion (InputQueue), and the next call returns at once. What only the
  // window system and the library have to say to each other does not end it.
  virtual InputEvents wait(double seconds) = 0;
  virtual void swap() = 0;
  virtual void framebuffer_size(int& width, int& height) const = 0;
  virtual double content_scale() const = 0;
  virtual void set_title(const std::string& title) = 0;
  virtual std::string clipboard() const = 0;
  virtual void set_clipboard(const std::string& text) = 0;
  // One that nobody has; lent until its release(). Null when the driver has none. On the window's own thread.
  virtual SharedContext* lend_context() = 0;
  virtual void set_cursor(Cursor cursor) = 0;
};

// From any thread: ends a wait().
void wake_window();

// Throws Error with one clear message that names headscope-cli when there is no display or no OpenGL 3.3.
std::unique_ptr<Window> make_glfw_window(const std::string& title, int width, int height);

}  // namespace headscope
