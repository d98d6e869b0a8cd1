// Where a session can be saved.
#include "app/session/saving_place.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/app/session/temporary_folder.h"

namespace headscope {
namespace {

TEST(SavingPlace, TheFirstFolderThatTakesFilesAndNothingStaysThere) {
  const TemporaryFolder folder;
  EXPECT_EQ(first_that_takes_files({"/proc", "/dev/null", folder / "none", folder.path(), "/"}), folder.path());
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  EXPECT_EQ(first_that_takes_files({"/proc", folder / "none"}), "");
}

TEST(SavingPlace, PlacesAreNamedOnce) {
  const TemporaryFolder folder;
  const Environment home("HOME", folder.path().c_str());
  const Environment temporary("TMPDIR", folder.path().c_str());
  const auto places = saving_places();
  EXPECT_EQ(places.front(), folder.path());
  EXPECT_EQ(std::count(places.begin(), places.end(), folder.path()), 1);
}

}  // namespace
}  // namespace headscope
