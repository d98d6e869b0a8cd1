// Losses of a sample against `run --ablate --predict` of each of its phrases.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/attention/engine.h"
#include "core/attention/output_head.h"
#include "core/corpus/corpus_file.h"
#include "core/corpus/phrase_scan.h"
#include "tests/core/corpus/made_records.h"

namespace headscope {
namespace {

constexpr const char* kModel = "demo:induction";

CorpusRecord scanned_sample(PhraseScan& scan, const PhraseList& list, Range range) {
  CorpusRecord record = scan.new_record(list);
  list.visit(range, [&](const ListedPhrase& phrase) { scan.add(phrase, record, {}); });
  return record;
}

TEST(AblationSample, IsSpreadEvenlyAndHasSoMany) {
  for (const auto& [size, sample] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {10, 3}, {7, 7}, {5, 9}, {1000, 17}, {3, 1}, {4, 0}, {0, 4}}) {
    CorpusFacts facts;
    facts.list_size = size;
    facts.ablation_sample = sample;
    std::vector<std::int64_t> found, wanted;
    for (std::int64_t k = 0; k < std::min(size, sample); ++k) wanted.push_back(k * size / std::min(size, sample));
    for (std::int64_t index = 0; index < size; ++index) {
      if (in_ablation_sample(index, facts)) found.push_back(index);
    }
    EXPECT_EQ(found, wanted) << sample << " of " << size;
  }
}

TEST(AblationSample, HasTheLossesOfRunPredict) {
  const PhraseList list = PhraseList::of_text("cat box ink cat box ink\nfox\njam pen jam pen\nhat cat\n");
  ScanOptions options;
  options.model = kModel;
  options.ablation_sample = 2;
  options.threads = 1;
  options.heads = {0, 3};
  PhraseScan scan(options, {});
  const CorpusRecord record = scanned_sample(scan, list, {0, 4});
  EngineOptions whole_model;
  whole_model.whole_model = true;
  Engine engine(whole_model);
  std::uint64_t tokens = 0;
  double plain = 0;
  std::vector<double> ablated(record.heads.size());
  list.visit({0, 4}, [&](const ListedPhrase& phrase) {
    if (phrase.index != 0 && phrase.index != 2) return;
    Request request;
    request.model = kModel;
    request.phrase = phrase.text;
    const auto add_losses = [&](double& sum) {
      std::uint64_t count = 0;
      for (const auto& loss : prediction_report(*engine.run(request, {})->model, 1, {}).token_loss) {
        sum += loss.value_or(0);
        count += loss ? 1 : 0;
      }
      return count;
    };
    tokens += add_losses(plain);
    for (std::size_t h = 0; h < ablated.size(); ++h) {
      request.ablate = {{{record.heads[h].layer, record.heads[h].head}, true}};
      add_losses(ablated[h]);
    }
  });
  EXPECT_EQ(record.loss_tokens, tokens);
  EXPECT_TRUE(std::fabs(record.loss.value() - plain) <= 1e-9) << record.loss.value() << " " << plain;
  for (std::size_t h = 0; h < ablated.size(); ++h) {
    EXPECT_TRUE(std::fabs(record.heads[h].ablated_loss.value() - ablated[h]) <= 1e-9) << h;
  }
}

TEST(AblationSample, ChangesNothingElseAndDependsOnNoShard) {
  const PhraseList list = PhraseList::of_text(test::demo_lines(9));
  ScanOptions options;
  options.model = kModel;
  options.threads = 1;
  options.heads = {1};
  PhraseScan without(options, {});
  options.ablation_sample = 4;
  PhraseScan with(options, {});
  const CorpusRecord whole = scanned_sample(with, list, {0, 9});
  EXPECT_GT(whole.loss_tokens, 0u);
  CorpusRecord plain = whole;
  plain.facts.ablation_sample = 0;
  plain.loss_tokens = 0;
  plain.loss = {};
  for (HeadRecord& head : plain.heads) head.ablated_loss = {};
  EXPECT_EQ(plain, scanned_sample(without, list, {0, 9}));
  for (std::int64_t shards = 2; shards <= 9; shards += 3) {
    CorpusRecord sum = scanned_sample(with, list, shard_of(9, shards - 1, shards));
    for (std::int64_t k = 0; k + 1 < shards; ++k) add(sum, scanned_sample(with, list, shard_of(9, k, shards)));
    EXPECT_EQ(corpus_file_bytes(sum), corpus_file_bytes(whole)) << shards << " shards";
  }
}

}  // namespace
}  // namespace headscope
