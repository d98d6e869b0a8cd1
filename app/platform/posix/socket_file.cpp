#include "app/platform/posix/socket_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "core/base/error.h"

namespace headscope {
namespace {

constexpr mode_t kOwnMode = S_IRUSR | S_IWUSR;

std::string folder_of_socket(const std::string& path) {
  return std::filesystem::absolute(path).parent_path().string();
}

void need_own_folder(const std::string& path) {
  const std::string folder = folder_of_socket(path);
  struct stat facts {};
  if (::stat(folder.c_str(), &facts) != 0) refuse_socket(folder, std::strerror(errno));
  if (facts.st_uid != ::geteuid()) refuse_socket(folder, "the folder of a socket must be the user's own");
  if ((facts.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    refuse_socket(folder, "others may write to the folder; a socket needs one of its own");
}

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(address.sun_path)) {
    refuse_socket(path, "a socket's path has 1 to " + std::to_string(sizeof(address.sun_path) - 1) + " bytes; found " +
                            std::to_string(path.size()));
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

// While it lives, no other window of this user looks for a socket in the folder, or makes one.
SocketDescriptor held_folder(const std::string& path) {
  const std::string folder = folder_of_socket(path);
  SocketDescriptor held(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (held.number() < 0) refuse_socket(folder, std::strerror(errno));
  while (::flock(held.number(), LOCK_EX) != 0) {
    if (errno != EINTR) break;  // a file system without locks: as good as it gets
  }
  return held;
}

// One that answers, or says that it is busy, keeps its place, and so does one that looks otherwise.
void remove_left_socket(const std::string& path, const sockaddr_un& address) {
  struct stat facts {};
  if (::lstat(path.c_str(), &facts) != 0) return;
  if (!S_ISSOCK(facts.st_mode)) refuse_socket(path, "there is something else than a socket");
  const SocketDescriptor asking = new_socket(path);
  if (::connect(asking.number(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) {
    refuse_socket(path, "another program listens there");
  }
  if (errno != ECONNREFUSED) refuse_socket(path, std::strerror(errno));
  if (facts.st_uid != ::geteuid() || (facts.st_mode & 0777) != kOwnMode) {
    refuse_socket(path, "a socket that no window made is there; remove it, or name another place");
  }
  ::unlink(path.c_str());
}

}  // namespace

SocketDescriptor::~SocketDescriptor() {
  if (number_ >= 0) ::close(number_);
}

SocketDescriptor::SocketDescriptor(SocketDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

SocketDescriptor& SocketDescriptor::operator=(SocketDescriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

SocketDescriptor new_socket(const std::string& path) {
  SocketDescriptor made(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (made.number() < 0) refuse_socket(path, std::strerror(errno));
  return made;
}

SocketFile::SocketFile(const SocketDescriptor& socket, const std::string& path) : path_(path) {
  const sockaddr_un address = address_of(path);
  need_own_folder(path);
  const SocketDescriptor held = held_folder(path);
  remove_left_socket(path, address);
  if (::bind(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    refuse_socket(path, std::strerror(errno));
  }
  if (::lstat(path.c_str(), &facts_) != 0) refuse_socket(path, std::strerror(errno));
  // Until now nobody can connect: listen() comes after it, and while the folder is held.
  constexpr int kWaiting = 8;
  if (::chmod(path.c_str(), kOwnMode) == 0 && ::listen(socket.number(), kWaiting) == 0) return;
  const std::string why = std::strerror(errno);
  remove_own();
  refuse_socket(path, why);
}

SocketFile::~SocketFile() {
  remove_own();
}

void SocketFile::remove_own() const {
  struct stat now {};
  if (::lstat(path_.c_str(), &now) != 0) return;
  if (now.st_dev == facts_.st_dev && now.st_ino == facts_.st_ino) ::unlink(path_.c_str());
}

void refuse_socket(const std::string& path, const std::string& why) {
  throw Error(path + ": " + why);
}

}  // namespace headscope
