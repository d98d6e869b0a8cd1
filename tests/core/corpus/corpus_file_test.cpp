#include "core/corpus/corpus_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "core/base/error.h"
#include "core/corpus/head_table.h"
#include "core/io/files_read.h"
#include "core/io/safetensors.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/core/corpus/made_records.h"

namespace headscope {
namespace {

std::string small_file() {
  CorpusRecord record = test::made_record(1, 6, {1, 4});
  test::drop_last_head(record);
  return corpus_file_bytes(record);
}

CorpusRecord parsed(const std::string& bytes) {
  return parse_corpus_file(std::as_bytes(std::span(bytes)), "x.hsagg");
}

// What a refusal says; "" when there was none.
std::string refusal(const std::string& bytes) {
  try {
    parsed(bytes);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

// The same file with another text in it and the right checksum.
std::string with(std::string bytes, const std::string& before, const std::string& after) {
  EXPECT_EQ(before.size(), after.size());
  const std::size_t at = bytes.find(before);
  EXPECT_NE(at, bytes.npos) << before;
  if (at != bytes.npos) bytes.replace(at, after.size(), after);
  const auto place = corpus_checksum_place(std::as_bytes(std::span(bytes)));
  if (place) bytes.replace(*place, kChecksumDigits, corpus_checksum(std::as_bytes(std::span(bytes)), *place));
  return bytes;
}

TEST(CorpusFile, ReadsBackAsItWasWritten) {
  const TemporaryFolder folder;
  for (const CorpusRecord& record : {test::made_record(3, 50, {0, 50}), test::made_record(2, 50, {7, 20}),
                                     test::empty_record(1, 0), test::empty_record(2, 5)}) {
    write_corpus_file(folder / "x.hsagg", record);
    EXPECT_EQ(read_corpus_file(folder / "x.hsagg"), record);
    forget_files_read();  // the next one is another program's
  }
}

TEST(CorpusFile, OneWithoutPatternsIsReadAndStaysOne) {
  CorpusRecord record = test::made_record(2, 6, {1, 4});
  record.facts.patterns = false;
  record.facts.architecture.clear();
  for (HeadRecord& head : record.heads) head.pattern = {};
  const std::string bytes = corpus_file_bytes(record);
  EXPECT_NE(bytes.find("\"version\":\"2\""), bytes.npos);
  EXPECT_EQ(bytes.find("pattern.rows"), bytes.npos);
  EXPECT_EQ(parse_corpus_file(std::as_bytes(std::span(bytes)), "old"), record);
  CorpusRecord newer = test::made_record(2, 6, {4, 6});
  newer.facts.architecture.clear();
  EXPECT_NE(difference_of(record, newer).find("mean pattern"), std::string::npos);
  EXPECT_TRUE(head_table(record).patterns.empty());
}

TEST(CorpusFile, OneThatDoesNotKnowTheModelsSettingsIsReadAndStaysOne) {
  CorpusRecord record = test::made_record(2, 6, {1, 4});
  EXPECT_NE(corpus_file_bytes(record).find("\"version\":\"4\""), std::string::npos);
  record.facts.architecture.clear();
  const std::string bytes = corpus_file_bytes(record);
  EXPECT_NE(bytes.find("\"version\":\"3\""), bytes.npos);
  EXPECT_EQ(bytes.find("architecture"), bytes.npos);
  EXPECT_EQ(parsed(bytes), record);
  const CorpusRecord newer = test::made_record(2, 6, {4, 6});
  EXPECT_NE(difference_of(record, newer).find("not known (an older file), there they are"), std::string::npos);
  EXPECT_NE(difference_of(newer, record).find("known, there they are not"), std::string::npos);
  CorpusRecord other = newer;
  other.facts.architecture.clear();
  EXPECT_EQ(difference_of(record, other), "") << "as before where neither says it";
  add(record, other);
  EXPECT_EQ(parsed(corpus_file_bytes(record)), record);
}

TEST(CorpusFile, ThoseThatAreShippedAreRead) {
  for (const char* name : {"stories", "pronouns"}) {
    const CorpusRecord record = read_corpus_file(std::string(HEADSCOPE_SOURCE_DIR "/assets/corpus/") + name + ".hsagg");
    EXPECT_GT(record.phrases, 0) << name;
  }
}

TEST(CorpusFile, IsASafetensorsFile) {
  const TemporaryFolder folder;
  const CorpusRecord record = test::made_record(3, 50, {0, 50});
  write_corpus_file(folder / "x.hsagg", record);
  const SafetensorsFile file = SafetensorsFile::open(folder / "x.hsagg");
  EXPECT_TRUE(is_corpus(file.metadata()));
  EXPECT_EQ(file.tensor(*file.find("rows")).values()[0], static_cast<float>(record.heads[0].rows));
  EXPECT_EQ(file.tensor(*file.find("top.value")).values()[0], record.heads[0].top[0].value);
}

TEST(CorpusFile, AFlippedByteAnywhereIsRefusedAndNamesTheFile) {
  const std::string whole = small_file();
  ASSERT_EQ(refusal(whole), "");
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int flip : {0x01, 0x20, 0xff}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ flip);
      EXPECT_NE(refusal(bytes).find("x.hsagg"), std::string::npos) << "byte " << at << ": " << refusal(bytes);
    }
  }
}

TEST(CorpusFile, ATruncatedOneIsRefused) {
  const std::string whole = small_file();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(refusal(whole.substr(0, size)).find("x.hsagg"), std::string::npos) << size;
  }
  EXPECT_NE(refusal(whole + "x"), "");
}

