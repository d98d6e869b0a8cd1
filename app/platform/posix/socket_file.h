// The name of a socket in its folder: made, found, and taken away by who made it.
#pragma once

#include <sys/stat.h>
#include <sys/un.h>

#include <string>

namespace headscope {

// A number of the system's that is closed with it; -1: none.
class SocketDescriptor {
 public:
  explicit SocketDescriptor(int number = -1) : number_(number) {}
  ~SocketDescriptor();
  SocketDescriptor(SocketDescriptor&& other) noexcept;
  SocketDescriptor& operator=(SocketDescriptor&& other) noexcept;
  int number() const { return number_; }

 private:
  int number_;
};

// A socket that no program inherits. Throws Error that names `path` when the system has none.
SocketDescriptor new_socket(const std::string& path);

class SocketFile {
 public:
  // Lets `socket` listen at `path`, which this user alone may use (mode 0600). Before, it removes what a window left
  // there that was killed: a socket of this user and of that mode, which refuses. Throws Error when the folder is
  // another user's or others may write to it, when the path is too long for a socket, when a program listens there or
  // something else lies there, and when the system refuses; what was there is there still then.
  SocketFile(const SocketDescriptor& socket, const std::string& path);
  // Takes the name away; one that another program has put in its place meanwhile stays.
  ~SocketFile();
  SocketFile(const SocketFile&) = delete;
  SocketFile& operator=(const SocketFile&) = delete;

 private:
  void remove_own() const;
  const std::string path_;
  struct stat facts_ {};
};

// Throws Error: "PATH: WHY".
[[noreturn]] void refuse_socket(const std::string& path, const std::string& why);

}  // namespace headscope
