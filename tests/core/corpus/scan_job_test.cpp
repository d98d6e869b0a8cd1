// A scan that is ended and goes on.
#include "core/corpus/scan_job.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/corpus/corpus_file.h"
#include "core/io/files_read.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/core/corpus/changed_demo.h"
#include "tests/core/corpus/made_records.h"

namespace headscope {
namespace {

class ScanJobs : public testing::Test {
 protected:
  ScanJob job(const std::string& out) const {
    ScanJob job;
    job.options.model = "demo:induction";
    job.options.threads = 1;
    job.out = folder_ / out;
    return job;
  }
  // Runs it until so many phrases are done; whether it came to its end.
  bool ran(ScanJob job, int phrases) {
    CancelToken cancel;
    int calls = 0;
    job.progress = [&](const ScanProgress&) {
      if (++calls > phrases) cancel.cancel();
    };
    try {
      run_scan(job, list_, cancel);
      return true;
    } catch (const Cancelled&) {
      return false;
    }
  }
  TemporaryFolder folder_;
  PhraseList list_ = PhraseList::of_text(test::demo_lines(12));
};

TEST_F(ScanJobs, EndedAndContinuedGivesTheBytesOfOneThatRanThrough) {
  run_scan(job("whole.hsagg"), list_, {});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "whole.hsagg.part"));
  for (const double between : {0.0, 60.0}) {
    ScanJob often = job("often.hsagg");
    often.between = std::chrono::duration<double>(between);
    int ends = 0;
    while (!ran(often, 2)) {
      ++ends;
      EXPECT_TRUE(std::filesystem::exists(folder_ / "often.hsagg.part"));
      EXPECT_FALSE(std::filesystem::exists(folder_ / "often.hsagg"));
      ASSERT_LT(ends, 20);
    }
    EXPECT_GT(ends, 3);
    EXPECT_EQ(bytes_of(folder_ / "often.hsagg"), bytes_of(folder_ / "whole.hsagg"));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "often.hsagg.part"));
    std::filesystem::remove(folder_ / "often.hsagg");
  }
}

TEST_F(ScanJobs, AStateOfAnotherScanIsRefused) {
  ASSERT_FALSE(ran(job("x.hsagg"), 3));
  const std::string state = bytes_of(folder_ / "x.hsagg.part");
  const auto refused = [&](const auto& change, const char* said) {
    ScanJob other = job("x.hsagg");
    change(other);
    try {
      run_scan(other, list_, {});
      ADD_FAILURE() << said;
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find(said), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("x.hsagg.part"), std::string::npos) << error.what();
    }
    EXPECT_EQ(bytes_of(folder_ / "x.hsagg.part"), state);
  };
  refused([](ScanJob& other) { other.options.model = "demo:pronouns"; }, "model");
  refused([](ScanJob& other) { other.options.most_tokens = 4; }, "--tokens");
  refused([](ScanJob& other) { other.options.layers = {1}; }, "heads");
  refused([](ScanJob& other) { other.shard = 1, other.shards = 2; }, "phrases are 6:12");
  const PhraseList list = PhraseList::of_text(test::demo_lines(13));
  EXPECT_THROW(run_scan(job("x.hsagg"), list, {}), UsageError);
}

TEST_F(ScanJobs, AStateOfTheSameWeightsWithOtherSettingsIsRefused) {
  ScanJob changed = job("x.hsagg");
  changed.options.model = test::copied_demo("induction", folder_ / "model");
  ASSERT_FALSE(ran(changed, 3));
  test::change_json(folder_ / "model/config.json", [](auto& config) { config["layer_norm_eps"] = 0.5; });
  try {
    run_scan(changed, list_, {});
    ADD_FAILURE();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("norm_eps is 0.5, there"), std::string::npos) << error.what();
  }
}

// What was done when the model's files changed is there when they are as they were.
TEST_F(ScanJobs, AnErrorKeepsWhatWasCounted) {
  ScanJob job_of = job("x.hsagg");
  job_of.options.model = test::copied_demo("induction", folder_ / "model");
  const std::string config = bytes_of(folder_ / "model/config.json");
  int calls = 0;
  std::string left;
  job_of.progress = [&](const ScanProgress&) {
    if (++calls == 5) folder_.write("model/config.json", config + "\n");
  };
  job_of.left = [&](const std::string& state) { left = state; };
  EXPECT_THROW(run_scan(job_of, list_, {}), Error);
  EXPECT_EQ(left, folder_ / "x.hsagg.part");
  const CorpusRecord state = read_corpus_file(folder_ / "x.hsagg.part");
  EXPECT_EQ(state.scanned.text(), "0:4");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x.hsagg"));
  folder_.write("model/config.json", config);
  job_of.progress = {};
  forget_files_read();  // the same command again
  run_scan(job_of, list_, {});
  job_of.out = folder_ / "whole.hsagg";
  run_scan(job_of, list_, {});
  EXPECT_EQ(bytes_of(folder_ / "x.hsagg"), bytes_of(folder_ / "whole.hsagg"));
}

