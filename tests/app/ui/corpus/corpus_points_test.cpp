// The points of a head on its principal axes: moved through by mouse and keys, opened in the microscope, copied.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

#include "app/session/session.h"
#include "app/session/state_json.h"
#include "app/ui/corpus/corpus_panel.h"
#include "app/ui/export_dialog_state.h"
#include "core/attention/model_trace.h"
#include "core/corpus/point_report.h"
#include "tests/app/session/corpus_files.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

class CorpusPoints : public testing::Test {
 protected:
  void open(bool with_list = true, const CorpusRecord& record = test::scanned_points()) {
    d.drop(test::write_scanned(folder, "all", with_list, record));
    d.step(4);
    d.click("corpus/cell/1.2");
    view().side = CorpusSide::points;
    d.step(4);
  }
  CorpusView& view() { return d.session.view.corpus; }
  CorpusPanelState& panel() { return d.state.panels.get<CorpusPanelState>(); }
  ImVec2 place_of(const PlotPoint& point) {
    const Rect plot = d.rect(kCorpusPoints);
    return {plot.min.x + point.x, plot.min.y + point.y};
  }
  TemporaryFolder folder;
  Driver d;
};

TEST_F(CorpusPoints, AreAllThereAndAxesSayTheirShares) {
  open();
  const PlotPoints& points = panel().points_plot.points;
  EXPECT_EQ(points.points.size() + points.covered, test::kScannedPoints);
  const HeadPoints wanted = head_points(test::scanned_points(), 10, VectorKind::query);
  EXPECT_FALSE(d.names("corpus/points_x: " + axis_title(wanted, 0)).empty());
  d.click("corpus/vectors/values");
  d.step(4);
  EXPECT_EQ(view().points.vectors, "value");
  const HeadPoints values = head_points(test::scanned_points(), 10, VectorKind::value);
  EXPECT_FALSE(d.names("corpus/points_x: " + axis_title(values, 0)).empty());
  const int made = panel().points_laid_out;
  d.step(4);
  EXPECT_EQ(panel().points_laid_out, made) << "laid out once";
  view().points.x = 2;
  d.step(2);
  EXPECT_FALSE(d.names("corpus/points_x: " + axis_title(values, 2)).empty());
  EXPECT_FALSE(d.names("corpus/point_token/").empty()) << "a legend of tokens";
  d.click("corpus/points_color/position");
  d.step(2);
  EXPECT_EQ(view().points.color, PointColor::position);
  EXPECT_TRUE(d.names("corpus/point_token/").empty());
  EXPECT_EQ(parse_view_state(view_state_json(d.session.view)).corpus, view());
}

TEST_F(CorpusPoints, MouseAndKeysSayTokenPositionAndPhrase) {
  open();
  const PlotPoint point = panel().points_plot.points.points.front();
  d.move(place_of(point));
  d.step(2);
  ASSERT_TRUE(panel().hovered_point);
  const PointPlace& place = test::scanned_points().points[*panel().hovered_point];
  const std::string where = "position " + std::to_string(place.position) + ", phrase " + std::to_string(place.phrase);
  ASSERT_EQ(d.names("corpus/point_readout: ").size(), 1U);
  EXPECT_NE(d.names("corpus/point_readout: ")[0].find(where), std::string::npos)
      << d.names("corpus/point_readout: ")[0];
  const std::size_t hovered = *panel().hovered_point;
  d.click_at(place_of(point));
  d.step(2);
  EXPECT_EQ(view().points.point, static_cast<std::int64_t>(hovered));
  // Arrows go through every point, in the order of an axis.
  d.key(KeyName::home);
  std::vector<std::int64_t> seen = {view().points.point};
  const HeadPoints points = head_points(test::scanned_points(), 10, VectorKind::query);
  for (std::size_t k = 1; k < test::kScannedPoints; ++k) {
    d.key(KeyName::right);
    EXPECT_GE(points.on(0)[static_cast<std::size_t>(view().points.point)],
              points.on(0)[static_cast<std::size_t>(seen.back())]);
    seen.push_back(view().points.point);
  }
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::unique(seen.begin(), seen.end()), seen.end());
  const double before = points.on(1)[static_cast<std::size_t>(view().points.point)];
  d.key(KeyName::up);
  d.key(KeyName::up);
  EXPECT_GE(points.on(1)[static_cast<std::size_t>(view().points.point)], before);
}

