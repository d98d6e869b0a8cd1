// For LD_PRELOAD: notes every socket that a program opens in the file HEADSCOPE_SOCKETS, a line each.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace {

void note(const char* what, const char* which) {
  const char* path = std::getenv("HEADSCOPE_SOCKETS");
  if (path == nullptr) return;
  const int file = ::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) return;
  char line[256];
  const int size = std::snprintf(line, sizeof(line), "%s %s\n", what, which);
  if (::write(file, line, static_cast<std::size_t>(size)) != size) std::abort();
  ::close(file);
}

[[gnu::constructor]] void begin() {
  note("begin", program_invocation_short_name);
}

}  // namespace

extern "C" int socket(int domain, int type, int protocol) noexcept {
  char number[16];
  std::snprintf(number, sizeof(number), "%d", domain);
  note("socket", domain == AF_UNIX ? "AF_UNIX" : number);
  using Socket = int (*)(int, int, int);
  static const auto next = reinterpret_cast<Socket>(::dlsym(RTLD_NEXT, "socket"));
  return next(domain, type, protocol);
}
