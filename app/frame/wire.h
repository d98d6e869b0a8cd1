// --listen: other programs of this user hand over what the window shall show. Messages: assets/python/README.md.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "app/frame/watched_file.h"
#include "app/platform/local_socket.h"
#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/ui/ui.h"

namespace headscope {

class Wire {
 public:
  // Listens at `socket`. `first`: the path that the window was opened on, which has the number 1; "" when there is
  // none. `wake` is called in another thread when serve() has something to do. Throws Error as listen_locally() does.
  Wire(const std::string& socket, const std::string& first, std::function<void()> wake);
  // Removes what was handed over.
  ~Wire();
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  // Call it once a turn of the loop: opens what was handed over, follows what was handed over in its place, answers
  // what is asked of the session. True when something was done.
  bool serve(Session& session, Settings& settings, ui::UiState& state);

  // Whether the window was opened for what was handed over, and nobody needs it any more.
  bool ended() const { return ended_; }

  // The answer to a message; waits for serve() where it needs the session. Any thread but that of serve().
  WireMessage answer(const WireMessage& message);

 private:
  // What was handed over.
  struct Shown {
    std::string path;    // of its file
    std::string title;   // of its document
    std::string left{};  // request and view as it was left, as JSON; "" before
    bool closed = false;
  };
  struct Question {
    enum class Kind { show, state } kind;
    std::int64_t id;
    std::string answer{};
    bool done = false;
  };
  std::string answer_to(const WireMessage& message);
  std::string show(const std::string& kind, const std::string& bytes);
  std::string update(std::int64_t id, const std::string& bytes);
  std::string close(std::int64_t id);
  std::string ask(Question::Kind kind, std::int64_t id);
  void note_shown(const Session& session);
  void forget_closed();
  std::string open(std::int64_t id, Session& session, Settings& settings, ui::UiState& state);
  std::string state_of(std::int64_t id, const Session& session);

  const std::string folder_;  // of files that were handed over
  const std::function<void()> wake_;
  std::mutex mutex_;  // of what follows
  std::condition_variable answered_;
  std::map<std::int64_t, Shown> shown_;
  std::deque<Question*> questions_;
  bool stopping_ = false;
  std::atomic<std::int64_t> current_ = 0;  // the number of what is on screen; 0: something else
  std::int64_t last_ = 0;                  // the number of what was handed over last
  bool has_first_ = false;
  std::atomic<bool> ended_ = false;
  std::map<std::int64_t, std::unique_ptr<WatchedFile>> followed_;  // of serve()'s thread
  std::unique_ptr<LocalServer> server_;                            // the last: it calls answer()
};

}  // namespace headscope
