#include "app/platform/local_socket.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <list>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace headscope {
namespace {

constexpr std::size_t kPrefix = 4 + 8;
constexpr std::uint64_t kMostJson = std::uint64_t{1} << 20, kMostBytes = std::uint64_t{1} << 30;
constexpr std::size_t kReadAtOnce = std::size_t{1} << 18;
constexpr int kSecondsToSend = 10;  // for a program that does not read its answer

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  int number() const { return number_; }

 private:
  int number_;
};

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(path + ": " + why);
}

void need_own_folder(const std::string& path) {
  const std::string folder = std::filesystem::absolute(path).parent_path().string();
  struct stat facts {};
  if (::stat(folder.c_str(), &facts) != 0) refuse(folder, std::strerror(errno));
  if (facts.st_uid != ::geteuid()) refuse(folder, "the folder of a socket must be the user's own");
  if ((facts.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    refuse(folder, "others may write to the folder; a socket needs one of its own");
}

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(address.sun_path)) {
    refuse(path, "a socket's path has 1 to " + std::to_string(sizeof(address.sun_path) - 1) + " bytes; found " +
                     std::to_string(path.size()));
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

Descriptor new_socket(const std::string& path) {
  Descriptor made(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (made.number() < 0) refuse(path, std::strerror(errno));
  return made;
}

// What a program left that was killed is removed; one that answers keeps its place.
void remove_left_socket(const std::string& path, const sockaddr_un& address) {
  struct stat facts {};
  if (::lstat(path.c_str(), &facts) != 0) return;
  if (!S_ISSOCK(facts.st_mode)) refuse(path, "there is something else than a socket");
  const Descriptor asking = new_socket(path);
  if (::connect(asking.number(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) {
    refuse(path, "another program listens there");
  }
  ::unlink(path.c_str());
}

bool is_same_user(int connection) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  return ::getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == ::geteuid();
}

std::uint64_t little_endian(const char* bytes, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = count; i > 0; --i) value = value << 8 | static_cast<unsigned char>(bytes[i - 1]);
  return value;
}

void append_little_endian(std::string& to, std::uint64_t value, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to.push_back(static_cast<char>(value >> (8 * i)));
}

// A program at the other end, and what it has sent of a message so far.
struct Connection {
  Descriptor socket;
  std::string received{};

  // False when the connection is over.
  bool receive() {
    const std::size_t before = received.size();
    received.resize(before + kReadAtOnce);
    const ssize_t count = ::recv(socket.number(), received.data() + before, kReadAtOnce, MSG_DONTWAIT);
    received.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
  }

  // The message that is there in whole, if any; `fits` becomes false when it breaks a limit.
  std::optional<WireMessage> take(bool& fits) {
    if (received.size() < kPrefix) return {};
    const std::uint64_t json = little_endian(received.data(), 4), bytes = little_endian(received.data() + 4, 8);
    fits = json <= kMostJson && bytes <= kMostBytes;
    if (!fits || received.size() < kPrefix + json + bytes) return {};
    WireMessage message{received.substr(kPrefix, json), received.substr(kPrefix + json, bytes)};
    received.erase(0, kPrefix + json + bytes);
    return message;
  }

  bool send(const WireMessage& message) const {
    std::string text;
    append_little_endian(text, message.json.size(), 4);
    append_little_endian(text, message.bytes.size(), 8);
    text += message.json;
    text += message.bytes;
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t count = ::send(socket.number(), text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return false;
      sent += static_cast<std::size_t>(count);
    }
    return true;
  }
};

class PollingServer : public LocalServer {
 public:
  PollingServer(std::string path, std::function<void()> wake)
      : path_(std::move(path)), wake_(std::move(wake)), listening_(new_socket(path_)) {
    const sockaddr_un address = address_of(path_);
    need_own_folder(path_);
    remove_left_socket(path_, address);
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) refuse(path_, std::strerror(errno));
    stop_read_ = Descriptor(ends[0]);
    stop_write_ = Descriptor(ends[1]);
    if (::bind(listening_.number(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
      refuse(path_, std::strerror(errno));
    }
    // Until now nobody can connect: listen() comes after it.
    if (::chmod(path_.c_str(), S_IRUSR | S_IWUSR) != 0 || ::listen(listening_.number(), 8) != 0) {
      const std::string why = std::strerror(errno);
      ::unlink(path_.c_str());
      refuse(path_, why);
    }
    thread_ = std::thread([this] { serve(); });
  }
  ~PollingServer() override {
    {
      const std::lock_guard held(mutex_);
      stopping_ = true;
    }
    answered_.notify_all();
    const char byte = 0;
    while (::write(stop_write_.number(), &byte, 1) < 0 && errno == EINTR) {
    }
    thread_.join();
    ::unlink(path_.c_str());
  }
  PollingServer(const PollingServer&) = delete;
  PollingServer& operator=(const PollingServer&) = delete;

  bool answer_one(const std::function<WireMessage(const WireMessage&)>& answer) override {
    const WireMessage* message = nullptr;
    {
      const std::lock_guard held(mutex_);
      message = std::exchange(waiting_, nullptr);
    }
    if (message == nullptr) return false;
    std::optional<WireMessage> found;
    try {
      found = answer(*message);  // its memory stays until there is an answer
    } catch (...) {
      tell({});
      throw;
    }
    tell(std::move(found));
    return true;
  }

 private:
  void tell(std::optional<WireMessage> answer) {
    const std::lock_guard held(mutex_);
    answer_ = std::move(answer);
    has_answer_ = true;
    answered_.notify_all();
  }

  // The loop's answer; none when it failed or the server ends.
  std::optional<WireMessage> asked(const WireMessage& message) {
    std::unique_lock held(mutex_);
    if (stopping_) return {};
    has_answer_ = false;
    waiting_ = &message;
    wake_();
    answered_.wait(held, [&] { return has_answer_ || stopping_; });
    waiting_ = nullptr;
    return has_answer_ ? std::exchange(answer_, {}) : std::nullopt;
  }

  void serve() {
    std::list<Connection> connections;
    while (true) {
      std::vector<pollfd> waited = {{stop_read_.number(), POLLIN, 0}, {listening_.number(), POLLIN, 0}};
      for (const Connection& each : connections) waited.push_back({each.socket.number(), POLLIN, 0});
      if (::poll(waited.data(), waited.size(), -1) < 0 && errno != EINTR) return;
      if (waited[0].revents != 0) return;
      std::size_t index = 2;
      for (auto each = connections.begin(); each != connections.end(); ++index) {
        const bool ends = waited[index].revents != 0 && !go_on(*each);
        each = ends ? connections.erase(each) : std::next(each);
      }
      if (waited[1].revents != 0) accept(connections);
    }
  }

  void accept(std::list<Connection>& connections) const {
    Descriptor made(::accept4(listening_.number(), nullptr, nullptr, SOCK_CLOEXEC));
    if (made.number() < 0 || !is_same_user(made.number())) return;
    const timeval patience{kSecondsToSend, 0};
    ::setsockopt(made.number(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    connections.push_back({std::move(made)});
  }

  // Reads what has come and answers messages that are whole. False when the connection is over.
  bool go_on(Connection& connection) {
    try {
      if (!connection.receive()) return false;
      bool fits = true;
      while (const std::optional<WireMessage> message = connection.take(fits)) {
        const std::optional<WireMessage> answer = asked(*message);
        if (!answer || !connection.send(*answer)) return false;
      }
      return fits;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

  const std::string path_;
  const std::function<void()> wake_;
  Descriptor listening_, stop_read_, stop_write_;
  std::mutex mutex_;  // of what follows
  std::condition_variable answered_;
  const WireMessage* waiting_ = nullptr;  // for answer_one(); null: none
  std::optional<WireMessage> answer_;
  bool has_answer_ = false, stopping_ = false;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<LocalServer> listen_locally(const std::string& path, std::function<void()> wake) {
  return std::make_unique<PollingServer>(path, std::move(wake));
}

}  // namespace headscope
