#include "app/gl/device_facts.h"

#include <epoxy/gl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <exception>

#include "app/gl/offscreen.h"

namespace headscope {

namespace {

constexpr int kMostSeconds = 20;

std::string text_of(GLenum name) {
  const GLubyte* text = glGetString(name);
  return text == nullptr ? "" : reinterpret_cast<const char*>(text);
}

// Four texts, each with a NUL behind it.
std::string packed(const DeviceFacts& facts) {
  std::string bytes;
  for (const std::string* each : {&facts.renderer, &facts.vendor, &facts.version, &facts.failure}) {
    bytes.append(each->c_str()).append(1, '\0');
  }
  return bytes;
}

DeviceFacts unpacked(const std::string& bytes) {
  DeviceFacts facts;
  std::size_t at = 0;
  for (std::string* each : {&facts.renderer, &facts.vendor, &facts.version, &facts.failure}) {
    const std::size_t end = bytes.find('\0', at);
    if (end == std::string::npos) return {"", "", "", "the driver gave no answer"};
    *each = bytes.substr(at, end - at);
    at = end + 1;
  }
  return facts;
}

[[noreturn]] void ask_driver(int answer) {
  DeviceFacts facts;
  try {
    const auto context = make_offscreen_context();
    facts = device_facts();
  } catch (const std::exception& error) {
    facts.failure = error.what();
  }
  const std::string bytes = packed(facts);
  const ssize_t written = ::write(answer, bytes.data(), bytes.size());
  ::_exit(written == static_cast<ssize_t>(bytes.size()) ? 0 : 1);
}

// What comes through the pipe until it is closed, or the time is over.
std::string all_of(int pipe) {
  std::string bytes;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(kMostSeconds);
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    struct pollfd wanted {
      pipe, POLLIN, 0
    };
    const int ready = left.count() <= 0 ? 0 : ::poll(&wanted, 1, static_cast<int>(left.count()));
    if (ready < 0 && errno == EINTR) continue;
    char piece[1024];
    const ssize_t got = ready <= 0 ? 0 : ::read(pipe, piece, sizeof piece);
    if (got <= 0) return bytes;
    bytes.append(piece, static_cast<std::size_t>(got));
  }
}

}  // namespace

DeviceFacts device_facts() {
  return {text_of(GL_RENDERER), text_of(GL_VENDOR), text_of(GL_VERSION), ""};
}

DeviceFacts device_facts_without_window() {
  int ends[2] = {-1, -1};
  if (::pipe(ends) != 0) return {"", "", "", "the system gave no pipe to ask a driver through"};
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    ask_driver(ends[1]);
  }
  ::close(ends[1]);
  const std::string bytes = child < 0 ? "" : all_of(ends[0]);
  ::close(ends[0]);
  if (child < 0) return {"", "", "", "the system gave no process to ask a driver in"};
  ::kill(child, SIGKILL);  // harmless where it has ended
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (bytes.empty() && WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL) {
    return {"", "", "", fmt::format("the driver ended with signal {}", WTERMSIG(status))};
  }
  return unpacked(bytes);
}

}  // namespace headscope
