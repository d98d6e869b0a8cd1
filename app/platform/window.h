// What the program needs from a desktop: a window with a GL context, events, clipboard. Knows no panel.
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
  // Called on the thread that uses it. Throws Error when the driver refuses.
  virtual void make_current() = 0;
  // Called on that thread: the context is then current on no thread and may be lent again.
  virtual void release() = 0;
};

enum class Cursor { arrow, text, resize_x, resize_y };

// Functions of the program that a window calls while it is open.
struct Turns {
  // One turn, which takes the events by wait(); false: it was the last.
  std::function<bool()> turn;
  // After a turn: seconds until the next one is due without an event; 0: at once; negative: never.
  std::function<double()> seconds_to_sleep;
  // Where the program has one thread: does what waits for it, for about this many seconds, between turns and in wait().
  // False when nothing waits.
  std::function<bool(double seconds)> work;
  // After the last turn, and whenever a turn may have been the last.
  std::function<void()> end;
};

class Window {
 public:
  virtual ~Window() = default;
  virtual bool should_close() const = 0;
  virtual void request_close(bool close) = 0;
  // Sleeps until an event (or `seconds`, when >= 0), then returns the events since the last call: when their order
  // matters, only one portion (InputQueue), and the next call returns at once. Messages between the window system and
  // the library that concern no panel do not end the wait.
  virtual InputEvents wait(double seconds) = 0;
  virtual void swap() = 0;
  // Takes turns until turn() returns false or throws, which this throws on; then end(). A page of a browser cannot
  // wait: it returns at once, keeps `turns`, and takes them for as long as it is open.
  virtual void run(const Turns& turns) = 0;
  // Begins anew with a context that has nothing of the one before, which was lost: another window in the place of the
  // first, of its size and title. What was lent stays lent, and is of no use. Throws Error when the driver refuses.
  virtual void renew_context() = 0;
  virtual void framebuffer_size(int& width, int& height) const = 0;
  virtual double content_scale() const = 0;
  virtual void set_title(const std::string& title) = 0;
  virtual std::string clipboard() const = 0;
  virtual void set_clipboard(const std::string& text) = 0;
  // A context that is not lent to another thread; it is lent until its release(). Null when the driver has none. Call
  // it on the window's own thread.
  virtual SharedContext* lend_context() = 0;
  virtual void set_cursor(Cursor cursor) = 0;
};

// From any thread: ends a wait().
void wake_window();

// By GLFW; in a browser the canvas of the page. Throws Error with one clear message that names headscope-cli when there
// is no display or no OpenGL 3.3.
std::unique_ptr<Window> make_window(const std::string& title, int width, int height);

}  // namespace headscope