TEST(CorpusFile, LiesWithTheRightChecksumAreRefused) {
  const std::string whole = small_file();
  EXPECT_EQ(refusal(with(whole, "headscope-corpus", "headscope-corpus")), "");
  for (const auto& [before, after, said] :
       std::vector<std::array<std::string, 3>>{{"headscope-corpus", "headscope-chorus", "no .hsagg"},
                                               {"\"version\":\"4\"", "\"version\":\"1\"", "version"},
                                               {"\"version\":\"4\"", "\"version\":\"2\"", "tensors"},
                                               {"\"architecture\":", "\"architectura\":", "no architecture"},
                                               {"\"phrase_loss\":\"1\"", "\"phrase_loss\":\"2\"", "phrase_loss"},
                                               {"\"phrase_loss\":\"1\"", "\"phrase_lost\":\"1\"", "tensors"},
                                               {"\"phrases\":\"3\"", "\"phrases\":\"2\"", "add up"},
                                               {"\"phrases\":\"3\"", "\"phrases\":\"x\"", "whole number"},
                                               {"\"scanned\":\"1:4\"", "\"scanned\":\"1:9\"", "ranges"},
                                               {"\"scanned\":\"1:4\"", "\"scanned\":\"4:1\"", "ranges"},
                                               {"2^-40", "2^-41", "step"},
                                               {"\"repeated\":\"5\"", "\"repeated\":\"0\"", "repeated tokens"},
                                               {"previous,next,duplicate,i", "previous,next,duplicate,x", "repeated_m"},
                                               {"entropy,distance", "entropy,distancf", "metrics"},
                                               {"\"0,0.05,", "\"0,0.04,", "edges"},
                                               {"\"list_size\":\"6\"", "\"list_size\":\"2\"", "ranges"},
                                               {"\"points\":\"6\"", "\"points\":\"0\"", "whole number"},
                                               {"\"points\":\"6\"", "\"pointx\":\"6\"", "tensors"},
                                               {"\"3,3,2,0\"", "\"3,2,2,0\"", "dtype or shape"},
                                               {"\"3,3,2,0\"", "\"3,3,0,2\"", "no tensor"},
                                               {"\"3,3,2,0\"", "\"0,0,0,0\"", "vector_sizes"},
                                               {"points.hash", "points.hasx", "points.hash"},
                                               {"top.key", "top.kex", "top.key"},
                                               {"\"U64\"", "\"I64\"", "dtype"}}) {
    EXPECT_NE(refusal(with(whole, before, after)).find(said), std::string::npos)
        << after << ": " << refusal(with(whole, before, after));
  }
}

