// GGUF: what the header says, what is refused, and what blocks mean (tests/golden/make_gguf_golden.py).
#include "core/io/gguf.h"

#include <limits>

#include <gtest/gtest.h>

#include "core/io/safetensors.h"
#include "tests/core/io/gguf_files.h"
#include "tests/core/io/io_helpers.h"

namespace headscope {
namespace {

using test::bytes_of;
using test::contains;
using test::GgufWriter;
using test::refusal_of;
using Kind = GgufField::Kind;

const std::string kFolder = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/gguf/";

std::string gguf_refused(const std::string& bytes) {
  return refusal_of([&] { parse_gguf(bytes_of(bytes), "x.gguf"); });
}

// A key, a list and two tensors.
GgufWriter small() {
  GgufWriter file;
  file.text("general.architecture", "llama").u32("llama.block_count", 2).texts("tokens", {"a", "", "bc"});
  file.tensor("a", {2, 3}, "F32", std::string(24, '\0')).tensor("b", {1, 32}, "Q8_0", std::string(34, '\0'));
  return file;
}

TEST(Gguf, EveryTypesBlocksAreThoseOfTheFormulas) {
  const auto file = GgufFile::open(kFolder + "blocks.gguf");
  const SafetensorsFile expected = SafetensorsFile::open(kFolder + "blocks.safetensors");
  ASSERT_EQ(file->header().tensors.size(), 36u);
  for (const GgufTensor& tensor : file->header().tensors) {
    const Tensor wanted = expected.tensor(*expected.find(tensor.name));
    const Tensor found = file->tensor(tensor);
    EXPECT_EQ(found.shape(), wanted.shape()) << tensor.name;
    EXPECT_TRUE(test::same_bits(found.values(), wanted.values())) << tensor.name;
  }
}

TEST(Gguf, AnyRegionOfATensorIsThatOfTheWhole) {
  const auto file = GgufFile::open(kFolder + "blocks.gguf");
  for (const GgufTensor& each : file->header().tensors) {
    const Tensor tensor = file->tensor(each);
    const std::vector<float> whole = tensor.values();
    const std::int64_t row = tensor.dim(tensor.rank() - 1);
    for (const Range part : {Range{0, row}, {1, row}, {row / 3, row / 3 + 1}, {0, row - 1}, {row / 2, row / 2}}) {
      Region region;
      for (int axis = 0; axis + 1 < tensor.rank(); ++axis) region.push_back({tensor.dim(axis) - 1, tensor.dim(axis)});
      region.push_back(part);
      std::vector<float> found(static_cast<std::size_t>(part.size()));
      tensor.read(region, found);
      const auto last = whole.end() - row;
      EXPECT_TRUE(test::same_bits(found, {last + part.begin, last + part.end})) << each.name << " " << part.begin;
    }
  }
}

TEST(Gguf, TheHeaderIsRead) {
  const std::string bytes = small().bytes();
  const GgufHeader header = parse_gguf(bytes_of(bytes), "x.gguf");
  ASSERT_EQ(header.tensors.size(), 2u);
  EXPECT_EQ(header.tensors[0].shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(header.tensors[1].type->name, std::string("Q8_0"));
  EXPECT_EQ(header.tensors[1].end, bytes.size());
  EXPECT_EQ(header.find("tokens")->count, 3u);
  EXPECT_EQ(header.find("token"), nullptr);
}

TEST(Gguf, ValuesAreReadInTheirKindsOnly) {
  const test::IoFolder folder;
  GgufWriter file;
  file.f32("f", 1e-5F).truth("t", true).u32("u", 7).field("negative", Kind::i32, GgufWriter::raw(-1));
  file.field("nan", Kind::f64, GgufWriter::raw(std::numeric_limits<double>::quiet_NaN()));
  file.list<std::int32_t>("list", Kind::i32, {3, -4}).text("text", "h\xC3\xA9").text("bytes", "\xFF");
  file.texts("texts", {"a", "\xFF"});
  test::write_bytes(folder.file("x.gguf"), file.bytes());
  const auto read = GgufFile::open(folder.file("x.gguf"));
  EXPECT_EQ(read->number("f"), 1e-5);  // and not the float32 next to it
  EXPECT_EQ(read->number("u"), 7.0);
  EXPECT_EQ(read->whole("u"), 7);
  EXPECT_EQ(read->truth("t"), true);
  EXPECT_EQ(read->text("text"), "h\xC3\xA9");
  EXPECT_EQ(read->numbers("list"), (std::vector<double>{3, -4}));
  EXPECT_EQ(read->whole("none"), std::nullopt);
  std::vector<std::string> texts;
  EXPECT_TRUE(read->each_text("texts", [&](std::string_view text) { texts.emplace_back(text); }));
  EXPECT_EQ(texts, (std::vector<std::string>{"a", "\xFF"}));
  const auto says = [&](const auto& act, const char* part) {
    const std::string sentence = refusal_of(act);
    EXPECT_TRUE(contains(sentence, part)) << sentence;
    EXPECT_TRUE(contains(sentence, "x.gguf")) << sentence;
  };
  says([&] { read->whole("negative"); }, "is -1");
  says([&] { read->whole("f"); }, "holds a number; expected a whole number");
  says([&] { read->number("nan"); }, "expected a finite number");
  says([&] { read->number("text"); }, "holds a text; expected a number");
  says([&] { read->truth("u"); }, "holds a whole number; expected a truth");
  says([&] { read->text("bytes"); }, "is no UTF-8");
  says([&] { read->numbers("texts"); }, "holds a list of texts");
  says([&] { read->each_text("list", [](std::string_view) {}); }, "holds a list of whole numbers");
}

TEST(GgufRefusals, OtherVersionsAndFormatsAreNamed) {
  GgufWriter file = small();
  for (const auto& [version, part] : {std::pair{1u, "version 1"},
                                      {2u, "version 2"},
                                      {4u, "version 4"},
                                      {0x03000000u, "big-endian"},
                                      {0u, "version 0"}}) {
    file.version = version;
    EXPECT_TRUE(contains(gguf_refused(file.bytes()), part)) << gguf_refused(file.bytes());
  }
  EXPECT_TRUE(contains(gguf_refused("PK\x03\x04...."), "a zip archive"));
  EXPECT_TRUE(contains(gguf_refused("GGML and more"), "begins with no GGUF"));
  EXPECT_TRUE(contains(gguf_refused(""), "empty"));
}

TEST(GgufRefusals, EveryTruncationIsRefused) {
  const std::string bytes = small().bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_NE(gguf_refused(bytes.substr(0, size)), "") << size;
  }
}

TEST(GgufRefusals, WhatIsEndlessIsRefusedBeforeItIsRead) {
  const auto huge = GgufWriter::raw(std::uint64_t{1} << 61);
  const auto list = GgufWriter::raw(static_cast<std::uint32_t>(Kind::text)) + huge;
  const auto says = [](GgufWriter file, const char* part) {
    EXPECT_TRUE(contains(gguf_refused(file.bytes()), part)) << gguf_refused(file.bytes());
  };
  says(GgufWriter().field("k", Kind::text, huge), "needs 2305843009213693952 bytes");
  says(GgufWriter().field("k", Kind::list, list), "ends within the 2305843009213693952 values of \"k\"");
  says(GgufWriter().field("k", Kind::list, GgufWriter::raw(static_cast<std::uint32_t>(Kind::f64)) + huge),
       "ends within");
  says(GgufWriter().field("k", Kind::list,
                          GgufWriter::raw(static_cast<std::uint32_t>(Kind::list)) + GgufWriter::raw(std::uint64_t{1})),
       "a list of lists");
  says(GgufWriter().field("k", 13u, ""), "a value of kind 13");
  std::string counts = "GGUF" + GgufWriter::raw(3u) + huge + GgufWriter::raw(std::uint64_t{0});
  EXPECT_TRUE(contains(gguf_refused(counts), "2305843009213693952 tensors")) << gguf_refused(counts);
  counts = "GGUF" + GgufWriter::raw(3u) + GgufWriter::raw(std::uint64_t{0}) + huge;
  EXPECT_TRUE(contains(gguf_refused(counts), "2305843009213693952 keys")) << gguf_refused(counts);
}

TEST(GgufRefusals, TensorsLieWhereTheyCan) {
  const std::string some(24, '\0');
  const auto says = [](const GgufWriter& file, const char* part) {
    EXPECT_TRUE(contains(gguf_refused(file.bytes()), part)) << gguf_refused(file.bytes());
  };
  says(GgufWriter().tensor("a", {6}, "F32", some, 32), "has the bytes 32 to 56, but the file has 24");
  says(GgufWriter().tensor("a", {6}, "F32", some, 8), "expected a multiple of 32");
  says(GgufWriter().tensor("a", {6}, "F32", some).tensor("b", {6}, "F32", some, 0), "overlap");
  says(GgufWriter().tensor("a", {6}, "F32", some).tensor("a", {6}, "F32", some), "\"a\" stands twice");
  says(GgufWriter().u32("k", 1).u32("k", 1), "the key \"k\" stands twice");
  says(GgufWriter().tensor("a", {std::int64_t{1} << 40, std::int64_t{1} << 40}, "F32", some), "larger than any file");
  says(GgufWriter().tensor("a", {6, 0}, "F32", some), "a size of 0");
  says(GgufWriter().tensor("a", {1, 1, 1, 1, 6}, "F32", some), "has 5 axes; expected 1 to 4");
  says(GgufWriter().tensor("a", {}, "F32", some), "has 0 axes");
  says(GgufWriter().tensor("a", {2, 40}, "Q8_0", some), "rows of 40 numbers; expected a multiple of 32");
  says(GgufWriter().tensor_of_type("a", {6}, 31, some), "is of type 31, which is not known");
  says(GgufWriter().tensor("\xFF", {6}, "F32", some), "is no text");
  says(GgufWriter().tensor("", {6}, "F32", some), "has 0 bytes");
  says(GgufWriter().u32("general.alignment", 12), "expected a multiple of 8");
  says(GgufWriter().u32("general.alignment", 0), "expected a multiple of 8");
  says(GgufWriter().text("general.alignment", "32"), "general.alignment is a text");
}

TEST(GgufRefusals, ATypeThatIsKnownByNameOnlyIsRefusedWhenItIsRead) {
  const test::IoFolder folder;
  test::write_bytes(folder.file("x.gguf"),
                    GgufWriter().tensor("a", {1, 256}, "IQ2_XXS", std::string(66, '\0')).bytes());
  const auto file = GgufFile::open(folder.file("x.gguf"));
  const std::string sentence = refusal_of([&] { file->tensor(file->header().tensors[0]); });
  EXPECT_TRUE(contains(sentence, "\"a\" is IQ2_XXS; expected F32, F16, BF16, Q8_0")) << sentence;
}

TEST(Gguf, AnotherAlignmentMovesTheTensors) {
  GgufWriter file;
  file.alignment = 8;
  file.u32("general.alignment", 8)
      .tensor("a", {1}, "F32", GgufWriter::raw(1.5F))
      .tensor("b", {1}, "F32", GgufWriter::raw(2.5F));
  const test::IoFolder folder;
  test::write_bytes(folder.file("x.gguf"), file.bytes());
  const auto read = GgufFile::open(folder.file("x.gguf"));
  EXPECT_EQ(read->tensor(read->header().tensors[0]).values(), (std::vector<float>{1.5F}));
  EXPECT_EQ(read->tensor(read->header().tensors[1]).values(), (std::vector<float>{2.5F}));
}

TEST(Gguf, APathMeansAFile) {
  const test::IoFolder folder;
  const auto at = [&](const std::string& name) { return folder.file(name); };
  EXPECT_EQ(gguf_path_of(folder.path()), "");
  EXPECT_EQ(gguf_path_of(at("missing.gguf")), at("missing.gguf"));
  test::write_bytes(at("sha256-1"), small().bytes());
  EXPECT_EQ(gguf_path_of(at("sha256-1")), at("sha256-1"));
  test::write_bytes(at("config.json"), "{}");
  EXPECT_EQ(gguf_path_of(at("config.json")), "");
  test::write_bytes(at("a.gguf"), small().bytes());
  EXPECT_EQ(gguf_path_of(folder.path()), at("a.gguf"));
  test::write_bytes(at("b.gguf"), small().bytes());
  EXPECT_TRUE(contains(refusal_of([&] { gguf_path_of(folder.path()); }), "2 GGUF models: a.gguf, b.gguf"));
  test::write_bytes(at("model.safetensors"), "");
  EXPECT_EQ(gguf_path_of(folder.path()), "");
}

}  // namespace
}  // namespace headscope
