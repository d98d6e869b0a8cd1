// What the digest of a folder of captures tells apart.
#include "core/corpus/capture_list.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/corpus/capture_digest.h"
#include "core/corpus/scan_job.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/core/corpus/made_captures.h"

namespace headscope {
namespace {

const test::Metadata kNamed = {{"tokens", "[\"a\",\"b\"]"}, {"causal", "true"}};

class CaptureLists : public testing::Test {
 protected:
  // Row 0 of the only head is [1, 0], row 1 [w, 1 - w].
  void write(const std::string& name, float w, const test::Metadata& metadata = kNamed) const {
    const Tensor weights =
        Tensor::of({1, 1, 2, 2}, {Axis::batch, Axis::head, Axis::query, Axis::key}, {1, 0, w, 1 - w});
    test::write_tensors(folder_ / (name + ".safetensors"), {{"layers.0.weights", &weights}}, metadata);
  }
  std::string digest(const std::string& folder) const { return CaptureList::open(folder_ / folder).sha256(); }
  // As a capture of one tensor of so many float32.
  static std::string digest_of(const std::vector<float>& values) {
    SafetensorsHeader header;
    header.entries = {{"layers.0.weights", "F32", {static_cast<std::int64_t>(values.size())}, 0, values.size() * 4}};
    Sha256 sha;
    add_capture(sha, std::as_bytes(std::span(values)), header);
    return sha.hex();
  }
  TemporaryFolder folder_;
};

TEST_F(CaptureLists, OtherNumbersAreAnotherList) {
  for (const char* name : {"a/0", "b/0", "same/0"}) write(name, 0.5F);
  write("a/1", 0.25F);
  write("same/1", 0.25F);
  write("b/1", 0.75F);
  EXPECT_EQ(digest("a"), digest("same"));
  EXPECT_NE(digest("a"), digest("b"));
}

TEST_F(CaptureLists, AStateOfReplacedCapturesIsRefused) {
  for (const char* name : {"c/0", "c/1", "c/2"}) write(name, 0.5F);
  ScanJob job;
  job.out = folder_ / "x.hsagg";
  CancelToken cancel;
  int calls = 0;
  job.progress = [&](const ScanProgress&) {
    if (++calls > 1) cancel.cancel();
  };
  EXPECT_THROW(run_scan(job, CaptureList::open(folder_ / "c"), cancel), Cancelled);
  write("c/0", 0.125F);
  job.progress = {};
  EXPECT_THROW(run_scan(job, CaptureList::open(folder_ / "c"), {}), UsageError);
  write("c/0", 0.5F);
  EXPECT_EQ(run_scan(job, CaptureList::open(folder_ / "c"), {}).phrases, 3);
}

TEST_F(CaptureLists, EveryNumberOfSmallOnesIsInTheDigest) {
  std::vector<float> values(kWholeCapture / 4, 0.5F);
  const std::string plain = digest_of(values);
  for (std::size_t at = 0; at < values.size(); at += 10'007) {
    values[at] = 0.25F;
    ASSERT_NE(digest_of(values), plain) << at;
    values[at] = 0.5F;
  }
  EXPECT_EQ(digest_of(values), plain);
}

TEST_F(CaptureLists, OfLargeOnesPagesFromTheFirstToTheLastNumber) {
  std::vector<float> values(kWholeCapture / 4 + 1000, 0.5F);
  const std::string plain = digest_of(values);
  const std::size_t page = kCapturePage / 4, last = values.size() * 4 - kCapturePage;
  std::vector<std::size_t> read = {0, page - 1, values.size() - page, values.size() - 1};
  for (std::size_t k = 1; k + 1 < kCapturePages; ++k) read.push_back(last * k / (kCapturePages - 1) / 4 + page / 2);
  for (const std::size_t at : read) {
    values[at] = 0.25F;
    EXPECT_NE(digest_of(values), plain) << at;
    values[at] = 0.5F;
  }
  values[page] = 0.25F;
  EXPECT_EQ(digest_of(values), plain) << "between the pages nothing is read";
  for (float& value : values) value *= 1.01F;
  EXPECT_NE(digest_of(values), plain);
}

TEST_F(CaptureLists, TokensBesideACaptureArePartOfIt) {
  for (const char* name : {"a/0", "b/0", "c/0"}) write(name, 0.5F, {});
  folder_.write("a/0.tokens.txt", "x\ny\n");
  folder_.write("b/0.tokens.txt", "x\nz\n");
  EXPECT_NE(digest("a"), digest("b"));
  EXPECT_NE(digest("a"), digest("c"));
  const CaptureList list = CaptureList::open(folder_ / "a");
  EXPECT_NO_THROW(list.check_unchanged(0));
  folder_.write("a/0.tokens.txt", "x\nyy\n");
  EXPECT_THROW(list.check_unchanged(0), Error);
  write("d/0", 0.5F);
  const std::string named = digest("d");
  folder_.write("d/0.tokens.txt", "x\nz\n");
  EXPECT_EQ(digest("d"), named) << "the file names its tokens itself";
}

}  // namespace
}  // namespace headscope
