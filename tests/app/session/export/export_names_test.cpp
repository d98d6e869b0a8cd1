// Names of files, the command that writes the same, sizes in words.
#include "tests/app/session/export/export_fixture.h"

namespace headscope {
namespace {

TEST_F(ExportJob, SuggestedNamesSayWhatTheyHold) {
  choice_.subject = ExportSubject::head;
  choice_.format = ExportFile::png;
  view_.head = 1;
  EXPECT_EQ(suggested_file(choice_, *trace_, view_, ""), "uno-dos-tres.weights.head1.png");
  EXPECT_EQ(suggested_file(choice_, *trace_, view_, "street.json"), "street.weights.head1.png");
  EXPECT_EQ(suggested_file(choice_, *trace_, view_, "street.session.json"), "street.weights.head1.png");
}

// Desktops know a session by this ending: assets/headscope-mime.xml.
TEST_F(ExportJob, ASessionIsSavedUnderTheEndingOfItsKind) {
  choice_.subject = ExportSubject::session;
  choice_.format = ExportFile::json;
  EXPECT_EQ(suggested_file(choice_, *trace_, view_, ""), "uno-dos-tres.session.json");
  EXPECT_EQ(suggested_file(choice_, *trace_, view_, "street.session.json"), "street.session.json");
}

TEST_F(ExportJob, CommandOfAPictureNamesViewAndHead) {
  choice_.subject = ExportSubject::head;
  choice_.file = "x.png";
  const std::string command = equivalent_command(choice_, *trace_, view_);
  EXPECT_EQ(command.rfind("headscope-cli render", 0), 0u);
  EXPECT_NE(command.find("--view head --head 0"), std::string::npos);
}

TEST_F(ExportJob, CommandOfAPictureCarriesWhatTheViewChanged) {
  choice_.subject = ExportSubject::heads;
  choice_.file = "two words.png";
  choice_.labels = false;
  view_.weight_map = ColorMap::magma;
  view_.range_fixed = true;
  view_.range_low = 0;
  view_.range_high = 0.5;
  view_.log_scale = true;
  const std::string command = equivalent_command(choice_, *trace_, view_);
  EXPECT_NE(command.find("--colormap magma --range 0,0.5 --log --labels off --out 'two words.png'"), std::string::npos)
      << command;
}

TEST_F(ExportJob, CommandOfLinesSaysWhichHeads) {
  choice_.subject = ExportSubject::arcs;
  choice_.file = "x.png";
  view_.arcs_chosen = true;
  view_.arcs_heads = {0, 1};
  view_.arcs_hide_below = 0.2;
  EXPECT_NE(
      equivalent_command(choice_, *trace_, view_).find("--view arcs --heads-shown 0,1 --hide-below 0.2 --out x.png"),
      std::string::npos);
  view_.arcs_heads->clear();
  EXPECT_NE(equivalent_command(choice_, *trace_, view_).find("--view arcs --heads-shown none --hide-below 0.2"),
            std::string::npos);
}

TEST_F(ExportJob, CommandOfOneHeadsNumbersNamesThatHeadAlone) {
  view_.head = 1;
  choice_.subject = ExportSubject::head;
  choice_.format = ExportFile::csv;
  choice_.csv_long = true;  // chosen for another subject: one head is a matrix
  const std::string command = equivalent_command(choice_, *trace_, view_);
  EXPECT_NE(command.find("--export weights --format csv --region 0,1,:,: --out DIR"), std::string::npos) << command;
}

TEST_F(ExportJob, APictureTakesTheColourMapOfItsOwnStage) {
  view_.stage = StageId::concat;
  view_.signed_map = ColorMap::coolwarm;
  choice_.format = ExportFile::png;
  choice_.subject = ExportSubject::heads;
  EXPECT_EQ(figure_of(choice_, *trace_, view_)->colormap, std::nullopt);
  choice_.subject = ExportSubject::concat;
  EXPECT_EQ(figure_of(choice_, *trace_, view_)->colormap, ColorMap::coolwarm);
}

TEST(Sizes, AreShortAndHonest) {
  EXPECT_EQ(bytes_text(999), "999 bytes");
  EXPECT_EQ(bytes_text(1234), "1.2 KB");
  EXPECT_EQ(bytes_text(91'234), "91 KB");
  EXPECT_EQ(bytes_text(1'234'567), "1.2 MB");
}

}  // namespace
}  // namespace headscope
