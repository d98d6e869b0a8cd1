#include "core/model/mask_file.h"

#include "core/base/error.h"
#include "core/io/atomic_file.h"
#include "core/io/files_read.h"
#include "core/io/npy.h"
#include "tests/core/io/io_helpers.h"

namespace headscope {
namespace {

using namespace test;

HiddenCells causal(std::int64_t len) {
  Request request;
  request.mask = {MaskTerm{}};
  return build_mask(request, {}, {.batch = 1, .heads = 1, .query_len = len, .key_len = len}).hidden;
}

HiddenCells padded(std::int64_t len) {
  Request request;
  request.mask = {MaskTerm{MaskTerm::Kind::padding, 1, ""}};
  return build_mask(request, {}, {.batch = 1, .heads = 1, .query_len = len, .key_len = len}).hidden;
}

TEST(MaskFile, EveryConventionReadsBackWhatItWrites) {
  const IoFolder folder;
  const ReadingAs importing(ReadAs::mask);  // as the window does
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

TEST(MaskFile, ATextOfATokenizersBatchIsOneRow) {
  const IoFolder folder;
  const Tensor rows = Tensor::of({3, 2}, {Axis::query, Axis::key}, {1, 1, 1, 0, 0, 1});
  write_file_atomically(folder.file("b.npy"), [&](std::ostream& out) { write_boolean_npy(out, rows); });
  write_bytes(folder.file("b.csv"), "1,1\n1,0\n0,1\n");
  const Tensor extended = Tensor::of({3, 1, 1, 2}, {Axis::batch, Axis::head, Axis::query, Axis::key}, rows.values());
  write_file_atomically(folder.file("b4.npy"), [&](std::ostream& out) { write_npy(out, extended); });
  for (const char* name : {"b.npy", "b.csv", "b4.npy"}) {
    const auto read = [&](std::int64_t queries, std::int64_t text) {
      return read_mask_file(folder.file(name), MaskConvention::key_padding, queries, 2, text);
    };
    EXPECT_EQ(read(2, 0), (std::vector<std::uint8_t>{0, 0, 0, 0})) << name;
    EXPECT_EQ(read(2, 1), (std::vector<std::uint8_t>{0, 1, 0, 1})) << name;
    EXPECT_EQ(read(3, 2), (std::vector<std::uint8_t>{1, 0, 1, 0, 1, 0})) << "as many texts as queries: " << name;
    EXPECT_TRUE(contains(refusal_of<UsageError>([&] { read(2, 3); }), "rows 0 to 2")) << name;
  }
  EXPECT_TRUE(
      contains(refusal_of<UsageError>([&] { read_mask_file(folder.file("b.npy"), MaskConvention::key_padding, 2, 3); }),
               "[texts, 3]"));
}

TEST(MaskFile, KeyPaddingOfABatchComesBackRowByRow) {
  const IoFolder folder;
  HiddenCells hidden(2, 1, 3, 3);
  for (std::int64_t i = 0; i < 3; ++i) {
    hidden.mutable_row(0, 0, i)[2] = 1;
    hidden.mutable_row(1, 0, i)[0] = 1;
  }
  hidden.refresh_any();
  write_mask_file(folder.file("p.npy"), MaskConvention::key_padding, hidden, 0, 0, false);
  EXPECT_EQ(read_npy(folder.file("p.npy")).tensor.shape(), (Shape{2, 3}));
  for (std::int64_t b = 0; b < 2; ++b) {
    const auto read = read_mask_file(folder.file("p.npy"), MaskConvention::key_padding, 3, 3, b);
    for (std::int64_t cell = 0; cell < 9; ++cell) {
      EXPECT_EQ(read[static_cast<std::size_t>(cell)] != 0, hidden.hidden(b, 0, cell / 3, cell % 3)) << b << cell;
    }
  }
}

TEST(MaskFile, TheFilesAreWhatOtherProgramsRead) {
  const IoFolder folder;
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
  const IoFolder folder;
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
