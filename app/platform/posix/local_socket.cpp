#include "app/platform/local_socket.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <list>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "app/platform/posix/socket_file.h"

namespace headscope {
namespace {

constexpr std::size_t kPrefix = 4 + 8;
constexpr std::uint64_t kMostJson = std::uint64_t{1} << 20, kMostBytes = std::uint64_t{1} << 30;
constexpr std::size_t kReadAtOnce = std::size_t{1} << 18;
constexpr int kSecondsToSend = 10;  // for a program that does not read its answer
// Messages that are not whole yet may hold so much in all. One alone may hold more, while it goes on.
constexpr std::uint64_t kMostHalf = std::uint64_t{64} << 20;
constexpr std::chrono::seconds kLongestRest{10};
// Before the next try to take a connection when the system has none to give.
constexpr std::chrono::milliseconds kRest{500};

using Clock = std::chrono::steady_clock;

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
  SocketDescriptor socket;
  std::string received{};
  Clock::time_point last = Clock::now();  // when something came

  // Whether what is on its way is larger than all half messages may be together.
  bool is_large() const {
    if (received.size() < kPrefix) return false;
    return kPrefix + little_endian(received.data(), 4) + little_endian(received.data() + 4, 8) > kMostHalf;
  }

  // False when the connection is over.
  bool receive() {
    const std::size_t before = received.size();
    received.resize(before + kReadAtOnce);
    const ssize_t count = ::recv(socket.number(), received.data() + before, kReadAtOnce, MSG_DONTWAIT);
    received.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count > 0) last = Clock::now();
    return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
  }

  // The message that is there in whole, if any; `fits` becomes false when it breaks a limit.
  std::optional<WireMessage> take(bool& fits) {
    if (received.size() < kPrefix) return {};
    const std::uint64_t json = little_endian(received.data(), 4), bytes = little_endian(received.data() + 4, 8);
    fits = json <= kMostJson && bytes <= kMostBytes;
    if (!fits || received.size() < kPrefix + json + bytes) return {};
    WireMessage message{received.substr(kPrefix, json), received.substr(kPrefix + json, bytes)};
    received = received.substr(kPrefix + json + bytes);  // the room of a large one is free again
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
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) refuse_socket(path_, std::strerror(errno));
    stop_read_ = SocketDescriptor(ends[0]);
    stop_write_ = SocketDescriptor(ends[1]);
    ::fcntl(listening_.number(), F_SETFL, O_NONBLOCK);  // who connects may be gone when he is asked in
    file_.emplace(listening_, path_);
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
      // Where the system has no descriptor left, who waits goes on waiting, and poll() does not tell of him.
      const short asks_in = rests_ ? 0 : POLLIN;
      std::vector<pollfd> waited = {{stop_read_.number(), POLLIN, 0}, {listening_.number(), asks_in, 0}};
      for (const Connection& each : connections) waited.push_back({each.socket.number(), POLLIN, 0});
      if (::poll(waited.data(), waited.size(), wait_for(connections)) < 0 && errno != EINTR) return;
      if (waited[0].revents != 0) return;
      std::size_t index = 2;
      for (auto each = connections.begin(); each != connections.end(); ++index) {
        const bool ends = waited[index].revents != 0 && (!go_on(*each) || !has_room(*each, connections));
        each = ends || is_stuck(*each) ? connections.erase(each) : std::next(each);
      }
      const bool tries_again = std::exchange(rests_, false);
      if (tries_again || waited[1].revents != 0) accept(connections);
    }
  }

  // In milliseconds, for poll(); -1: until something comes.
  int wait_for(const std::list<Connection>& connections) const {
    const bool large =
        std::any_of(connections.begin(), connections.end(), [](const auto& each) { return each.is_large(); });
    return rests_ || large ? static_cast<int>(kRest.count()) : -1;
  }

  // Whether what has come of messages that are not whole stays within bounds, all of them together.
  static bool has_room(const Connection& connection, const std::list<Connection>& connections) {
    std::uint64_t half = 0;
    std::size_t large = 0;
    for (const Connection& each : connections) {
      large += each.is_large() ? 1 : 0;
      half += each.is_large() ? 0 : each.received.size();
    }
    return connection.is_large() ? large == 1 : half <= kMostHalf;
  }

  // A message that takes the room of all others has to go on.
  static bool is_stuck(const Connection& connection) {
    return connection.is_large() && Clock::now() - connection.last > kLongestRest;
  }

  void accept(std::list<Connection>& connections) {
    SocketDescriptor made(::accept4(listening_.number(), nullptr, nullptr, SOCK_CLOEXEC));
    rests_ = made.number() < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM);
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
  SocketDescriptor listening_, stop_read_, stop_write_;
  std::optional<SocketFile> file_;
  bool rests_ = false;  // of the thread: the system had no descriptor for who connected last
  std::mutex mutex_;    // of what follows
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
