#include "app/platform/local_socket.h"

#include "core/base/error.h"

namespace headscope {

std::unique_ptr<LocalServer> listen_locally(const std::string& path, std::function<void()>) {
  throw Error(path + ": a page of a browser has no sockets");
}

}  // namespace headscope
