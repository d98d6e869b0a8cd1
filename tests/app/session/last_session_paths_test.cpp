// The last session is opened from whichever folder the next start is in.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

#include "app/session/last_session.h"
#include "tests/app/session/temporary_folder.h"

namespace headscope {
namespace {

TEST(LastSessionPaths, FilesAreFoundFromAnyFolder) {
  const TemporaryFolder folder_;
  const Environment state("XDG_STATE_HOME", (folder_ / "state").c_str());
  const std::filesystem::path here = std::filesystem::current_path();
  folder_.write("work/x.npy", "numbers");
  folder_.write("work/m/config.json", "{}");
  std::filesystem::current_path(folder_ / "work");
  LastSession saved;
  saved.request.input = "x.npy";
  saved.request.model = "m";
  saved.request.weights = "typed so far";
  saved.request.mask = {{MaskTerm::Kind::file, 0, "./x.npy"}};
  saved.request.patch_from = R"({"phrase":"a","model":"m"})";
  Moment before{saved.request, ViewState(), {"before", {}}};
  saved.timeline.before.push_back({std::make_shared<const Moment>(before), false});
  const std::string failed = save_last_session(saved);
  std::filesystem::current_path(here);
  ASSERT_EQ(failed, "");
  LastSession loaded;
  std::string notice;
  ASSERT_TRUE(load_last_session(loaded, notice));
  const std::string work = std::filesystem::canonical(folder_ / "work").string();
  for (const Request& request : {loaded.request, loaded.timeline.before.at(0).moment->draft}) {
    EXPECT_EQ(request.input, work + "/x.npy");
    EXPECT_EQ(request.model, work + "/m");
    EXPECT_EQ(request.weights, "typed so far") << "no such file is there";
    EXPECT_EQ(request.mask.at(0).path, work + "/x.npy");
    EXPECT_NE(request.patch_from.find(work + "/m"), std::string::npos) << request.patch_from;
  }
  EXPECT_EQ(loaded.timeline.before.size(), 1u) << "the present is that of the session";
}

}  // namespace
}  // namespace headscope
