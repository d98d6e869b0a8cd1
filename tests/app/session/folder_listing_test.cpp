#include "app/session/folder_listing.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace headscope {
namespace {

namespace fs = std::filesystem;

TEST(FolderListing, FoldersFirstThenFittingFilesByNameAndHiddenOnesLeftOut) {
  const fs::path folder = fs::temp_directory_path() / ("headscope-listing-" + std::to_string(getpid()));
  fs::create_directories(folder / "Zoo");
  for (const char* name : {"b.JSON", "a.json", "c.txt", ".hidden.json"}) std::ofstream(folder / name) << "12345";
  const FolderListing listing = list_folder(folder.string(), {".json"});
  fs::remove_all(folder);
  EXPECT_EQ(listing.problem, "");
  ASSERT_EQ(listing.entries.size(), 3u);
  EXPECT_EQ(listing.entries[0], (FolderEntry{"Zoo", true, 0}));
  EXPECT_EQ(listing.entries[1], (FolderEntry{"a.json", false, 5}));
  EXPECT_EQ(listing.entries[2].name, "b.JSON");
  EXPECT_EQ(listing.left_out, 1);
}

TEST(FolderListing, FolderThatIsNotThereIsAProblemNotACrash) {
  const FolderListing listing = list_folder("/nowhere/at/all", {});
  EXPECT_TRUE(listing.entries.empty());
  EXPECT_NE(listing.problem.find("/nowhere/at/all"), std::string::npos);
}

TEST(FolderListing, ParentsEndAtTheRoot) {
  EXPECT_EQ(parent_folder("/a/b"), "/a");
  EXPECT_EQ(parent_folder("/a"), "/");
  EXPECT_EQ(parent_folder("/"), "/");
}

}  // namespace
}  // namespace headscope
