// --listen: other programs of this user hand over what the window shall show. Messages: assets/python/README.md.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "app/frame/handed_over.h"
#include "app/frame/watched_file.h"
#include "app/platform/local_socket.h"
#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/ui/ui.h"

namespace headscope {

class Wire {
 public:
  // Listens at `socket`, and then removes what windows that listened there left when they were killed. `first`: the
  // path that the window was opened on, which has the number 1; "" when there is none: a file of the user, which no
  // message changes. `wake` is called in another thread when serve() has something to do. Throws Error as
  // listen_locally() does, and has touched nothing then.
  Wire(const std::string& socket, const std::string& first, std::function<void()> wake);
  // Removes what was handed over.
  ~Wire();
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  // Call it once a turn of the loop: follows what was handed over in the place of something before, and answers the
  // messages that wait. True when something was done.
  bool serve(Session& session, Settings& settings, ui::UiState& state);

  // The answer to one message.
  WireMessage answer(const WireMessage& message, Session& session, Settings& settings, ui::UiState& state);

  // Whether the window was opened for what was handed over, and nobody needs it any more.
  bool ended() const { return ended_; }

 private:
  // What was handed over.
  struct Shown {
    std::string path;    // of its file
    std::string title;   // of its document
    std::string left{};  // request and view as it was left, as JSON; "" before
    bool closed = false;
    std::unique_ptr<WatchedFile> file{};  // followed; null of what the window was opened on, a file of the user
  };
  Shown& known(std::int64_t id);
  std::string show(const std::string& kind, const std::string& bytes, Session& session, Settings& settings,
                   ui::UiState& state);
  std::string update(std::int64_t id, const std::string& bytes);
  std::string state_of(std::int64_t id, const Session& session);
  std::string close(std::int64_t id);
  void note_shown(const Session& session);
  void forget_closed();

  HandedOver files_;
  const std::function<void()> wake_;
  const bool has_first_;
  std::map<std::int64_t, Shown> shown_;
  std::int64_t current_ = 0;  // the number of what is on screen; 0: something else
  std::int64_t last_ = 0;     // the number of what was handed over last
  bool ended_ = false;
  std::unique_ptr<LocalServer> server_;
};

}  // namespace headscope
