#include "app/frame/other_programs.h"

#include "app/frame/start.h"
#include "core/base/error.h"

namespace headscope {

OtherPrograms::OtherPrograms(const Options& options, const Session& session, ui::UiState& state,
                             std::function<void()> wake) {
  if (options.watch) watched_ = std::make_unique<WatchedFile>(options.path, session, wake);
  if (options.listen.empty()) return;
  try {
    wire_ = std::make_unique<Wire>(options.listen, options.path, wake);
  } catch (const Error& error) {
    add_notice(state, ui::Notice::Kind::warn, "listen", "Other programs cannot reach this window.", error.what());
  }
}

bool OtherPrograms::serve(Session& session, Settings& settings, ui::UiState& state) {
  const bool followed = watched_ != nullptr && watched_->follow(session, settings, state);
  const bool served = wire_ != nullptr && wire_->serve(session, settings, state);
  return followed || served;
}

}  // namespace headscope
