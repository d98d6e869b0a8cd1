// What other programs hand over to a window, and what they ask of it; without a window, without a socket's other end.
#include "app/frame/wire.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "app/session/documents.h"
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
  // No process has this number.
  std::filesystem::create_directory(folder_.path() + "/s.2147483646");
  folder_.write("s.2147483646/shown-1.json", "{}");
  {
    const auto wire = listening();
    show_session(*wire, "one");
    EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/s.2147483646"));
  }
  for (const auto& each : std::filesystem::directory_iterator(folder_.path())) {
    EXPECT_FALSE(each.path().filename().string().starts_with("s")) << each.path();
  }
}

}  // namespace
}  // namespace headscope
