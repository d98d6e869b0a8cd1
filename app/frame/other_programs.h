// What other programs show in the window: a file that they write (--watch), and what they hand over (--listen).
#pragma once

#include <functional>
#include <memory>

#include "app/frame/options.h"
#include "app/frame/watched_file.h"
#include "app/frame/wire.h"

namespace headscope {

class OtherPrograms {
 public:
  // options.path was given to open_first(). `wake` is called in other threads when serve() has something to do. A
  // window that cannot listen is a window all the same: a notice says so.
  OtherPrograms(const Options& options, const Session& session, ui::UiState& state, std::function<void()> wake);

  // Call it once a turn of the loop; true when something was done.
  bool serve(Session& session, Settings& settings, ui::UiState& state);

  // Whether the window was opened for other programs, and none needs it any more.
  bool ended() const { return wire_ != nullptr && wire_->ended(); }

 private:
  std::unique_ptr<WatchedFile> watched_;  // of --watch, else null
  std::unique_ptr<Wire> wire_;            // of --listen, else null
};

}  // namespace headscope
