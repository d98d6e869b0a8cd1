#include "core/io/mask_file.h"

#include "core/error.h"
#include "core/io/npy.h"
#include "tests/core/io/io_helpers.h"

namespace headscope {
namespace {

using namespace test;

HiddenCells causal(std::int64_t len) {
  Request request;
  request.mask = {MaskTerm{}};
  return build_mask(request, {}, 1, 1, len, len, false).hidden;
}

HiddenCells padded(std::int64_t len) {
  Request request;
  request.mask = {MaskTerm{MaskTerm::Kind::padding, 1, ""}};
  return build_mask(request, {}, 1, 1, len, len, false).hidden;
}

TEST(MaskFile, EveryConventionReadsBackWhatItWrites) {
  const TemporaryFolder folder;
  const std::vector<std::uint8_t> wanted = {0, 1, 1, 0, 0, 1, 0, 0, 0};
  for (const MaskConvention convention : {MaskConvention::additive, MaskConvention::keep, MaskConvention::hide}) {
    for (const char* name : {"m.npy", "m.csv"}) {
      const std::string path = folder.file(name);
      write_mask_file(path, convention, causal(3), 0, 0, false);
      EXPECT_EQ(read_mask_file(path, convention, 3, 3), wanted) << mask_convention_name(convention) << name;
    }
  }
  for (const char* name : {"p.npy", "p.csv"}) {
    write_mask_file(folder.file(name), MaskConvention::key_padding, padded(3), 0, 0, false);
    EXPECT_EQ(read_mask_file(folder.file(name), MaskConvention::key_padding, 3, 3),
              (std::vector<std::uint8_t>{0, 0, 1, 0, 0, 1, 0, 0, 1}));
  }
}

TEST(MaskFile, TheFilesAreWhatOtherProgramsRead) {
  const TemporaryFolder folder;
  write_mask_file(folder.file("k.npy"), MaskConvention::keep, causal(2), 0, 0, false);
  const NpyArray keep = read_npy(folder.file("k.npy"));
  EXPECT_TRUE(keep.is_boolean);
  EXPECT_EQ(keep.tensor.values(), (std::vector<float>{1, 0, 1, 1}));
  write_mask_file(folder.file("a.csv"), MaskConvention::additive, causal(2), 0, 0, false);
  EXPECT_EQ(read_bytes(folder.file("a.csv")), "0,-inf\n0,0\n");
  write_mask_file(folder.file("p.csv"), MaskConvention::key_padding, padded(3), 0, 0, false);
  EXPECT_EQ(read_bytes(folder.file("p.csv")), "1,1,0\n");
}

TEST(MaskFile, WhatDoesNotFitIsSaidInASentence) {
  const TemporaryFolder folder;
  const auto refused = [&](const auto& act) { return refusal_of<UsageError>(act); };
  EXPECT_TRUE(contains(
      refused([&] { write_mask_file(folder.file("p.npy"), MaskConvention::key_padding, causal(3), 0, 0, false); }),
      "sees other keys than query 0"));
  EXPECT_TRUE(
      contains(refused([&] { write_mask_file(folder.file("p.txt"), MaskConvention::keep, causal(3), 0, 0, false); }),
               ".npy or .csv"));
  write_bytes(folder.file("m.csv"), "0,0.5\n0,0\n");
  EXPECT_TRUE(contains(refused([&] { read_mask_file(folder.file("m.csv"), MaskConvention::additive, 2, 2); }), "0.5"));
  EXPECT_TRUE(contains(refused([&] { read_mask_file(folder.file("m.csv"), MaskConvention::keep, 2, 2); }), "0 or 1"));
  EXPECT_TRUE(contains(refused([&] { read_mask_file(folder.file("m.csv"), MaskConvention::keep, 2, 3); }), "[2, 3]"));
  EXPECT_TRUE(contains(refusal_of<Error>([&] { read_mask_file(folder.file("none.npy"), MaskConvention::keep, 2, 2); }),
                       "none.npy"));
}

}  // namespace
}  // namespace headscope
