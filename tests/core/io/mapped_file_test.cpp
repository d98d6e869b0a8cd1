#include "core/io/mapped_file.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>

#include "core/base/error.h"
#include "core/io/mapping_guard.h"
#include "tests/app/session/temporary_folder.h"

namespace headscope {
namespace {

constexpr std::size_t kSize = 1 << 20;

std::size_t sum_of(std::span<const std::byte> bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), std::size_t{0},
                         [](std::size_t sum, std::byte byte) { return sum + std::to_integer<std::size_t>(byte); });
}

std::string complaint() {
  try {
    check_mapped_files();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(MappedFile, ReadsZerosForWhatTheFileHasLostAndSaysSoAsLongAsItIsOpen) {
  const TemporaryFolder folder;
  folder.write("a.bin", std::string(kSize, '\1'));
  folder.write("b.bin", std::string(kSize, '\1'));
  const std::string path = folder.path() + "/a.bin";
  auto cut = MappedFile::open(path);
  const auto whole = MappedFile::open(folder.path() + "/b.bin");
  EXPECT_EQ(sum_of(cut->bytes()), kSize);
  EXPECT_EQ(complaint(), "");
  std::filesystem::resize_file(path, 8192);
  EXPECT_EQ(sum_of(cut->bytes().subspan(kSize / 2)), 0U) << "the end first";
  EXPECT_EQ(sum_of(cut->bytes()), 8192U);
  EXPECT_EQ(sum_of(whole->bytes()), kSize);
  for (int k = 0; k < 3; ++k) EXPECT_NE(complaint().find("a.bin: became shorter"), std::string::npos) << k;
  EXPECT_THROW(cut->check_unchanged(), Error);
  EXPECT_NO_THROW(whole->check_unchanged());
  cut.reset();
  EXPECT_NE(complaint().find("a.bin: became shorter"), std::string::npos) << "its zeros were read";
  EXPECT_EQ(complaint(), "");
}

TEST(MappedFile, AFileThatIsReadAndLetGoIsNamedOnce) {
  const TemporaryFolder folder;
  folder.write("a.bin", std::string(kSize, '\1'));
  {
    const auto file = MappedFile::open(folder.path() + "/a.bin");
    std::filesystem::resize_file(folder.path() + "/a.bin", 0);
    EXPECT_EQ(sum_of(file->bytes()), 0U);
  }
  EXPECT_NE(complaint().find("a.bin"), std::string::npos);
  EXPECT_EQ(complaint(), "");
}

TEST(MappedFile, SaysSoWhenTheEndOfTheLastPageIsLost) {
  const TemporaryFolder folder;
  folder.write("a.bin", std::string(5000, '\1'));
  const auto file = MappedFile::open(folder.path() + "/a.bin");
  std::filesystem::resize_file(folder.path() + "/a.bin", 4999);
  EXPECT_THROW(file->check_unchanged(), Error) << "no signal tells of it";
}

TEST(MappedFile, SaysSoWhenTheFileIsWrittenTo) {
  const TemporaryFolder folder;
  folder.write("a.bin", std::string(5000, '\1'));
  const std::string path = folder.path() + "/a.bin";
  const auto file = MappedFile::open(path);
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary) << "other";
  std::filesystem::last_write_time(path, std::filesystem::last_write_time(path) + std::chrono::milliseconds(50));
  EXPECT_THROW(file->check_unchanged(), Error);
}

TEST(MappedFile, AFileThatIsReplacedStaysWhatItWas) {
  const TemporaryFolder folder;
  folder.write("a.bin", std::string(5000, '\1'));
  folder.write("b.bin", "other");
  const auto file = MappedFile::open(folder.path() + "/a.bin");
  std::filesystem::rename(folder.path() + "/b.bin", folder.path() + "/a.bin");
  EXPECT_NO_THROW(file->check_unchanged());
  EXPECT_EQ(sum_of(file->bytes()), 5000U);
}

// A window shows what was read from a file that another program then writes, and opens it anew.
TEST(MappedFile, ChangesAreToldFromThoseBefore) {
  const TemporaryFolder folder;
  folder.write("a.bin", std::string(kSize, '\1'));
  const std::string path = folder / "a.bin";
  auto shown = MappedFile::open(path);
  std::filesystem::resize_file(path, 0);
  EXPECT_EQ(sum_of(shown->bytes()), 0u) << "lost, and noticed";
  folder.write("a.bin", std::string(kSize, '\2'));

  const MappingChanges changes;
  EXPECT_TRUE(changes.any_before());
  auto anew = MappedFile::open(path);
  EXPECT_EQ(sum_of(anew->bytes()), 2 * kSize);
  EXPECT_NO_THROW(changes.check());
  EXPECT_NE(complaint(), "") << "the file that is shown has still changed";
  shown.reset();
  EXPECT_EQ(complaint(), "") << "and is not named once it is gone";
  std::filesystem::resize_file(path, 0);
  EXPECT_EQ(sum_of(anew->bytes()), 0u);
  EXPECT_THROW(changes.check(), Error);
  anew.reset();
  EXPECT_THROW(changes.check(), Error) << "a closed one once";
  EXPECT_NO_THROW(changes.check());
  EXPECT_FALSE(MappingChanges().any_before());
}

TEST(MappedFileDeath, OtherBusErrorsEndTheProgramAsBefore) {
  const TemporaryFolder folder;
  folder.write("a.bin", "text");
  const auto file = MappedFile::open(folder.path() + "/a.bin");
  EXPECT_DEATH(std::raise(SIGBUS), "");  // a sanitizer ends the program in its own way
}

}  // namespace
}  // namespace headscope
