// The list of files that were opened lately.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/session/settings.h"

namespace headscope {
namespace {

TEST(RecentFiles, TheNewestIsFirstAndEachIsThereOnce) {
  Settings s;
  remember_recent(s, "/a/x.json");
  remember_recent(s, "/a/y.json");
  remember_recent(s, "/a/b/../x.json");
  EXPECT_EQ(s.recent_files, (std::vector<std::string>{"/a/x.json", "/a/y.json"}));
  for (int k = 0; k < 40; ++k) remember_recent(s, "/f" + std::to_string(k));
  EXPECT_EQ(s.recent_files.size(), kMostRecentFiles);
  EXPECT_EQ(s.recent_files.front(), "/f39");
  remember_recent(s, "relative.json");
  EXPECT_EQ(s.recent_files.front()[0], '/');
}

TEST(RecentFiles, NamesThatSettingsCannotHoldAreNotRemembered) {
  Settings s;
  remember_recent(s, "/a/x.json");
  remember_folder(s.open_folder, "/a");
  const Settings before = s;
  remember_recent(s, "/a/\xED\xA0\x80.json");
  remember_folder(s.open_folder, "/\xFF");
  EXPECT_EQ(s, before);
}

}  // namespace
}  // namespace headscope
