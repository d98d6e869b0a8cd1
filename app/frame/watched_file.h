// --watch: the window follows a file that another program writes, a training loop for one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "app/platform/file_watch.h"
#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/ui/ui.h"

namespace headscope {

class WatchedFile {
 public:
  // `path` was given to open_first(). `wake` is called in another thread when the file changes.
  WatchedFile(const std::string& path, const Session& session, std::function<void()> wake);
  // A file that this program writes: nothing watches it, note_change() says when it has.
  WatchedFile(const std::string& path, const Session& session);
  void note_change() { noted_ = true; }

  // Call it once a turn of the loop. After a change, once nothing is being computed: computes again what reads the
  // file; or opens it again where it is a document of its own (a session, a picture, a phrase), or could not be opened
  // before. A file that was replaced leaves its result before among Session::updates. Neither where another document is
  // open meanwhile. A file that cannot be read keeps the last picture, and a notice says why. True when something was
  // done.
  bool follow(Session& session, Settings& settings, ui::UiState& state);

 private:
  bool take_change();
  bool take_replacement();

  const std::string path_;
  std::uint64_t file_number_ = 0;  // by which the system knows the file; 0: there is none, or it is a folder
  bool opened_ = false;
  DocumentIdentity document_;         // of the file, once it is open
  bool noted_ = false;                // a change that note_change() told of
  std::unique_ptr<FileWatch> watch_;  // null of a file that this program writes
};

// Whether a tensor, model or mask of the request comes from `path`.
bool reads_file(const Request& request, const std::string& path);

}  // namespace headscope
