// Pictures of a lesson: the window at each stop, with its words, numbered in a folder of their own.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/platform/key_event.h"
#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/ui/guide_state.h"
#include "core/base/image.h"

namespace headscope {

class LessonPictures {
 public:
  // Shows the first stop. A notice says why when it cannot: no stop, or a job that runs.
  void start(Session& session, ui::UiState& state);
  bool running() const { return before_.has_value(); }

  // While it runs the window takes no input but Escape, which ends it without a file, where the pointer goes, and
  // buttons that come up.
  static InputEvents input_of(InputEvents input);

  // Call it after a frame in which nothing moves and nothing is computed any more: takes the picture of the stop that
  // is shown and shows the next one. After the last it shows what was shown before, and a job of the session writes the
  // files: 1.png, 2.png ... (01.png from ten on) in headscope-lesson (or -2, -3 ...) in the folder of exports. Each
  // opens again as a session. Throws Error when `pixels` does: then it has ended.
  void take(Session& session, const Settings& settings, ui::UiState& state, const std::function<Image()>& pixels);

 private:
  void end(Session& session, ui::UiState& state);

  std::optional<ViewState> before_;  // what was shown; nullopt: not running
  ui::LessonState strip_before_;
  std::vector<std::string> files_;  // PNG, in the order of the stops
};

}  // namespace headscope
