#include "core/io/mapped_file.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <numeric>

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

TEST(MappedFile, ReadsZerosForWhatTheFileHasLostAndSaysSoOnce) {
  const TemporaryFolder folder;
  folder.write("a.bin", std::string(kSize, '\1'));
  folder.write("b.bin", std::string(kSize, '\1'));
  const std::string path = folder.path() + "/a.bin";
  const auto cut = MappedFile::open(path);
  const auto whole = MappedFile::open(folder.path() + "/b.bin");
  EXPECT_EQ(sum_of(cut->bytes()), kSize);
  EXPECT_NO_THROW(check_mapped_files());
  std::filesystem::resize_file(path, 8192);
  EXPECT_EQ(sum_of(cut->bytes().subspan(kSize / 2)), 0U) << "the end first";
  EXPECT_EQ(sum_of(cut->bytes()), 8192U);
  EXPECT_EQ(sum_of(whole->bytes()), kSize);
  try {
    check_mapped_files();
    FAIL() << "nothing was said";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("a.bin: became shorter"), std::string::npos) << error.what();
  }
  EXPECT_NO_THROW(check_mapped_files());
}

TEST(MappedFile, ALetGoMappingIsForgotten) {
  const TemporaryFolder folder;
  folder.write("a.bin", std::string(kSize, '\1'));
  {
    const auto file = MappedFile::open(folder.path() + "/a.bin");
    std::filesystem::resize_file(folder.path() + "/a.bin", 0);
    EXPECT_EQ(sum_of(file->bytes()), 0U);
  }
  EXPECT_NO_THROW(check_mapped_files());
}

TEST(MappedFileDeath, OtherBusErrorsEndTheProgramAsBefore) {
  const TemporaryFolder folder;
  folder.write("a.bin", "text");
  const auto file = MappedFile::open(folder.path() + "/a.bin");
  EXPECT_DEATH(std::raise(SIGBUS), "");  // a sanitizer ends the program in its own way
}

}  // namespace
}  // namespace headscope