TEST_F(CorpusPoints, EnterOpensThePhraseAtThePositionAndUndoComesBack) {
  open();
  d.click_at(place_of(panel().points_plot.points.points.back()));
  d.step(2);
  d.key(KeyName::end);
  const auto point = static_cast<std::size_t>(view().points.point);
  const PointPlace& place = test::scanned_points().points[point];
  d.key(KeyName::enter);
  d.step(6);
  ASSERT_EQ(d.session.view.main_view, MainView::layer);
  EXPECT_EQ(d.session.draft.layer, 1);
  EXPECT_EQ(d.session.view.head, 2);
  EXPECT_EQ(d.session.view.cell, (Cell{place.position, place.position}));
  const HeadVectors& vectors = test::scanned_points().heads[10].vectors[0];
  const Tensor& query = d.trace().tensor(StageId::query);
  for (std::int64_t a = 0; a < vectors.size(); ++a) {
    EXPECT_EQ(query.at({0, 2, place.position, a}),
              vectors.points[point * static_cast<std::size_t>(vectors.size()) + static_cast<std::size_t>(a)])
        << "the very vector that was counted";
  }
  d.ctrl(KeyName::z);
  d.step(4);
  EXPECT_EQ(d.session.view.main_view, MainView::corpus);
  EXPECT_EQ(view().side, CorpusSide::points);
}

TEST_F(CorpusPoints, WithoutTheListOpenSaysWhatIsMissing) {
  open(false);
  d.click("corpus/open_point");
  d.step(2);
  EXPECT_EQ(d.session.view.main_view, MainView::corpus);
  EXPECT_TRUE(std::any_of(d.state.notices.begin(), d.state.notices.end(),
                          [](const Notice& notice) { return notice.key == "corpus/example"; }));
}

TEST_F(CorpusPoints, AFileWithoutThemSaysHowToGetThem) {
  open(true, test::scanned_lines());
  ASSERT_EQ(d.names("corpus/points_say: ").size(), 1U);
  EXPECT_NE(d.names("corpus/points_say: ")[0].find("scan --points 256"), std::string::npos);
  EXPECT_FALSE(d.has(kCorpusPoints));
}

TEST_F(CorpusPoints, AreCopiedAsCsv) {
  open();
  d.click("corpus/points_copy");
  d.step(2);
  EXPECT_EQ(d.clipboard, points_csv(test::scanned_points(), 10));
}

TEST_F(CorpusPoints, TheirPictureOpensAgain) {
  open();
  d.click("corpus/vectors/keys");
  d.step(2);
  const CorpusView shown = view();
  d.click("corpus/export");
  d.step(3);
  ExportDialogState& dialog = d.state.panels.get<ExportDialogState>();
  dialog.choice.folder = folder.path();
  d.click("export/format/SVG");
  d.step(2);
  const std::string file = folder / dialog.choice.file;
  d.click("export/primary");
  for (int k = 0; k < 2000 && d.session.jobs.current().running; ++k) {
    d.step();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  ASSERT_FALSE(d.session.jobs.current().failed) << d.session.jobs.current().result;
  EXPECT_NE(bytes_of(file).find("of the variance"), std::string::npos);
  view() = CorpusView();
  d.session.view.main_view = MainView::layer;
  d.drop(file);
  d.step(4);
  EXPECT_EQ(view(), shown);
}

TEST_F(CorpusPoints, EverySizeOfWindowShowsThem) {
  open();
  for (const auto& [width, height] : {std::pair{960, 640}, {1280, 800}, {2560, 1440}}) {
    d.resize(width, height);
    d.step(3);
    EXPECT_TRUE(d.has(kCorpusPoints)) << width;
    EXPECT_TRUE(d.has("corpus/open_point")) << width;
  }
}

}  // namespace
}  // namespace headscope::ui