TEST(CorpusFile, TokensOfAWholeScanAreTheMostFrequent) {
  CorpusRecord record = test::made_record(1, 90, {0, 90});
  EXPECT_EQ(record.heads[0].key_tokens.all().size(), kKeptTokens);
  EXPECT_EQ(refusal(corpus_file_bytes(record)), "");
  for (std::uint64_t token = 0; token < 200 && record.heads[0].key_tokens.all().size() <= kKeptTokens; ++token) {
    if (!record.words.contains(token)) continue;
    record.heads[0].key_tokens.add(token);
    ++record.heads[0].pointing;
  }
  EXPECT_NE(refusal(corpus_file_bytes(record)), "");
}

TEST(CorpusFile, NumbersThatDoNotFitEachOtherAreRefused) {
  const auto refused = [](const auto& change) {
    CorpusRecord record = test::made_record(1, 6, {1, 4});
    EXPECT_EQ(refusal(corpus_file_bytes(record)), "");
    change(record, record.heads[0]);
    EXPECT_NE(refusal(corpus_file_bytes(record)), "");
  };
  refused([](CorpusRecord&, HeadRecord& head) { head.rows = 1000; });
  refused([](CorpusRecord&, HeadRecord& head) { head.counts[2] = head.rows + 1; });
  refused([](CorpusRecord&, HeadRecord& head) { ++head.histograms[0][3]; });
  refused([](CorpusRecord&, HeadRecord& head) { head.histograms[0][3] += ~std::uint64_t{0} - 1; });
  refused([](CorpusRecord&, HeadRecord& head) { std::swap(head.top[0], head.top[1]); });
  refused([](CorpusRecord&, HeadRecord& head) { head.top[0].phrase = 6; });
  refused([](CorpusRecord&, HeadRecord& head) { head.top[0].query = 16; });
  refused([](CorpusRecord&, HeadRecord& head) { head.top[0].value = NAN; });
  refused([](CorpusRecord&, HeadRecord& head) { head.layer = 5; });
  const auto some = [](HeadRecord& head) -> std::vector<CorpusExample>& {
    return *std::find_if(head.samples.begin(), head.samples.end(), [](const auto& rows) { return !rows.empty(); });
  };
  refused([&](CorpusRecord&, HeadRecord& head) { some(head)[0].query = 16; });
  refused([&](CorpusRecord&, HeadRecord& head) { some(head)[0].value = some(head)[0].value < 0.5F ? 0.95F : 0.05F; });
  refused([&](CorpusRecord&, HeadRecord& head) { some(head).push_back(some(head)[0]); });
  refused([](CorpusRecord& record, HeadRecord&) { record.facts.repeated = 0; });
  refused([](CorpusRecord&, HeadRecord& head) { head.pattern.rows[0] += head.rows; });
  refused([](CorpusRecord&, HeadRecord& head) {
    head.pattern.rows[0] = 0;
    head.pattern.sums[0].add(1);
  });
  refused([](CorpusRecord& record, HeadRecord&) { record.phrase_loss_tokens = 1000; });
  refused([](CorpusRecord& record, HeadRecord&) { record.phrase_loss_tokens = 0; });
  refused([](CorpusRecord& record, HeadRecord&) { record.facts.ablation_sample = 0; });
  refused([](CorpusRecord& record, HeadRecord&) { record.loss_tokens = 0; });
  refused([](CorpusRecord& record, HeadRecord&) { record.loss_tokens = 1000; });
  refused([](CorpusRecord&, HeadRecord& head) { head.repeated.counts[1] = head.repeated.rows + 1; });
  refused([](CorpusRecord&, HeadRecord& head) { head.repeated.rows = ~std::uint64_t{0}; });
  refused([](CorpusRecord&, HeadRecord& head) { head.pointing = head.rows + 1; });
  refused([](CorpusRecord&, HeadRecord& head) { ++head.pointing; });
  refused([](CorpusRecord&, HeadRecord& head) { head.query_tokens.add(1); });
  refused([](CorpusRecord&, HeadRecord& head) { head.key_tokens.clear(); });
  refused([](CorpusRecord& record, HeadRecord&) { record.words.erase(record.words.begin()); });
  refused([](CorpusRecord& record, HeadRecord&) { record.words.emplace(1000, "x"); });
  refused([](CorpusRecord& record, HeadRecord&) { record.words.begin()->second = "\xff"; });
  refused([](CorpusRecord& record, HeadRecord&) { record.tokens = 1; });
  refused([](CorpusRecord& record, HeadRecord&) { record.heads.clear(); });
}

}  // namespace
}  // namespace headscope
