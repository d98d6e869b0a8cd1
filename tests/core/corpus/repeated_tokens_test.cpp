#include "core/corpus/repeated_tokens.h"

#include <gtest/gtest.h>

#include <set>

#include "core/attention/engine.h"
#include "core/attention/model_trace.h"
#include "core/base/error.h"
#include "core/corpus/corpus_file.h"
#include "core/corpus/phrase_model.h"
#include "core/corpus/phrase_scan.h"
#include "core/heads/model_metrics.h"
#include "core/model/architecture.h"
#include "tests/core/corpus/made_records.h"

namespace headscope {
namespace {

constexpr const char* kRepeatedTokensModel = "demo:induction";

ScanOptions options_of(std::int64_t repeated) {
  ScanOptions options;
  options.model = kRepeatedTokensModel;
  options.repeated = repeated;
  options.threads = 1;
  return options;
}

CorpusRecord scanned_repeated(PhraseScan& scan, const PhraseList& list, Range range) {
  CorpusRecord record = scan.new_record(list);
  list.visit(range, [&](const ListedPhrase& phrase) { scan.add(phrase, record, {}); });
  return record;
}

TEST(RepeatedTokens, StandTwiceAndAreOrdinaryOnes) {
  PhraseModel model(kRepeatedTokensModel, 1, {});
  const SpecialTokens special = model.tokenizer().special();
  const std::int64_t vocabulary = model.architecture().vocab_size;
  const Tokens phrase = model.tokenizer().tokenize("cat box");
  std::set<std::vector<std::int64_t>> drawn;
  for (std::int64_t index = 0; index < 20; ++index) {
    const auto ids = repeated_tokens(model.tokenizer(), vocabulary, phrase, index, 6);
    ASSERT_EQ(ids.size(), phrase.ids.size() - 2 + 12);  // "cat" and "box" are a token each
    const auto first = ids.end() - 12;
    EXPECT_TRUE(std::equal(first, first + 6, first + 6));
    for (auto id = first; id != ids.end(); ++id) EXPECT_FALSE(special.is_special(*id));
    EXPECT_EQ(std::set<std::int64_t>(first, first + 6).size(), 6u);
    drawn.insert(ids);
  }
  EXPECT_EQ(drawn.size(), 20u);
  // More than there are: all of them before any comes again.
  const auto many = repeated_tokens(model.tokenizer(), vocabulary, phrase, 3, 2 * vocabulary);
  EXPECT_EQ(many.size(), phrase.ids.size() - 2 + static_cast<std::size_t>(4 * vocabulary));
  EXPECT_TRUE(repeated_tokens(model.tokenizer(), 0, phrase, 3, 4).empty());
}

TEST(RepeatedTokens, AreCountedAsRunMetricsCountsThem) {
  const PhraseList list = PhraseList::of_text("cat box ink\nfox jam\n");
  PhraseScan scan(options_of(5), {});
  const CorpusRecord record = scanned_repeated(scan, list, {0, 2});
  EXPECT_EQ(record.facts.repeated, 5);
  PhraseModel model(kRepeatedTokensModel, 1, {});
  EngineOptions whole_model;
  whole_model.whole_model = true;
  Engine engine(whole_model);
  std::vector<std::array<double, 3>> sums(record.heads.size());
  std::vector<std::array<std::int64_t, 3>> rows(record.heads.size());
  const std::array metrics = {HeadMetric::previous_token, HeadMetric::next_token, HeadMetric::induction};
  std::uint64_t tokens = 0;
  list.visit({0, 2}, [&](const ListedPhrase& phrase) {
    Request request;
    request.model = kRepeatedTokensModel;
    request.token_ids = repeated_tokens(model.tokenizer(), model.architecture().vocab_size,
                                        model.tokenizer().tokenize(phrase.text), phrase.index, 5);
    tokens += request.token_ids.size();
    const auto found = metrics_of_all_heads(*engine.run(request, {}));
    for (std::size_t h = 0; h < found.size(); ++h) {
      for (std::size_t k = 0; k < metrics.size(); ++k) {
        const MetricValue& value = found[h].metrics[metrics[k]];
        if (value.rows == 0) continue;
        sums[h][k] += value.value * static_cast<double>(value.rows);
        rows[h][k] += value.rows;
      }
    }
  });
  bool some_is_induction = false;
  for (std::size_t h = 0; h < sums.size(); ++h) {
    const RepeatedRecord& repeated = record.heads[h].repeated;
    EXPECT_EQ(repeated.rows, tokens);
    EXPECT_EQ(repeated.counts[2], 10u);  // the second half stood there before
    for (std::size_t k = 0; k < metrics.size(); ++k) {
      const std::size_t ours = k == 2 ? 3 : k;
      EXPECT_EQ(repeated.counts[ours], static_cast<std::uint64_t>(rows[h][k]));
      if (rows[h][k] == 0) continue;
      const double difference = repeated.mean(ours) - sums[h][k] / static_cast<double>(rows[h][k]);
      EXPECT_TRUE(std::fabs(difference) <= 1e-9) << h << " " << k << ": " << difference;
    }
    some_is_induction = some_is_induction || repeated.mean(3) > 0.5;
  }
  EXPECT_TRUE(some_is_induction);
}

TEST(RepeatedTokens, ChangeNothingElseAndDependOnNoShard) {
  const PhraseList list = PhraseList::of_text(test::demo_lines(9));
  PhraseScan with(options_of(4), {}), without(options_of(0), {});
  const CorpusRecord whole = scanned_repeated(with, list, {0, 9});
  CorpusRecord plain = whole;
  plain.facts.repeated = 0;
  for (HeadRecord& head : plain.heads) head.repeated = {};
  EXPECT_EQ(plain, scanned_repeated(without, list, {0, 9}));
  for (std::int64_t shards = 2; shards <= 9; shards += 3) {
    CorpusRecord sum = scanned_repeated(with, list, shard_of(9, shards - 1, shards));
    for (std::int64_t k = 0; k + 1 < shards; ++k) add(sum, scanned_repeated(with, list, shard_of(9, k, shards)));
    EXPECT_EQ(corpus_file_bytes(sum), corpus_file_bytes(whole)) << shards << " shards";
  }
}

TEST(RepeatedTokens, MoreThanTheModelTakesAreRefused) {
  PhraseModel model(kRepeatedTokensModel, 1, {});
  if (model.architecture().position == Architecture::Position::none) GTEST_SKIP();
  const std::int64_t most = model.architecture().max_positions / 2;
  EXPECT_THROW(PhraseScan(options_of(most + 1), {}), UsageError);
}

}  // namespace
}  // namespace headscope
