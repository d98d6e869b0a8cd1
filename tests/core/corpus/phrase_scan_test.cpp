// What is counted against `run --metrics` of each phrase and plain loops over its weights; shards, threads, ends.
#include "core/corpus/phrase_scan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "core/attention/engine.h"
#include "core/attention/model_trace.h"
#include "core/base/error.h"
#include "core/corpus/corpus_file.h"
#include "core/heads/model_metrics.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/core/corpus/made_records.h"

namespace headscope {
namespace {

constexpr const char* kPhraseScanModel = "demo:induction";

ScanOptions options_of(int threads = 1) {
  ScanOptions options;
  options.model = kPhraseScanModel;
  options.most_tokens = 6;
  options.threads = threads;
  return options;
}

CorpusRecord scanned(PhraseScan& scan, const PhraseList& list, Range range) {
  CorpusRecord record = scan.new_record(list);
  list.visit(range, [&](const ListedPhrase& phrase) { scan.add(phrase, record, {}); });
  return record;
}

// Sum and number of rows of a metric, phrase by phrase.
struct Wanted {
  double sum = 0;
  std::uint64_t rows = 0;
  void add(double value, std::int64_t count = 1) {
    sum += value * static_cast<double>(count);
    rows += static_cast<std::uint64_t>(count);
  }
};
using WantedHead = std::map<CorpusMetric, Wanted>;

void add_plain(const Trace& layer, std::int64_t head, WantedHead& wanted) {
  const Tensor& weights = layer.tensor(StageId::weights);
  const auto& ids = layer.inputs->token_ids;
  const auto len = static_cast<std::int64_t>(ids.size());
  const auto w = [&](std::int64_t i, std::int64_t j) { return static_cast<double>(weights.at({0, head, i, j})); };
  for (std::int64_t i = 1; i < len; ++i) {  // row 0 sees one key
    double largest = 0, duplicate = 0, copying = 0;
    bool stood = false, next_stood = false;
    for (std::int64_t j = 0; j <= i; ++j) {
      largest = std::max(largest, w(i, j));
      if (j < i && ids[j] == ids[i]) {
        stood = true;
        duplicate += w(i, j);
      }
      if (i + 1 < len && ids[j] == ids[i + 1]) {
        next_stood = true;
        copying += w(i, j);
      }
    }
    wanted[CorpusMetric::max_weight].add(largest);
    if (stood) wanted[CorpusMetric::duplicate].add(duplicate);
    if (next_stood) wanted[CorpusMetric::copying].add(copying);
  }
}

TEST(PhraseScan, CountsWhatRunMetricsSaysPhraseByPhrase) {
  constexpr int kLines = 14;
  const PhraseList list = PhraseList::of_text(test::demo_lines(kLines));
  PhraseScan scan(options_of(), {});
  const CorpusRecord record = scanned(scan, list, {0, kLines});
  EXPECT_EQ(record.blank, 1);
  EXPECT_EQ(record.unreadable, 1);
  EXPECT_EQ(record.phrases, kLines - 2);

  std::vector<WantedHead> wanted(record.heads.size());
  std::vector<std::uint64_t> rows(record.heads.size());
  std::vector<float> strongest(record.heads.size());
  EngineOptions whole_model;
  whole_model.whole_model = true;
  Engine engine(whole_model);
  list.visit({0, kLines}, [&](const ListedPhrase& phrase) {
    if (phrase.blank || !phrase.problem.empty()) return;
    Request request;
    request.model = kPhraseScanModel;
    request.phrase = phrase.text;
    const auto whole = engine.run(request, {});
    request.token_ids = whole->inputs->token_ids;
    request.token_ids.resize(std::min<std::size_t>(request.token_ids.size(), 6));
    request.phrase.clear();
    const auto trace = engine.run(request, {});
    const auto metrics = metrics_of_all_heads(*trace);
    ASSERT_EQ(metrics.size(), record.heads.size());
    for (std::size_t h = 0; h < metrics.size(); ++h) {
      const auto take = [&](CorpusMetric metric, HeadMetric same) {
        const MetricValue& value = metrics[h].metrics[same];
        if (value.rows > 0) wanted[h][metric].add(value.value, value.rows);
      };
      take(CorpusMetric::entropy, HeadMetric::entropy);
      take(CorpusMetric::distance, HeadMetric::mean_distance);
      take(CorpusMetric::previous, HeadMetric::previous_token);
      take(CorpusMetric::next, HeadMetric::next_token);
      take(CorpusMetric::first, HeadMetric::first_token);
      take(CorpusMetric::sink, HeadMetric::first_token);
      take(CorpusMetric::self, HeadMetric::self);
      take(CorpusMetric::induction, HeadMetric::induction);
      add_plain(*trace->model->layers[static_cast<std::size_t>(metrics[h].layer)], metrics[h].head, wanted[h]);
      rows[h] += request.token_ids.size();
      strongest[h] = std::max(strongest[h], static_cast<float>(metrics[h].metrics.arc_weight));
    }
  });
  for (std::size_t h = 0; h < wanted.size(); ++h) {
    const HeadRecord& head = record.heads[h];
    EXPECT_EQ(head.rows, rows[h]);
    EXPECT_EQ(head.top.front().value, strongest[h]);
    for (const CorpusMetric metric : all_corpus_metrics()) {
      const auto k = static_cast<std::size_t>(metric);
      EXPECT_EQ(head.counts[k], wanted[h][metric].rows) << corpus_metric_key(metric);
      const double step = std::ldexp(1.0, -40) * static_cast<double>(head.rows);
      EXPECT_TRUE(std::fabs(head.sums[k].value() - wanted[h][metric].sum) <= step + 1e-12)
          << corpus_metric_key(metric) << " of " << head.layer << "." << head.head << ": " << head.sums[k].value()
          << ", wanted " << wanted[h][metric].sum;
    }
  }
}

// Models whose layers have norms and MLPs, with words in place of the vocabulary that the repository does not hold.
TEST(PhraseScan, StreamsTheLayersOfEveryKindOfModel) {
  namespace fs = std::filesystem;
  for (const auto& [name, size] : std::vector<std::pair<std::string, int>>{
           {"gpt2", 24}, {"llama", 24}, {"bert", 24}, {"gemma2", 23}, {"gpt_oss", 23}}) {
    const TemporaryFolder folder;
    fs::copy(HEADSCOPE_SOURCE_DIR "/tests/golden/models/" + name, folder / name);
    std::string words = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\ncat\nbox\n";
    for (int k = 7; k < size; ++k) words += "w" + std::to_string(k) + "\n";
    folder.write(name + "/vocab.txt", words);
    Request request;
    request.model = folder / name;
    request.phrase = "cat box w8 cat box w9";
    EngineOptions whole_model;
    whole_model.whole_model = true;
    const auto metrics = metrics_of_all_heads(*Engine(whole_model).run(request, {}));
    ScanOptions options;
    options.model = request.model;
    PhraseScan scan(options, {});
    const CorpusRecord record = scanned(scan, PhraseList::of_text(request.phrase), {0, 1});
    EXPECT_EQ(record.facts.model, name);
    ASSERT_EQ(record.heads.size(), metrics.size()) << name;
    for (std::size_t h = 0; h < metrics.size(); ++h) {
      EXPECT_EQ(record.heads[h].layer, metrics[h].layer);
      for (const auto& [metric, same] : {std::pair{CorpusMetric::induction, HeadMetric::induction},
                                         std::pair{CorpusMetric::entropy, HeadMetric::entropy},
                                         std::pair{CorpusMetric::distance, HeadMetric::mean_distance}}) {
        const double difference = record.heads[h].mean(metric) - metrics[h].metrics[same].value;
        EXPECT_TRUE(std::fabs(difference) <= 1e-12) << name << " " << h << ": " << difference;
      }
    }
  }
}

// Of another vocabulary than the model's: named phrase by phrase, and the end of no scan.
TEST(PhraseScan, AnIdBeyondTheVocabularyCannotBeRead) {
  const TemporaryFolder folder;
  std::filesystem::copy(HEADSCOPE_SOURCE_DIR "/tests/golden/models/gpt2", folder / "gpt2");
  std::filesystem::copy(HEADSCOPE_SOURCE_DIR "/assets/demos/induction/tokenizer.json", folder / "gpt2");
  ScanOptions options;
  options.model = folder / "gpt2";
  PhraseScan scan(options, {});
  const PhraseList list = PhraseList::of_text("cat box ink\n");
  CorpusRecord record = scan.new_record(list);
  list.visit({0, 1}, [&](const ListedPhrase& phrase) {
    const std::string why = scan.add(phrase, record, {});
    EXPECT_NE(why.find("config.json says a vocabulary of"), std::string::npos) << why;
  });
  EXPECT_EQ(record.unreadable, 1);
  EXPECT_EQ(record.phrases, 0);
}

TEST(PhraseScan, AnyShardsAndThreadsGiveTheSameBytes) {
  const PhraseList list = PhraseList::of_text(test::demo_lines(20));
  PhraseScan one(options_of(1), {});
  const std::string whole = corpus_file_bytes(scanned(one, list, {0, 20}));
  for (const int threads : {2, 8}) {
    PhraseScan scan(options_of(threads), {});
    EXPECT_EQ(corpus_file_bytes(scanned(scan, list, {0, 20})), whole) << threads << " threads";
  }
  for (std::int64_t shards = 1; shards <= 17; ++shards) {
    CorpusRecord sum = scanned(one, list, shard_of(20, shards - 1, shards));
    for (std::int64_t k = 0; k + 1 < shards; ++k) add(sum, scanned(one, list, shard_of(20, k, shards)));
    EXPECT_EQ(corpus_file_bytes(sum), whole) << shards << " shards";
  }
}

TEST(PhraseScan, OfSomeHeadsAreTheNumbersOfAll) {
  const PhraseList list = PhraseList::of_text(test::demo_lines(4));
  PhraseScan all(options_of(), {});
  ScanOptions options = options_of();
  options.layers = {0};
  options.heads = {5, 2, 5};
  PhraseScan some(options, {});
  const CorpusRecord whole = scanned(all, list, {0, 4}), part = scanned(some, list, {0, 4});
  ASSERT_EQ(part.heads.size(), 2u);
  EXPECT_EQ(part.heads[0], whole.heads[2]);
  EXPECT_EQ(part.heads[1], whole.heads[5]);
  EXPECT_NE(difference_of(whole, part), "");
}

TEST(PhraseScan, CancelledLeavesTheRecordAsItWas) {
  const PhraseList list = PhraseList::of_text("cat box ink\n");
  PhraseScan scan(options_of(), {});
  CorpusRecord record = scan.new_record(list);
  CancelToken cancel;
  cancel.cancel();
  list.visit({0, 1}, [&](const ListedPhrase& phrase) { EXPECT_THROW(scan.add(phrase, record, cancel), Cancelled); });
  EXPECT_EQ(record, scan.new_record(list));
  PhraseScan other(options_of(), {});
  EXPECT_EQ(scanned(scan, list, {0, 1}), scanned(other, list, {0, 1}));
}

TEST(PhraseScan, RefusesHeadsThatAreNotThere) {
  for (const auto& [layers, heads] :
       std::vector<std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>>{{{2}, {}}, {{}, {8}}, {{-1}, {}}}) {
    ScanOptions options = options_of();
    options.layers = layers;
    options.heads = heads;
    EXPECT_THROW(PhraseScan(options, {}), UsageError);
  }
  ScanOptions options;
  options.model = "demo:nothing";
  EXPECT_THROW(PhraseScan(options, {}), UsageError);
}

}  // namespace
}  // namespace headscope
