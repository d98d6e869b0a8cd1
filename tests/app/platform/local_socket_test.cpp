// Messages over a socket of this user, whole, in pieces, and broken.
#include "app/platform/local_socket.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "tests/app/session/temporary_folder.h"

namespace headscope {
namespace {

std::string framed(const std::string& json, const std::string& bytes) {
  std::string text;
  for (std::size_t i = 0; i < 4; ++i) text.push_back(static_cast<char>(json.size() >> (8 * i)));
  for (std::size_t i = 0; i < 8; ++i) text.push_back(static_cast<char>(bytes.size() >> (8 * i)));
  return text + json + bytes;
}

// A program that asks.
class Asking {
 public:
  explicit Asking(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    connected = ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  }
  ~Asking() { ::close(socket_); }
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;

  void send(const std::string& text) const {
    ASSERT_EQ(::send(socket_, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
  }
  // False when the other end has closed it.
  bool tries_to_send(const std::string& text) const {
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t count = ::send(socket_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (count <= 0) return false;
      sent += static_cast<std::size_t>(count);
    }
    return true;
  }
  // So many bytes, or what came before the end of the connection.
  std::string receive(std::size_t size) const {
    std::string text(size, '\0');
    std::size_t got = 0;
    while (got < size) {
      const ssize_t count = ::recv(socket_, text.data() + got, size - got, 0);
      if (count <= 0) break;
      got += static_cast<std::size_t>(count);
    }
    text.resize(got);
    return text;
  }

  bool connected = false;

 private:
  int socket_;
};

class LocalSocket : public testing::Test {
 protected:
  std::unique_ptr<LocalServer> serve() {
    return listen_locally(path_, [this] { ++woken_; });
  }
  // What the other end has received, while this one answers as a loop does.
  std::string received(LocalServer& server, const Asking& asking, std::size_t size) const {
    auto text = std::async(std::launch::async, [&] { return asking.receive(size); });
    while (text.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) {
      while (server.answer_one([](const WireMessage& message) {
        return WireMessage{"answer to " + message.json, message.bytes + "!"};
      })) {
      }
    }
    return text.get();
  }

  TemporaryFolder folder_;
  const std::string path_ = folder_.path() + "/s";
  std::atomic<int> woken_ = 0;
};

std::string refusal_of(const std::string& path) {
  try {
    listen_locally(path, [] {});
  } catch (const Error& error) {
    return error.what();
  }
  return "no refusal";
}

TEST_F(LocalSocket, AnswersMessagesOfSeveralConnectionsAndIsOfThisUserAlone) {
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0700), 0);
  const auto server = serve();
  struct stat facts {};
  ASSERT_EQ(::stat(path_.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600U);
  const Asking one(path_), two(path_);
  const std::string expected = framed("answer to a", "xyz!");
  // Two at once, one in pieces.
  one.send(framed("a", "xyz") + framed("a", "xyz"));
  for (const char byte : framed("a", "xyz")) two.send(std::string(1, byte));
  EXPECT_EQ(received(*server, one, 2 * expected.size()), expected + expected);
  EXPECT_EQ(received(*server, two, expected.size()), expected);
  EXPECT_EQ(woken_, 3);
  EXPECT_FALSE(server->answer_one([](const WireMessage& message) { return message; }));
  const std::string large(3 << 20, 'l');
  auto sent = std::async(std::launch::async, [&] { one.send(framed("big", large)); });
  EXPECT_EQ(received(*server, one, framed("answer to big", large + "!").size()), framed("answer to big", large + "!"));
}

TEST_F(LocalSocket, WhatBreaksTheFormatEndsItsConnectionAlone) {
  const auto server = serve();
  const Asking good(path_), long_json(path_), many_bytes(path_);
  long_json.send(std::string("\xff\xff\xff\xff", 4) + std::string(8, '\0'));
  many_bytes.send(std::string(4, '\0') + std::string(8, '\xff'));
  EXPECT_EQ(long_json.receive(1), "");
  EXPECT_EQ(many_bytes.receive(1), "");
  good.send(framed("still", ""));
  EXPECT_EQ(received(*server, good, framed("answer to still", "!").size()), framed("answer to still", "!"));
}

TEST_F(LocalSocket, AMessageThatNobodyAnswersHoldsUpNoEnd) {
  auto server = serve();
  const Asking asking(path_);
  asking.send(framed("a", "b"));
  while (woken_ == 0) std::this_thread::yield();
  server = nullptr;
  EXPECT_EQ(asking.receive(1), "");
}

TEST_F(LocalSocket, AnAnswerThatFailsEndsItsConnection) {
  const auto server = serve();
  const Asking asking(path_);
  asking.send(framed("a", "b"));
  while (woken_ == 0) std::this_thread::yield();
  EXPECT_THROW(server->answer_one([](const WireMessage&) -> WireMessage { throw Error("no"); }), Error);
  EXPECT_EQ(asking.receive(1), "");
}

TEST_F(LocalSocket, OneProgramListensAndALeftSocketIsReplaced) {
  {
    const auto server = serve();
    EXPECT_EQ(refusal_of(path_), path_ + ": another program listens there");
  }
  EXPECT_FALSE(std::filesystem::exists(path_));
  // What a program leaves that was killed.
  const int left = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path_.data(), path_.size());
  ASSERT_EQ(::bind(left, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  ASSERT_EQ(::chmod(path_.c_str(), 0755), 0);
  EXPECT_NE(refusal_of(path_).find("a socket that no window made is there"), std::string::npos);
  ASSERT_EQ(::chmod(path_.c_str(), 0600), 0);
  ::close(left);
  const auto server = serve();
  EXPECT_TRUE(Asking(path_).connected);
}

TEST_F(LocalSocket, ASocketThatAnotherProgramPutInItsPlaceStays) {
  auto server = serve();
  std::filesystem::remove(path_);
  const auto other = serve();
  server = nullptr;
  EXPECT_TRUE(std::filesystem::exists(path_));
  EXPECT_TRUE(Asking(path_).connected);
}

TEST_F(LocalSocket, HalfMessagesHoldSoMuchInAll) {
  const auto server = serve();
  // Each says that 60 MB come, and sends 40 of them.
  const std::string half = framed("a", std::string(60 << 20, 'x')).substr(0, 40 << 20);
  const Asking one(path_), two(path_);
  one.send(half);
  std::size_t sent = 0;
  for (; sent < half.size(); sent += 1 << 20) {
    if (!two.tries_to_send(half.substr(sent, 1 << 20))) break;
  }
  EXPECT_LT(sent, std::size_t{26} << 20) << "64 MB, and what the system holds";
  EXPECT_EQ(two.receive(1), "");
  const Asking three(path_);
  three.send(framed("still", ""));
  EXPECT_EQ(received(*server, three, framed("answer to still", "!").size()), framed("answer to still", "!"));
}

TEST_F(LocalSocket, OneLargeMessageAtATimeIsTaken) {
  const auto server = serve();
  const std::string large = framed("a", std::string(80 << 20, 'x'));
  const Asking one(path_), two(path_);
  const std::size_t begun = 1 << 20;
  one.send(large.substr(0, begun));
  // Both begins are read in the order in which they came.
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  two.tries_to_send(large.substr(0, begun));
  EXPECT_EQ(two.receive(1), "");
  auto sent = std::async(std::launch::async, [&] { one.send(large.substr(begun)); });
  EXPECT_EQ(received(*server, one, large.size()).size(), large.size());
}

TEST_F(LocalSocket, WithoutDescriptorsItRestsAndGoesOnWhenThereAreSome) {
  const auto server = serve();
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  std::vector<int> taken;
  rlimit few = before;
  few.rlim_cur = std::min<rlim_t>(before.rlim_cur, 64);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  for (int number = ::dup(0); number >= 0; number = ::dup(0)) taken.push_back(number);
  ASSERT_FALSE(taken.empty());
  ::close(taken.back());
  taken.pop_back();
  const Asking asking(path_);  // has the last one; the other end finds none
  ASSERT_TRUE(asking.connected);
  asking.send(framed("a", "b"));
  const std::clock_t used = std::clock();
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  EXPECT_LT(std::clock() - used, CLOCKS_PER_SEC / 10) << "it does not spin";
  for (const int number : taken) ::close(number);
  EXPECT_EQ(received(*server, asking, framed("answer to a", "b!").size()), framed("answer to a", "b!"));
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST_F(LocalSocket, RefusesPlacesThatAreNotTheUsersOwn) {
  folder_.write("file", "text");
  EXPECT_EQ(refusal_of(folder_.path() + "/file"), folder_.path() + "/file: there is something else than a socket");
  const std::string deep = folder_.path() + "/" + std::string(120, 'a');
  EXPECT_NE(refusal_of(deep).find("a socket's path has 1 to 107 bytes"), std::string::npos);
  EXPECT_NE(refusal_of(folder_.path() + "/none/s").find("No such file"), std::string::npos);
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0777), 0);
  EXPECT_NE(refusal_of(path_).find("others may write to the folder"), std::string::npos);
}

}  // namespace
}  // namespace headscope
