#include "app/session/problem_report.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include "core/base/version.h"
#include "tests/app/session/temporary_folder.h"

namespace headscope {
namespace {

std::string value_of(const std::vector<ReportLine>& lines, const std::string& key) {
  for (const ReportLine& line : lines) {
    if (line.key == key) return line.value;
  }
  ADD_FAILURE() << key;
  return "";
}

TEST(ProblemReport, says_what_is_asked_for_each_thing_once) {
  const TemporaryFolder folder;
  ::setenv("XDG_STATE_HOME", folder.path().c_str(), 1);
  const std::vector<ReportLine> none = problem_report({"Card", "Vendor", "4.6", ""});
  EXPECT_EQ(value_of(none, "last_crash"), "none");
  EXPECT_NE(value_of(none, "version").find(kVersion), std::string::npos);
  EXPECT_EQ(value_of(none, "opengl"), "Card, Vendor, OpenGL 4.6");
  EXPECT_NE(value_of(none, "sessions").find(folder.path()), std::string::npos);
  std::set<std::string> keys;
  for (const ReportLine& line : none) {
    EXPECT_TRUE(keys.insert(line.key).second) << line.key;
    EXPECT_NE(line.value, "") << line.key;
  }
  std::filesystem::create_directories(folder.path() + "/headscope");
  folder.write("headscope/last-crash.txt", "Headscope 0\nended\n");
  const std::vector<ReportLine> crashed = problem_report({"", "", "", "no driver"});
  EXPECT_EQ(value_of(crashed, "last_crash"), "Headscope 0\nended");
  EXPECT_EQ(value_of(crashed, "opengl"), "none: no driver");
  EXPECT_NE(report_text(crashed).find("Last crash:\n  Headscope 0\n  ended\n"), std::string::npos)
      << report_text(crashed);
  ::unsetenv("XDG_STATE_HOME");
}

}  // namespace
}  // namespace headscope
