#include "app/platform/file_watch.h"

#include "core/base/error.h"

namespace headscope {

std::unique_ptr<FileWatch> watch_file(const std::string& path, std::function<void()>) {
  throw Error(path + ": a page of a browser sees no other program's files, so that it cannot watch one");
}

}  // namespace headscope
