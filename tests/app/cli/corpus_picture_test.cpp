// `report` as a picture, as a user calls it; opened again it shows the same view.
#include <filesystem>

#include "app/session/documents.h"
#include "core/corpus/head_points.h"
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

TEST_F(CorpusPicture, PointsOfAHeadStandInPlaceOfItsHistograms) {
  test::write_scanned(folder_, "points", false, test::scanned_points());
  for (const char* format : {"png", "svg", "pdf"}) {
    const Result result = cli({"report", "points.hsagg", "--format", format, "--head", "1.3", "--vectors", "value",
                               "--axes", "2,3", "--points-color", "position", "--out", "pictures"});
    ASSERT_EQ(result.code, 0) << result.err;
    const Document document =
        open_document(folder_ / ("pictures/heads." + std::string(format)), Request(), ViewState());
    const CorpusView& view = document.view.corpus;
    EXPECT_EQ(view.side, CorpusSide::points);
    EXPECT_EQ(view.points, (PointsView{"value", 1, 2, PointColor::position, 0}));
    EXPECT_EQ(view.head, (Cell{1, 3}));
  }
  const std::string svg = bytes_of(folder_ / "pictures/heads.svg");
  const HeadPoints points = head_points(test::scanned_points(), 11, VectorKind::value);
  EXPECT_NE(svg.find(axis_title(points, 1)), std::string::npos) << axis_title(points, 1);
  EXPECT_NE(svg.find(axis_title(points, 2)), std::string::npos);
  ASSERT_EQ(cli({"report", "points.hsagg", "--format", "svg", "--vectors", "query", "--out", "tokens"}).code, 0);
  EXPECT_NE(bytes_of(folder_ / "tokens/heads.svg").find("grey: other tokens"), std::string::npos);
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
  refused({"--format", "png", "--out", "o", "--vectors", "query"}, "scan --points");
  refused({"--format", "png", "--out", "o", "--vectors", "weights"}, "--vectors");
  refused({"--format", "png", "--out", "o", "--axes", "1,2"}, "--vectors");
  test::write_scanned(folder_, "all", false, test::scanned_points());
  for (const char* axes : {"1", "0,1", "1,9", "a,b"}) {
    refused({"--format", "png", "--out", "o", "--vectors", "query", "--axes", axes}, "--axes");
  }
}

}  // namespace
}  // namespace headscope
