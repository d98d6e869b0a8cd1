// A machine without fonts.
#include <cstdlib>
#include <fstream>
#include <string>

#include "core/picture/text/built_in_font.h"
#include "tests/app/cli/command.h"
#include "tests/app/session/temporary_folder.h"

namespace headscope {
namespace {

TEST(NoFonts, PicturesAreDrawnWithTheBuiltInOneAndSaySo) {
  if (built_in_font_path().empty()) GTEST_SKIP() << "this program was built without a font of its own";
  const TemporaryFolder folder;
  folder.write("fonts.conf", "<?xml version=\"1.0\"?><fontconfig><dir>" + folder.path() + "/none</dir><cachedir>" +
                                 folder.path() + "/cache</cachedir></fontconfig>");
  ::setenv("FONTCONFIG_FILE", (folder.path() + "/fonts.conf").c_str(), 1);
  const Result result = run_cli({"render", "--phrase", "a b", "--out", folder.path() + "/a.png"});
  ::unsetenv("FONTCONFIG_FILE");
  EXPECT_EQ(result.code, 0);
  EXPECT_NE(result.err.find("no font is installed"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace headscope
