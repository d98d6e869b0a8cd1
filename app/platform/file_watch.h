// Notices when a file, or a folder's files, are written or replaced by another program.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace headscope {

class FileWatch {
 public:
  virtual ~FileWatch() = default;
  // Whether it has changed since the last call (the first one: since it is watched). Any thread.
  virtual bool take_change() = 0;
};

// Watches `path`, which need not be there yet, in a thread of its own; `wake` is called there after a change. The
// system tells at once of a file that is closed after writing or renamed into place; half a second at most passes where
// it does not tell, as on network mounts. Of a folder the files directly in it count.
std::unique_ptr<FileWatch> watch_file(const std::string& path, std::function<void()> wake);

}  // namespace headscope
