// What other programs hand over to a window, and what they ask of it; without a window, without a socket's other end.
#include "app/frame/wire.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "app/frame/handed_over.h"
#include "app/frame/start.h"
#include "app/session/documents.h"
#include "core/base/error.h"
#include "core/base/system/machine.h"
#include "core/base/version.h"
#include "core/io/safetensors.h"
#include "tests/app/session/session_fixture.h"
#include "tests/app/session/temporary_folder.h"

namespace headscope {
namespace {

class WireTest : public ::testing::Test {
 protected:
  std::string ask(Wire& wire, const std::string& json, const std::string& bytes = "") {
    return wire.answer({json, bytes}, session_, settings_, state_).json;
  }
  std::string show_session(Wire& wire, const std::string& phrase) {
    return ask(wire, R"({"verb": "show", "kind": "session"})",
               fmt::format(R"({{"headscope": "0.1.0", "phrase": "{}"}})", phrase));
  }
  // What a window leaves that was killed.
  void left_by(std::int64_t process, const std::string& name, unsigned mode = 0700) {
    folder_.write(name + "/shown-1.json", "{}");
    folder_.write(name + "/" + kHandedOverMark, fmt::format("headscope {} {}\n", system::machine_name(), process));
    std::filesystem::permissions(folder_ / name, static_cast<std::filesystem::perms>(mode));
  }
  static std::size_t open_descriptors() {
    const std::filesystem::directory_iterator all("/proc/self/fd"), end;
    return static_cast<std::size_t>(std::distance(all, end));
  }
  static constexpr std::int64_t kNoProcess = 2147483646;

  std::unique_ptr<Wire> listening(const std::string& first = "") {
    return std::make_unique<Wire>(folder_.path() + "/s", first, [] {});
  }

