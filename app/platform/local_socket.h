// A socket of this user on this machine, for other programs to hand over what is to be shown. Nothing listens on a
// network.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace headscope {

// What goes over the wire, either way: the length of `json` (4 bytes, little-endian), that of `bytes` (8 bytes),
// `json`, `bytes`. At most 1 MiB and 1 GiB.
struct WireMessage {
  std::string json, bytes;
};

class LocalServer {
 public:
  virtual ~LocalServer() = default;
  // Calls `answer` with the message that waits, on the calling thread, and sends what it returns. False when none
  // waits. When `answer` throws, so does this, and the connection is closed.
  virtual bool answer_one(const std::function<WireMessage(const WireMessage&)>& answer) = 0;
};

// Listens at `path`, which only this user may use (mode 0600; who connects must be the same user), in a thread of its
// own, until the server is destroyed; the socket is removed then, unless another one took its place. Of any number of
// connections one message at a time waits for answer_one(); `wake` is called in that thread when one does. A connection
// that breaks the format or a limit is closed: messages that are not whole yet hold 64 MB at most, all of them
// together. Of those larger than that one is taken at a time beside them, and is refused when nothing came of it for
// ten seconds. Throws Error when the folder is another user's or others may write to it, when the path is longer than a
// socket's may be, when another program listens there, when something lies there that no killed window left (a socket
// of this user, mode 0600, that refuses), and when the system refuses; nothing is touched then.
std::unique_ptr<LocalServer> listen_locally(const std::string& path, std::function<void()> wake);

}  // namespace headscope
