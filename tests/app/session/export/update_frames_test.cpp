// The updates of a file as numbered pictures.
#include "app/session/export/update_frames.h"

#include <fstream>

#include "core/base/error.h"
#include "core/io/png.h"
#include "tests/app/session/export/export_fixture.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

class UpdateFrames : public ExportJob {
 protected:
  std::vector<FileUpdate> updates() const { return {{trace_, 1}, {trace_, 7}, {trace_, 40}}; }
};

TEST_F(UpdateFrames, EachUpdateIsAPictureUnderItsNumber) {
  ExportChoice choice = frame_choice(view_);
  EXPECT_EQ(choice.subject, ExportSubject::heads) << "the grid is in the middle";
  choice.folder = (folder_ / "frames").string();
  choice.scale = 1;
  double done = 0;
  const std::string said =
      write_update_frames(choice, updates(), view_, CancelToken{}, [&](double progress) { done = progress; });
  EXPECT_NE(said.find("Wrote 3 pictures"), std::string::npos) << said;
  EXPECT_EQ(done, 1);
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(choice.folder)) files += entry.is_regular_file() ? 1 : 0;
  EXPECT_EQ(files, 3u);
  for (const char* name : {"update-0001.png", "update-0007.png", "update-0040.png"}) {
    EXPECT_GT(read_png(choice.folder + "/" + name).width, 50) << name;
  }
}

TEST_F(UpdateFrames, CancelledItLeavesNothing) {
  ExportChoice choice = frame_choice(view_);
  choice.folder = (folder_ / "frames").string();
  CancelToken cancel;
  EXPECT_THROW(write_update_frames(choice, updates(), view_, cancel, [&](double) { cancel.cancel(); }), Cancelled);
  EXPECT_FALSE(fs::exists(choice.folder));
}

TEST_F(UpdateFrames, CancelledItLeavesWhatSomebodyElseHasPutThere) {
  ExportChoice choice = frame_choice(view_);
  choice.folder = (folder_ / "frames").string();
  CancelToken cancel;
  const auto put_there = [&](double) {
    std::ofstream(choice.folder + "/notes.txt") << "precious";
    cancel.cancel();
  };
  EXPECT_THROW(write_update_frames(choice, updates(), view_, cancel, put_there), Cancelled);
  EXPECT_TRUE(fs::exists(choice.folder + "/notes.txt"));
  EXPECT_FALSE(fs::exists(choice.folder + "/update-0001.png"));
}

TEST_F(UpdateFrames, AFolderThatIsThereStaysAsItIs) {
  ExportChoice choice = frame_choice(view_);
  choice.folder = (folder_ / "frames").string();
  fs::create_directories(choice.folder);
  EXPECT_THROW(write_update_frames(choice, updates(), view_, CancelToken{}, {}), Error);
  EXPECT_TRUE(fs::exists(choice.folder));
}

}  // namespace
}  // namespace headscope
