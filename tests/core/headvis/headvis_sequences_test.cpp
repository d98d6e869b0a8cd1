// Examples that are run again, against plain loops over the weights of an engine of their own.
#include "core/headvis/headvis_sequences.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/attention/engine.h"
#include "core/attention/model_trace.h"
#include "core/base/error.h"
#include "core/corpus/phrase_scan.h"
#include "tests/core/corpus/changed_demo.h"
#include "tests/core/corpus/made_records.h"

namespace headscope {
namespace {

constexpr const char* kModel = "demo:induction";

CorpusRecord scanned(const PhraseList& list) {
  ScanOptions options;
  options.model = kModel;
  options.most_tokens = 6;
  options.repeated = 2;  // what a scan is asked beside its phrases changes no example
  options.points = 3;
  PhraseScan scan(options, {});
  CorpusRecord record = scan.new_record(list);
  list.visit({0, list.size()}, [&](const ListedPhrase& phrase) { scan.add(phrase, record, {}); });
  return record;
}

TEST(HeadVisSequences, KeepTheLargestWeightsOfARow) {
  HeadVisWeights weights;
  add_row(weights, 0, std::vector<float>{1, 0, 0.004F});
  add_row(weights, 2, std::vector<float>{0.25F, 0.5F, 0.25F});
  EXPECT_EQ(weights.indices, (std::vector<std::int64_t>{0, 6, 7, 8}));
  EXPECT_EQ(weights.largest, 0.5);
  HeadVisWeights many;
  std::vector<float> row(12, 0.0625F);
  row[11] = 0.25F;
  row[3] = std::nanf("");
  add_row(many, 1, row);
  EXPECT_EQ(many.indices, (std::vector<std::int64_t>{12, 13, 14, 16, 17, 18, 19, 23}));
}

TEST(HeadVisSequences, AreTheWeightsOfTheirPhrases) {
  const PhraseList list = PhraseList::of_text(test::demo_lines(9));
  const CorpusRecord record = scanned(list);
  PhraseModel model(kModel, 2, {});
  std::int64_t told = 0;
  const auto sequences = headvis_sequences(record, model, list, [&](std::int64_t, std::int64_t of) { told = of; }, {});
  EXPECT_EQ(told, 7);
  ASSERT_EQ(sequences.size(), record.heads.size());
  std::vector<std::string> texts(9);
  list.visit({0, 9}, [&](const ListedPhrase& phrase) { texts[static_cast<std::size_t>(phrase.index)] = phrase.text; });
  EngineOptions whole_model;
  whole_model.whole_model = true;
  Engine engine(whole_model);
  for (std::size_t h = 0; h < record.heads.size(); h += 5) {
    const HeadRecord& head = record.heads[h];
    const std::vector<HeadVisSequence> of_head = sequences.of(h);
    ASSERT_GE(of_head.size(), head.top.size());
    for (std::size_t k = 0; k < head.top.size(); ++k) {
      Request request;
      request.model = kModel;
      request.phrase = texts[static_cast<std::size_t>(head.top[k].phrase)];
      request.token_ids = engine.run(request, {})->inputs->token_ids;
      request.token_ids.resize(std::min<std::size_t>(request.token_ids.size(), 6));
      request.phrase.clear();
      const auto trace = engine.run(request, {});
      const Tensor& weights = trace->model->layers[static_cast<std::size_t>(head.layer)]->tensor(StageId::weights);
      const HeadVisSequence& sequence = of_head[k];
      const auto tokens = static_cast<std::int64_t>(request.token_ids.size());
      ASSERT_EQ(sequence.tokens.size(), request.token_ids.size());
      EXPECT_EQ(sequence.id, std::to_string(head.top[k].phrase));
      EXPECT_EQ(sequence.interval, 10);
      double largest = 0;
      std::size_t at = 0;
      for (std::int64_t q = 0; q < tokens; ++q) {
        for (std::int64_t j = 0; j <= q; ++j) {
          const float w = weights.at({0, head.head, q, j});
          if (w < 0.005F) continue;
          ASSERT_LT(at, sequence.indices.size());
          EXPECT_EQ(sequence.indices[at], q * tokens + j);
          EXPECT_EQ(sequence.values[at++], static_cast<double>(w));
          if (q > 0 && j > 0) largest = std::max(largest, static_cast<double>(w));
        }
      }
      EXPECT_EQ(at, sequence.indices.size());
      EXPECT_EQ(sequence.max_activation, largest);
    }
  }
}

// Of every tenth that has rows, these rows alone: their own weights add up to 1 and the largest is in that tenth.
TEST(HeadVisSequences, HaveTheDrawnRowsOfEveryTenth) {
  const PhraseList list = PhraseList::of_text(test::demo_lines(40));
  const CorpusRecord record = scanned(list);
  PhraseModel model(kModel, 2, {});
  const HeadVisSequences sequences = headvis_sequences(record, model, list, {}, {});
  std::set<std::int64_t> intervals;
  for (std::size_t h = 0; h < record.heads.size(); ++h) {
    const std::vector<HeadVisSequence> of_head = sequences.of(h);
    std::size_t at = record.heads[h].top.size();
    for (std::size_t tenth = kDeciles; tenth-- > 0;) {
      for (const CorpusExample& row : record.heads[h].samples[tenth]) {
        ASSERT_LT(at, of_head.size());
        const HeadVisSequence& sequence = of_head[at++];
        EXPECT_EQ(sequence.interval, static_cast<std::int64_t>(tenth) + 1);
        EXPECT_EQ(sequence.id, std::to_string(40 + row.phrase * 6 + row.query));
        const auto tokens = static_cast<std::int64_t>(sequence.tokens.size());
        double sum = 0, largest = 0;
        for (std::size_t k = 0; k < sequence.indices.size(); ++k) {
          EXPECT_EQ(sequence.indices[k] / tokens, row.query);
          largest = std::max(largest, sequence.values[k]);
          sum += sequence.values[k];
        }
        EXPECT_EQ(largest, static_cast<double>(row.value));
        EXPECT_TRUE(sum > 0.95 && sum < 1.00001) << sum;  // six keys, without those below 0.005
        EXPECT_EQ(decile_of(static_cast<float>(largest)), tenth);
        intervals.insert(sequence.interval);
      }
    }
    EXPECT_EQ(at, of_head.size());
    std::set<std::string> ids;
    for (const HeadVisSequence& sequence : of_head) ids.insert(sequence.id);
    EXPECT_EQ(ids.size(), of_head.size()) << "no two of a head are alike";
  }
  EXPECT_GE(intervals.size(), 5U);
}

TEST(HeadVisSequences, AreOfTheModelAndTheListThatWereScanned) {
  const PhraseList list = PhraseList::of_text(test::demo_lines(3));
  const CorpusRecord record = scanned(list);
  PhraseModel model(kModel, 1, {}), other("demo:pronouns", 1, {});
  EXPECT_THROW(headvis_sequences(record, other, list, {}, {}), UsageError);
  EXPECT_THROW(headvis_sequences(record, model, PhraseList::of_text("cat box\n"), {}, {}), UsageError);
  const TemporaryFolder folder;
  PhraseModel changed(test::demo_with("induction", folder / "changed", "layer_norm_eps", 0.5), 1, {});
  EXPECT_THROW(headvis_sequences(record, changed, list, {}, {}), UsageError);
  CorpusRecord older = record;
  older.facts.architecture.clear();  // as files of version 3: told by the weights alone
  EXPECT_NO_THROW(headvis_sequences(older, model, list, {}, {}));
  CorpusRecord forged = record;
  forged.heads[0].top[0].hash ^= 1;
  EXPECT_THROW(headvis_sequences(forged, model, list, {}, {}), Error);
}

}  // namespace
}  // namespace headscope
