// Phrases that go through a model together: the bytes of a scan one after the other, and each layer once a batch.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/base/turns.h"
#include "core/corpus/corpus_file.h"
#include "core/corpus/phrase_model.h"
#include "core/corpus/scan_job.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/core/corpus/made_records.h"

namespace headscope {
namespace {

ScanJob job_of(const std::string& out, std::int64_t batch) {
  ScanJob job;
  job.options.model = "demo:induction";
  job.options.most_tokens = 6;
  job.options.repeated = 3;
  job.options.ablation_sample = 4;
  job.options.phrase_loss = true;
  job.options.points = 5;
  job.options.batch = batch;
  job.options.threads = 2;
  job.out = out;
  return job;
}

TEST(PhraseBatch, GivesTheBytesOfOneAfterTheOther) {
  const TemporaryFolder folder;
  const PhraseList list = PhraseList::of_text(test::demo_lines(23));
  run_scan(job_of(folder / "1.hsagg", 1), list, {});
  const std::string one = bytes_of(folder / "1.hsagg");
  for (const std::int64_t batch : {2, 5, 23, 40}) {
    const std::string name = std::to_string(batch) + ".hsagg";
    ScanJob job = job_of(folder / name, batch);
    std::vector<std::int64_t> named;
    job.unreadable = [&](std::int64_t index, const std::string&) { named.push_back(index); };
    run_scan(job, list, {});
    EXPECT_EQ(bytes_of(folder / name), one) << batch;
    EXPECT_EQ(named, std::vector<std::int64_t>{5}) << batch;
  }
}

TEST(PhraseBatch, ThreadsSideBySideGiveTheBytesOfOneAfterTheOther) {
  const TemporaryFolder folder;
  const PhraseList list = PhraseList::of_text(test::demo_lines(23));
  run_scan(job_of(folder / "1.hsagg", 1), list, {});
  const std::string one = bytes_of(folder / "1.hsagg");
  for (const int threads : {1, 2, 3, 8}) {
    const std::string name = std::to_string(threads) + "-threads.hsagg";
    ScanJob job = job_of(folder / name, 0);
    job.options.threads = threads;
    EXPECT_EQ(PhraseScan(job.options, {}).batch(), threads == 1 ? 1U : 4U * static_cast<unsigned>(threads));
    std::vector<std::int64_t> named;
    job.unreadable = [&](std::int64_t index, const std::string&) { named.push_back(index); };
    run_scan(job, list, {});
    EXPECT_EQ(bytes_of(folder / name), one) << threads;
    EXPECT_EQ(named, std::vector<std::int64_t>{5}) << threads;
  }
}

// A long phrase goes to all threads, after the short ones around it.
TEST(PhraseBatch, LongPhrasesAmongShortOnesAreCountedInTheirPlaces) {
  std::string long_line;
  for (int k = 0; k < 1100; ++k) long_line += "a ";
  const PhraseList list = PhraseList::of_text("one two\n" + long_line + "\nthree four five\n");
  const TemporaryFolder folder;
  const auto bytes = [&](std::int64_t batch) {
    ScanJob job;
    job.options.model = "demo:stories";
    job.options.most_tokens = 2000;
    job.options.layers = {0};
    job.options.batch = batch;
    job.options.threads = 2;
    job.out = folder / (std::to_string(batch) + ".hsagg");
    run_scan(job, list, {});
    return bytes_of(job.out);
  };
  EXPECT_EQ(bytes(0), bytes(1));
}

TEST(PhraseBatch, AllPhrasesAreInALayerBeforeOneIsInTheNext) {
  PhraseModel model("demo:stories", 2, {});
  model.set_lanes(3);
  std::vector<std::pair<std::int64_t, std::size_t>> order;  // layer, phrase
  work_by_turns(3, [&](std::size_t k, const Pause& pause) {
    model.run({{5, 6, 7, static_cast<std::int64_t>(8 + k)}, k, pause}, 3,
              [&](std::int64_t layer, const Trace&) { order.emplace_back(layer, k); }, {});
  });
  std::vector<std::pair<std::int64_t, std::size_t>> wanted;
  for (std::int64_t layer = 0; layer < 4; ++layer) {
    for (std::size_t k = 0; k < 3; ++k) wanted.emplace_back(layer, k);
  }
  EXPECT_EQ(order, wanted);
}

class CancelledBatch : public ::testing::TestWithParam<std::int64_t> {};

TEST_P(CancelledBatch, LeavesTheRecordAsItWas) {
  const PhraseList list = PhraseList::of_text("cat box ink\nfox jam\npen hat cat\n");
  PhraseScan scan(job_of("", GetParam()).options, {});
  CorpusRecord record = scan.new_record(list);
  std::vector<ListedPhrase> phrases;
  list.visit({0, 3}, [&](const ListedPhrase& phrase) { phrases.push_back(phrase); });
  CancelToken cancel;
  cancel.cancel();
  EXPECT_THROW(scan.add(phrases, record, cancel), Cancelled);
  EXPECT_EQ(record, scan.new_record(list));
  EXPECT_EQ(scan.add(phrases, record, {}), std::vector<std::string>(3));
  EXPECT_EQ(record.phrases, 3);
}
INSTANTIATE_TEST_SUITE_P(ByTurnsAndSideBySide, CancelledBatch, ::testing::Values(3, 0));

}  // namespace
}  // namespace headscope
