// Programs that speak and play, stood in for by scripts that write down what they were given.
#include "app/session/desktop_programs.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/app/session/temporary_folder.h"

namespace headscope {
namespace {

// What a script wrote, once it ends with this; "" after ten seconds.
std::string written(const std::string& path, const std::string& end) {
  for (int k = 0; k < 1000; ++k) {
    const std::string text = bytes_of(path);
    if (text.ends_with(end)) return text;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return "";
}

class DesktopPrograms : public testing::Test {
 protected:
  void script(const std::string& name, const std::string& lines) {
    const std::string path = folder_ / name;
    std::ofstream(path) << "#!/bin/sh\n" << lines;
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  TemporaryFolder folder_;
  Environment path_{"PATH", (folder_.path() + ":/usr/bin:/bin").c_str()};
  Environment runtime_{"XDG_RUNTIME_DIR", folder_.path().c_str()};
};

TEST_F(DesktopPrograms, ATextIsSpokenAsItIsAfterWhatWasSaidBeforeIsCancelled) {
  script("spd-say", "printf '[%s]' \"$@\" >>" + folder_ / "log" + "\necho >>" + folder_ / "log");
  ASSERT_TRUE(can_say());
  say("it's \"here\" $HOME `id` -x");
  EXPECT_EQ(written(folder_ / "log", "-x]\n"), "[-C]\n[-l][en][--][it's \"here\" $HOME `id` -x]\n");
}

TEST_F(DesktopPrograms, ASoundIsPlayedInPlaceOfTheOneBefore) {
  // Says what it plays, and goes on until it is stopped: who waited for its end would never come back.
  script("pw-play", "cat \"$1\" >>" + folder_ / "log" + "\necho >>" + folder_ / "log" + "\nexec sleep infinity");
  ASSERT_TRUE(can_play());
  play("one");
  ASSERT_EQ(written(folder_ / "log", "one\n"), "one\n");
  play("two");
  EXPECT_EQ(written(folder_ / "log", "two\n"), "one\ntwo\n");
  int sounds = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    sounds += entry.path().extension() == ".wav" ? 1 : 0;
  }
  EXPECT_EQ(sounds, 1) << "the one before is gone";
}

TEST_F(DesktopPrograms, ASoundThatCannotBeKeptIsNotPlayed) {
  script("pw-play", "echo played >>" + folder_ / "log");
  const Environment nowhere("XDG_RUNTIME_DIR", std::string(folder_ / "missing").c_str());
  play("one");
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(bytes_of(folder_ / "log"), "");
}

}  // namespace
}  // namespace headscope
