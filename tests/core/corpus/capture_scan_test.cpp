// Captures that our own demo wrote give the numbers of the demo, to the bit; what is none is named and passed over.
#include "core/corpus/capture_scan.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/corpus/corpus_file.h"
#include "core/corpus/scan_job.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/core/corpus/made_captures.h"
#include "tests/core/corpus/made_records.h"

namespace headscope {
namespace {

constexpr const char* kScanModel = "demo:induction";
const std::vector<std::string> kPhrases = {"cat box ink cat box", "fox", "jam jam pen hat jam jam pen", "ink cat cat"};

Tensor weights_of(const Shape& shape, const std::vector<float>& values) {
  return Tensor::of(shape, {Axis::batch, Axis::head, Axis::query, Axis::key}, values);
}

class Captures : public testing::Test {
 protected:
  ScanOptions options(std::int64_t most_tokens = 6) const {
    ScanOptions options;
    options.model = kScanModel;
    options.most_tokens = most_tokens;
    options.threads = 1;
    return options;
  }
  // What scan --model says of the phrases, without the model's settings, which no capture names.
  CorpusRecord of_model() const {
    std::string lines;
    for (const std::string& phrase : kPhrases) lines += phrase + "\n";
    const PhraseList list = PhraseList::of_text(lines);
    PhraseScan scan(options(), {});
    CorpusRecord record = scan.new_record(list);
    list.visit({0, list.size()}, [&](const ListedPhrase& phrase) { scan.add(phrase, record, {}); });
    record.facts.architecture.clear();
    return record;
  }
  void write(const CorpusFacts& facts, bool as_weights, bool says_causal = true) const {
    for (std::size_t k = 0; k < kPhrases.size(); ++k) {
      test::write_demo_capture(folder_ / ("c/" + std::to_string(k) + ".safetensors"), kPhrases[k], facts, as_weights,
                               says_causal);
    }
  }
  CaptureList list() const { return CaptureList::open(folder_ / "c"); }
  CorpusRecord scanned(const CaptureList& list, Range range, const ScanOptions& options) const {
    CaptureScan scan(options, list);
    CorpusRecord record = scan.new_record();
    for (std::int64_t k = range.begin; k < range.end; ++k) EXPECT_EQ(scan.add(k, record, {}), "");
    return record;
  }
  TemporaryFolder folder_;
};

TEST_F(Captures, GiveTheBytesOfTheModelApartFromWhatNamesTheList) {
  const CorpusRecord wanted = of_model();
  for (const bool as_weights : {true, false}) {
    write(wanted.facts, as_weights);
    const CaptureList captures = list();
    ASSERT_EQ(captures.size(), static_cast<std::int64_t>(kPhrases.size()));
    CorpusRecord found = scanned(captures, {0, captures.size()}, options());
    EXPECT_NE(found.facts.list_sha256, wanted.facts.list_sha256);
    found.facts.list_sha256 = wanted.facts.list_sha256;
    EXPECT_EQ(found, wanted) << (as_weights ? "weights" : "queries and keys");
    EXPECT_EQ(corpus_file_bytes(found), corpus_file_bytes(wanted));
  }
}

TEST_F(Captures, OfWeightsAloneZerosForLaterKeysSayThatTheyAreCausal) {
  CorpusRecord wanted = of_model();
  write(wanted.facts, true, false);
  const CaptureList captures = list();
  const CorpusRecord found = scanned(captures, {0, captures.size()}, options());
  wanted.facts.list_sha256 = found.facts.list_sha256;
  EXPECT_EQ(found, wanted);
  EXPECT_EQ(captures.unmasked(), 0);
  write(wanted.facts, false, false);
  EXPECT_EQ(list().unmasked(), captures.size()) << "queries and keys say nothing of themselves";
  write(wanted.facts, false, true);
  EXPECT_EQ(list().unmasked(), 0);
}

TEST_F(Captures, AnyShardsGiveTheSameBytes) {
  write(of_model().facts, true);
  const CaptureList captures = list();
  const std::string whole = corpus_file_bytes(scanned(captures, {0, captures.size()}, options()));
  for (std::int64_t shards = 1; shards <= 5; ++shards) {
    CorpusRecord sum = scanned(captures, shard_of(captures.size(), shards - 1, shards), options());
    for (std::int64_t k = 0; k + 1 < shards; ++k) {
      add(sum, scanned(captures, shard_of(captures.size(), k, shards), options()));
    }
    EXPECT_EQ(corpus_file_bytes(sum), whole) << shards << " shards";
  }
}

TEST_F(Captures, SomeHeadsAreThoseOfAllAndOthersAreRefused) {
  write(of_model().facts, true);
  const CaptureList captures = list();
  const CorpusRecord all = scanned(captures, {0, 2}, options());
  ScanOptions some = options();
  some.layers = {1};
  some.heads = {3, 0};
  const CorpusRecord part = scanned(captures, {0, 2}, some);
  ASSERT_EQ(part.heads.size(), 2u);
  EXPECT_EQ(part.heads[1], all.heads[all.heads.size() / 2 + 3]);
  some.layers = {2};
  EXPECT_THROW(CaptureScan(some, captures), UsageError);
  some.layers = {0};
  some.heads = {8};
  EXPECT_THROW(CaptureScan(some, captures), UsageError);
}

// One more file in the folder, of one layer and head.
struct Lie {
  std::string said;
  std::vector<float> weights = {1, 0, 0.5F, 0.5F};
  Shape shape = {1, 1, 2, 2};
  test::Metadata metadata = {{"tokens", "[\"a\",\"b\"]"}, {"causal", "true"}};
};

TEST_F(Captures, WhatIsNoPhraseIsNamedAndCounted) {
  const Shape batch = {2, 1, 2, 2}, wide = {1, 1, 1, 4};
  const std::vector<Lie> lies = {
      {""},
      {"batch of 2", {1, 0, 0.5F, 0.5F, 1, 0, 0.5F, 0.5F}, batch, {{"tokens", "[\"a\",\"b\"]"}}},
      {"names no tokens", {1, 0, 0.5F, 0.5F}, {1, 1, 2, 2}, {}},
      {"expected the 1 tokens as both", {0.25F, 0.25F, 0.25F, 0.25F}, wide, {{"tokens", "[\"a\"]"}}},
      {"add up to 1", {1, 0, 0.5F, 0.7F}},
      {"below 0", {1, 0, -0.5F, 1.5F}},
      {"hides cells", {0.5F, 0.5F, 0.5F, 0.5F}},
      {"expected as many", {1, 0, 0.5F, 0.5F}, {1, 1, 2, 2}, {{"tokens", "[\"a\",\"b\"]"}, {"token_ids", "[1]"}}},
      {"whole number", {1, 0, 0.5F, 0.5F}, {1, 1, 2, 2}, {{"tokens", "[\"a\",\"b\"]"}, {"token_ids", "[1,-1]"}}},
      {"at most 2",
       {1, 0, 0, 0.5F, 0.5F, 0, 0.5F, 0.5F, 0},
       {1, 1, 3, 3},
       {{"tokens", "[\"a\",\"b\",\"c\"]"}, {"causal", "true"}}}};
  for (std::size_t k = 0; k < lies.size(); ++k) {
    const Tensor weights = weights_of(lies[k].shape, lies[k].weights);
    test::write_tensors(folder_ / ("c/" + std::to_string(k) + ".safetensors"), {{"layers.0.weights", &weights}},
                        lies[k].metadata);
  }
  folder_.write("c/cut.safetensors", bytes_of(folder_ / "c/0.safetensors").substr(0, 90));
  folder_.write("c/.hidden.safetensors", "x");
  folder_.write("c/notes.txt", "x");
  const CaptureList captures = list();
  ASSERT_EQ(captures.size(), static_cast<std::int64_t>(lies.size()) + 1);
  CaptureScan scan(options(2), captures);
  CorpusRecord record = scan.new_record();
  for (std::size_t k = 0; k < lies.size(); ++k) {
    const std::string why = scan.add(static_cast<std::int64_t>(k), record, {});
    EXPECT_NE(why.find(lies[k].said), std::string::npos) << k << ": " << why;
    EXPECT_EQ(why.empty(), k == 0) << why;
  }
  EXPECT_NE(scan.add(captures.size() - 1, record, {}).find("cut.safetensors"), std::string::npos);
  EXPECT_EQ(record.phrases, 1);
  EXPECT_EQ(record.unreadable, static_cast<std::int64_t>(lies.size()));
  EXPECT_EQ(record.tokens, 2);
  EXPECT_EQ(record.heads[0].mean(CorpusMetric::max_weight), 0.5);
}

TEST_F(Captures, OfTwoModelsAreRefusedByName) {
  CorpusFacts facts = of_model().facts;
  const auto refused = [&](const char* part) {
    try {
      list();
      ADD_FAILURE() << part;
    } catch (const UsageError& error) {
      const std::string what = error.what();
      EXPECT_NE(what.find("0.safetensors"), std::string::npos) << what;
      EXPECT_NE(what.find("4.safetensors"), std::string::npos) << what;
      EXPECT_NE(what.find(part), std::string::npos) << what;
    }
  };
  write(facts, true);
  CorpusFacts other = facts;
  other.sha256 = std::string(64, '0');
  test::write_demo_capture(folder_ / "c/4.safetensors", "cat box", other, true);
  refused("sha256");
  other = facts;
  other.tokenizer = "BPE";
  test::write_demo_capture(folder_ / "c/4.safetensors", "cat box", other, true);
  refused("tokenizer");
  const Tensor weights = weights_of({1, 1, 1, 1}, {1});
  test::write_tensors(
      folder_ / "c/4.safetensors", {{"layers.0.weights", &weights}},
      {{"model", facts.model}, {"model_sha256", facts.sha256}, {"tokenizer", facts.tokenizer}, {"tokens", "[\"a\"]"}});
  refused("heads");
}

TEST_F(Captures, AFolderWithoutOneIsRefused) {
  EXPECT_THROW(CaptureList::open(folder_ / "none"), Error);
  folder_.write("c/a.safetensors", "not one");
  EXPECT_THROW(list(), Error);
  folder_.write("d/notes.txt", "x");
  EXPECT_THROW(CaptureList::open(folder_ / "d"), Error);
}

TEST_F(Captures, EndedAndContinuedGivesTheBytesOfOneThatRanThrough) {
  write(of_model().facts, false);
  const CaptureList captures = list();
  ScanJob job;
  job.options = options();
  job.out = folder_ / "whole.hsagg";
  run_scan(job, captures, {});
  job.out = folder_ / "x.hsagg";
  int calls = 0;
  CancelToken cancel;
  job.progress = [&](const ScanProgress&) {
    if (++calls > 2) cancel.cancel();
  };
  EXPECT_THROW(run_scan(job, captures, cancel), Cancelled);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "x.hsagg.part"));
  job.progress = {};
  run_scan(job, captures, {});
  EXPECT_EQ(bytes_of(folder_ / "x.hsagg"), bytes_of(folder_ / "whole.hsagg"));
}

TEST_F(Captures, OneThatWasReplacedEndsTheScan) {
  write(of_model().facts, true);
  const CaptureList captures = list();
  CaptureScan scan(options(), captures);
  CorpusRecord record = scan.new_record();
  test::write_demo_capture(folder_ / "c/0.safetensors", "cat box ink cat box cat", of_model().facts, false);
  EXPECT_THROW(scan.add(0, record, {}), Error);
  EXPECT_EQ(record, scan.new_record());
}

}  // namespace
}  // namespace headscope
