// `report` as a picture, as a user calls it; opened again it shows the same view.
#include <filesystem>

#include "app/session/documents.h"
#include "core/io/png.h"
#include "tests/app/cli/command.h"
#include "tests/app/session/corpus_files.h"
#include "tests/core/headvis/documented_tree.h"

namespace headscope {
namespace {

class CorpusPicture : public CommandTest {
 protected:
  CorpusPicture() { test::write_scanned(folder_, "all", false); }
};

TEST_F(CorpusPicture, IsWrittenAndOpensAgainAsTheView) {
  const Result result = cli({"report", "all.hsagg", "--format", "png", "--x", "entropy", "--grid", "self", "--head",
                             "1.3", "--choose", "0.*", "--cut", "0.25", "--theme", "light", "--out", "pictures"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "written to pictures: heads.png\n");
  const Image image = read_png(folder_ / "pictures/heads.png");
  EXPECT_GT(image.width, 600);
  const Document document = open_document(folder_ / "pictures/heads.png", Request(), ViewState());
  EXPECT_EQ(document.view.main_view, MainView::corpus);
  const CorpusView& view = document.view.corpus;
  EXPECT_EQ(view.file, std::filesystem::canonical(folder_ / "all.hsagg").string());
  EXPECT_EQ(view.x, "entropy");
  EXPECT_EQ(view.grid, "self");
  EXPECT_EQ(view.head, (Cell{1, 3}));
  EXPECT_EQ(view.chosen.size(), 8U);
  EXPECT_EQ(view.side, CorpusSide::tree);
  EXPECT_EQ(view.cut, 0.25);
  EXPECT_EQ(document.theme, Theme::light);
}

TEST_F(CorpusPicture, OtherFormatsAndHeadVisHaveItToo) {
  for (const char* format : {"svg", "pdf"}) {
    const Result result = cli({"report", "all.hsagg", "--format", format, "--out", "pictures"});
    ASSERT_EQ(result.code, 0) << result.err;
    const std::string file = folder_ / ("pictures/heads." + std::string(format));
    EXPECT_EQ(open_document(file, Request(), ViewState()).view.main_view, MainView::corpus) << format;
  }
  test::write_documented_tree(folder_, "data");
  const Result result = cli({"report", "data", "--format", "svg", "--x", "logit_std", "--out", "of_headvis"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "of_headvis/heads.svg"));
}

TEST_F(CorpusPicture, SaysWhatItCannotDraw) {
  const auto refused = [&](std::vector<std::string> words, const std::string& says) {
    words.insert(words.begin(), {"report", "all.hsagg"});
    const Result result = cli(words);
    EXPECT_EQ(result.code, 2) << result.err;
    EXPECT_NE(result.err.find(says), std::string::npos) << result.err;
  };
  refused({"--x", "entropy"}, "--format");
  refused({"--format", "csv", "--out", "o", "--head", "1.3"}, "--head");
  refused({"--format", "png"}, "--out");
  refused({"--format", "png", "--out", "o", "--x", "length"}, "max_weight");
  refused({"--format", "png", "--out", "o", "--head", "9.9"}, "--head");
  refused({"--format", "png", "--out", "o", "--choose", "entropy < x"}, "--choose");
  refused({"--format", "png", "--out", "o", "--cut", "3"}, "0 to 2");
  refused({"--format", "png", "--out", "o", "--scale", "9"}, "scale");
}

}  // namespace
}  // namespace headscope