  TemporaryFolder folder_;
  Environment home_{"HOME", folder_.path().c_str()};
  Environment state_home_{"XDG_STATE_HOME", folder_.path().c_str()};
  ManualSession manual_;
  Session& session_ = *manual_.session;
  Settings settings_;
  ui::UiState state_;
};

TEST_F(WireTest, SaysWhoItIsAndRefusesInWords) {
  const auto wire = listening();
  EXPECT_NE(
      ask(*wire, R"({"verb": "hello"})").find(fmt::format(R"("ok": true, "headscope": "{}", "process": )", kVersion)),
      std::string::npos);
  EXPECT_NE(ask(*wire, "{").find(R"("ok":false,"error":"the message)"), std::string::npos);
  EXPECT_NE(ask(*wire, "{}").find("has no \\\"verb\\\""), std::string::npos);
  EXPECT_NE(ask(*wire, R"({"verb": "fly"})").find("expected hello, show, update, state or close"), std::string::npos);
  EXPECT_NE(ask(*wire, R"({"verb": "show", "kind": "film"})").find("expected capture or session"), std::string::npos);
  EXPECT_NE(ask(*wire, R"({"verb": "state", "id": 7})").find("nothing with the number 7"), std::string::npos);
  EXPECT_NE(ask(*wire, R"({"verb": "update", "id": "1"})").find("expected the number"), std::string::npos);
}

TEST_F(WireTest, ASessionIsOpenedAndItsStateComesBackAlsoWhenAnotherOneTookItsPlace) {
  const auto wire = listening();
  const Request before = session_.draft;
  EXPECT_EQ(show_session(*wire, "one two"), R"({"ok": true, "id": 1})");
  EXPECT_EQ(session_.draft.phrase, "one two");
  session_.draft.heads = 2;
  const std::string state = ask(*wire, R"({"verb": "state", "id": 1})");
  EXPECT_NE(state.find(R"("shown": true)"), std::string::npos) << state;
  EXPECT_NE(state.find("one two"), std::string::npos) << state;
  EXPECT_EQ(show_session(*wire, "three"), R"({"ok": true, "id": 2})");
  EXPECT_EQ(session_.draft.phrase, "three");
  const std::string left = ask(*wire, R"({"verb": "state", "id": 1})");
  EXPECT_NE(left.find(R"("shown": false)"), std::string::npos) << left;
  EXPECT_NE(left.find("one two"), std::string::npos) << left;
  EXPECT_NE(left.find(R"("heads":2)"), std::string::npos) << left;
  EXPECT_NE(ask(*wire, R"({"verb": "update", "id": 1})", "x").find("something else by now"), std::string::npos);
}

TEST_F(WireTest, WhatCannotBeOpenedIsRefusedAndTheWindowStays) {
  const auto wire = listening();
  const Request before = session_.draft;
  const std::string answer = ask(*wire, R"({"verb": "show", "kind": "capture"})", "no tensors");
  EXPECT_NE(answer.find(R"("ok":false)"), std::string::npos) << answer;
  EXPECT_EQ(session_.draft, before);
  EXPECT_TRUE(state_.notices.empty());
}

TEST_F(WireTest, AWindowThatWasOpenedForItEndsWithTheLastThatIsClosed) {
  folder_.write("first.json", R"({"headscope": "0.1.0", "phrase": "the first"})");
  const auto wire = listening(folder_.path() + "/first.json");
  EXPECT_EQ(show_session(*wire, "second"), R"({"ok": true, "id": 2})");
  EXPECT_EQ(ask(*wire, R"({"verb": "close", "id": 1})"), R"({"ok": true, "ends": false})");
  EXPECT_FALSE(wire->ended());
  EXPECT_EQ(ask(*wire, R"({"verb": "close", "id": 2})"), R"({"ok": true, "ends": true})");
  EXPECT_TRUE(wire->ended());
}

TEST_F(WireTest, AWindowOfTheUserStays) {
  const auto wire = listening();
  show_session(*wire, "one");
  EXPECT_EQ(ask(*wire, R"({"verb": "close", "id": 1})"), R"({"ok": true, "ends": false})");
  EXPECT_FALSE(wire->ended());
}

TEST_F(WireTest, WhatIsClosedAndNotOnScreenLeavesNoFile) {
  const auto wire = listening();
  show_session(*wire, "one");
  show_session(*wire, "two");
  const auto files = [&] {
    std::size_t count = 0;
    for (const auto& each : std::filesystem::recursive_directory_iterator(folder_.path())) {
      count += each.path().filename().string().starts_with("shown-") ? 1 : 0;
    }
    return count;
  };
  EXPECT_EQ(files(), 2u);
  ask(*wire, R"({"verb": "close", "id": 1})");
  EXPECT_EQ(files(), 1u);
}

TEST_F(WireTest, NothingIsLeftAtTheEndNorOfWindowsThatWereKilled) {
  left_by(kNoProcess, "s.2147483646");
  {
    const auto wire = listening();
    show_session(*wire, "one");
    EXPECT_FALSE(std::filesystem::exists(folder_ / "s.2147483646"));
  }
  for (const auto& each : std::filesystem::directory_iterator(folder_.path())) {
    EXPECT_FALSE(each.path().filename().string().starts_with("s")) << each.path();
  }
}

TEST_F(WireTest, NothingOfAUserIsRemovedWhetherOrNotItListens) {
  // Names that a window could have given, numbers of processes that do not run.
  const std::vector<std::string> users = {"s.2023/results.csv", "s.30/results.csv", "s.99999/shown-1.json",
                                          fmt::format("s.{}/results.csv", ::getpid())};
  for (const std::string& file : users) {
    folder_.write(file, "precious");
    std::filesystem::permissions(std::filesystem::path(folder_ / file).parent_path(),
                                 std::filesystem::perms::owner_all);
  }
  const auto all_there = [&] {
    for (const std::string& file : users) EXPECT_EQ(bytes_of(folder_ / file), "precious") << file;
  };
  folder_.write("s", "not a socket");
  left_by(kNoProcess, "s.7");
  EXPECT_THROW(listening(), Error);
  all_there();
  EXPECT_EQ(bytes_of(folder_ / "s"), "not a socket");
  EXPECT_TRUE(std::filesystem::exists(folder_ / "s.7")) << "nothing is removed before it listens";
  std::filesystem::remove(folder_ / "s");
  {
    const auto wire = listening();
    all_there();
    EXPECT_FALSE(std::filesystem::exists(folder_ / "s.7"));
    show_session(*wire, "beside a folder of this very name");
    all_there();
  }
  all_there();
}

TEST_F(WireTest, AFolderIsRemovedForItsMarkAndNotForItsName) {
  left_by(kNoProcess, "s.1");
  folder_.write("s.1/notes.txt", "of somebody");
  folder_.write("s.1/sub/shown-1.json", "of somebody");
  left_by(kNoProcess, "s.2", 0755);
  left_by(::getpid(), "s.3");
  folder_.write(fmt::format("s.4/{}", kHandedOverMark), fmt::format("headscope another-machine {}\n", kNoProcess));
  folder_.write("s.4/shown-1.json", "{}");
  std::filesystem::permissions(folder_ / "s.4", std::filesystem::perms::owner_all);
  std::filesystem::create_directory_symlink(folder_ / "s.4", folder_ / "s.5");
  const auto wire = listening();
  EXPECT_EQ(bytes_of(folder_ / "s.1/notes.txt"), "of somebody");
  EXPECT_EQ(bytes_of(folder_ / "s.1/sub/shown-1.json"), "of somebody");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "s.1/shown-1.json")) << "what was handed over goes";
  for (const std::string name : {"s.2", "s.3", "s.4", "s.5"}) {
    EXPECT_TRUE(std::filesystem::exists(folder_ / (name + "/shown-1.json"))) << name;
  }
}

TEST_F(WireTest, WhatTheWindowWasOpenedOnIsAFileOfItsUser) {
  const std::string path = folder_.write("first.json", R"({"headscope": "0.1.0", "phrase": "the first"})");
  const std::string before = bytes_of(path);
  ASSERT_TRUE(open_given(session_, settings_, state_, path, session_.view));
  const auto wire = listening(path);
  const std::string answer = ask(*wire, R"({"verb": "update", "id": 1})", "other bytes");
  EXPECT_NE(answer.find(R"("ok":false)"), std::string::npos) << answer;
  EXPECT_NE(answer.find("a file of its user"), std::string::npos) << answer;
  EXPECT_EQ(bytes_of(path), before);
}

TEST_F(WireTest, AnUpdateIsFollowedWithoutAWatchOfItsOwn) {
  const auto wire = listening();
  const std::size_t before = open_descriptors();
  for (int k = 0; k < 50; ++k) show_session(*wire, fmt::format("number {}", k));
  EXPECT_EQ(open_descriptors(), before) << "a system has some 128 watches for all programs of a user";
  const std::string update = R"({"headscope": "0.1.0", "phrase": "anew"})";
  EXPECT_EQ(ask(*wire, R"({"verb": "update", "id": 50})", update), R"({"ok": true})");
  EXPECT_TRUE(wire->serve(session_, settings_, state_));
  EXPECT_EQ(session_.draft.phrase, "anew");
  EXPECT_FALSE(wire->serve(session_, settings_, state_)) << "once";
}

}  // namespace
}  // namespace headscope