TEST_F(ScanJobs, AnErrorBeforeTheFirstPhraseKeepsNothing) {
  ScanJob job_of = job("x.hsagg");
  job_of.progress = [](const ScanProgress&) { throw Error("no disk"); };
  EXPECT_THROW(run_scan(job_of, list_, {}), Error);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x.hsagg.part"));
}

// A vocabulary of the folder that is larger than the model's.
TEST_F(ScanJobs, ATokenThatTheModelLacksIsItsPhrasesProblem) {
  ScanJob job_of = job("x.hsagg");
  job_of.options.model = test::copied_demo("induction", folder_ / "model");
  test::change_json(folder_ / "model/tokenizer.json", [](auto& json) { json["model"]["vocab"]["zebra"] = 61; });
  job_of.options.most_tokens = 4;
  std::vector<std::string> problems;
  job_of.unreadable = [&](std::int64_t index, const std::string& why) {
    problems.push_back(std::to_string(index) + ": " + why);
  };
  const PhraseList list = PhraseList::of_text("cat box\ncat zebra\nfox\ncat cat box fox zebra\n");
  const CorpusRecord record = run_scan(job_of, list, {});
  ASSERT_EQ(problems.size(), 1u) << "the last zebra is beyond the tokens that are read";
  EXPECT_TRUE(problems[0].starts_with("1: ")) << problems[0];
  EXPECT_NE(problems[0].find("the id 61"), std::string::npos) << problems[0];
  EXPECT_EQ(record.phrases, 3);
  EXPECT_EQ(record.unreadable, 1);
}

TEST_F(ScanJobs, ADamagedStateIsNamed) {
  ASSERT_FALSE(ran(job("x.hsagg"), 3));
  std::string state = bytes_of(folder_ / "x.hsagg.part");
  state.back() = static_cast<char>(state.back() ^ 1);
  folder_.write("x.hsagg.part", state);
  try {
    run_scan(job("x.hsagg"), list_, {});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("x.hsagg.part"), std::string::npos) << error.what();
  }
}

TEST_F(ScanJobs, AFinishedResultStaysWhereItIsOfThisScanAlone) {
  ScanJob first = job("x.hsagg");
  first.shards = 2;
  const CorpusRecord scanned = run_scan(first, list_, {});
  const std::string bytes = bytes_of(folder_ / "x.hsagg");
  int stayed = 0;
  const auto again = [&](const auto& change) {
    ScanJob other = first;
    other.keep = true;
    other.kept = [&] { ++stayed; };
    other.progress = [](const ScanProgress&) { ADD_FAILURE() << "it scans"; };
    change(other);
    return run_scan(other, list_, {});
  };
  EXPECT_EQ(again([](ScanJob&) {}), scanned);
  EXPECT_EQ(stayed, 1);
  EXPECT_THROW(again([](ScanJob& other) { other.options.model = "demo:pronouns"; }), UsageError);
  EXPECT_THROW(again([](ScanJob& other) { other.options.most_tokens = 4; }), UsageError);
  EXPECT_THROW(again([](ScanJob& other) { other.shard = 1; }), UsageError);
  // The first phrases of a larger shard are not the whole of it.
  EXPECT_THROW(again([](ScanJob& other) { other.shards = 1; }), UsageError);
  EXPECT_EQ(stayed, 1);
  EXPECT_EQ(bytes_of(folder_ / "x.hsagg"), bytes);
  folder_.write("x.hsagg", bytes.substr(0, bytes.size() / 2));
  EXPECT_THROW(again([](ScanJob&) {}), Error);
  std::filesystem::remove(folder_ / "x.hsagg");
  first.keep = true;
  EXPECT_EQ(run_scan(first, list_, {}), scanned);
}

TEST_F(ScanJobs, APlaceThatCannotBeWrittenIsRefusedAtOnce) {
  EXPECT_THROW(run_scan(job("nowhere/x.hsagg"), list_, {}), Error);
  EXPECT_THROW(run_scan(job("."), list_, {}), Error);
}

TEST_F(ScanJobs, NamesWhatCannotBeRead) {
  ScanJob named = job("x.hsagg");
  std::vector<std::int64_t> lines;
  named.unreadable = [&](std::int64_t index, const std::string&) { lines.push_back(index); };
  const CorpusRecord record = run_scan(named, list_, {});
  EXPECT_EQ(lines, std::vector<std::int64_t>{5});
  EXPECT_EQ(record.unreadable, 1);
  EXPECT_EQ(record, read_corpus_file(folder_ / "x.hsagg"));
}

}  // namespace
}  // namespace headscope
