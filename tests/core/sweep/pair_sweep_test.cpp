// Sweeps over pairs against sweeps of each pair alone, and statistics against numbers from NumPy.
#include "core/sweep/pair_sweep.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/sweep/sweep.h"

namespace headscope {
namespace {

std::vector<TextPair> induction_pairs() {
  return {{1, "cat ink box fox jam cat", "cat box ink fox jam cat", "ink", "box", {}},
          {2, "box fox ink jam box", "box jam ink fox box", "fox", "jam", -1},
          {5, "jam cat box ink fox jam", "jam ink box cat fox jam", "cat", "ink", 5}};
}

PairQuestion induction_question(SweepPatch patch, const std::string& metric) {
  PairQuestion question;
  question.sweep.patched.model = "demo:induction";
  question.sweep.patched.threads = 1;
  question.sweep.metric = metric;
  question.sweep.patch = patch;
  question.file = "pairs.jsonl";
  question.pairs = induction_pairs();
  return question;
}

TEST(PairSweep, StatisticsAreThoseOfNumPy) {
  const PairStatistics found = pair_statistics({1.5, -0.25, 2.0, 0.5});
  EXPECT_DOUBLE_EQ(found.mean, 0.9375);
  EXPECT_NEAR(*found.standard_error, 0.5038911092686593, 1e-15) << "numpy.std(x, ddof=1) / 2";
  EXPECT_DOUBLE_EQ(found.same_sign, 0.75);
  const PairStatistics one = pair_statistics({-2});
  EXPECT_EQ(one.mean, -2);
  EXPECT_FALSE(one.standard_error.has_value());
  EXPECT_EQ(one.same_sign, 1);
  EXPECT_EQ(pair_statistics({1, -1, 0}).same_sign, 1.0 / 3);
}

TEST(PairSweep, MeansAreThoseOfSingleSweeps) {
  for (const bool noise : {false, true}) {
    for (const SweepPatch patch : {SweepPatch::heads, SweepPatch::head_parts, SweepPatch::stages}) {
      PairQuestion question = induction_question(patch, "logit:answer-other");
      if (noise) question.sweep.direction = SweepDirection::noise;
      const PairSweep found = pair_sweep({}, question, CancelToken());
      EXPECT_EQ(found.pairs, 3);
      std::vector<Sweep> each;
      for (const TextPair& pair : question.pairs) {
        SweepQuestion single = question.sweep;
        single.source = single.patched;
        (noise ? single.patched : single.source).phrase = pair.clean;
        (noise ? single.source : single.patched).phrase = pair.corrupt;
        single.metric = "logit:" + pair.answer + "-" + pair.other;
        single.at = pair.at;
        single.by_place = true;
        each.push_back(sweep({}, single, CancelToken()));
      }
      ASSERT_EQ(found.cells.size(), each[0].cells.size());
      for (std::size_t k = 0; k < found.cells.size(); ++k) {
        std::vector<double> values, changes;
        for (const Sweep& single : each) {
          values.push_back(single.cells[k].value);
          changes.push_back(single.cells[k].value - single.unpatched);
        }
        EXPECT_EQ(found.cells[k].value.mean, pair_statistics(values).mean);
        EXPECT_EQ(found.cells[k].value.standard_error, pair_statistics(values).standard_error);
        EXPECT_EQ(found.cells[k].value.same_sign, pair_statistics(values).same_sign);
        EXPECT_EQ(found.cells[k].change.mean, pair_statistics(changes).mean);
      }
    }
  }
}

TEST(PairSweep, PositionsAreMatchedByTheirPlaces) {
  // align_tokens() would match the two words that stand the other way round to one another.
  PairQuestion question = induction_question(SweepPatch::positions, "logit:answer-other");
  question.pairs = {{1, "cat ink box fox jam cat", "cat box ink fox jam cat", "ink", "box", {}}};
  const PairSweep found = pair_sweep({}, question, CancelToken());
  // With the stream of A before layer 0 at a place, and A's words elsewhere the same, two places make A.
  SweepQuestion single = question.sweep;
  single.patched.phrase = question.pairs[0].corrupt;
  single.source = single.patched;
  single.metric = "logit:ink-box";
  for (const std::int64_t place : {1, 2}) {
    Request mixed = single.patched;
    mixed.phrase = place == 1 ? "cat ink ink fox jam cat" : "cat box box fox jam cat";
    single.source = mixed;
    single.by_place = true;
    single.patch = SweepPatch::positions;
    const Sweep of_words = sweep({}, single, CancelToken());
    EXPECT_NEAR(found.cells[static_cast<std::size_t>(place)].value.mean, *of_words.source, 1e-4) << place;
  }
}

TEST(PairSweep, RecoveredIsOfTheAnswerAndTheOther) {
  const PairSweep found = pair_sweep({}, induction_question(SweepPatch::heads, "recovered"), CancelToken());
  EXPECT_DOUBLE_EQ(found.source.mean, 1);
  EXPECT_DOUBLE_EQ(found.patched.mean, 0);
  EXPECT_EQ(found.patched.standard_error, 0);
  const PairSweep spelled =
      pair_sweep({}, induction_question(SweepPatch::heads, "recovered:logit:answer-other"), CancelToken());
  for (std::size_t k = 0; k < found.cells.size(); ++k) {
    EXPECT_EQ(found.cells[k].value.mean, spelled.cells[k].value.mean);
  }
}

TEST(PairSweep, TokensOfAPairStandInTheMetric) {
  EXPECT_EQ(metric_of_pair("logit:answer-other", "6", "28"), "logit:6-28");
  EXPECT_EQ(metric_of_pair("logit:{answer,7}-{other}", "6", "28"), "logit:{6,7}-{28}");
  EXPECT_EQ(metric_of_pair("prob:answers", "6", "28"), "prob:answers");
  EXPECT_EQ(metric_of_pair("rank:answer", "6", ""), "rank:6");
  EXPECT_EQ(metric_of_pair("kl:clean", "", ""), "kl:clean");
  EXPECT_THROW(metric_of_pair("logit:answer-other", "6", ""), Error);
}

template <typename Kind>
void expect_pair_refused(const PairQuestion& question, const std::vector<std::string>& parts) {
  try {
    pair_sweep({}, question, CancelToken());
    ADD_FAILURE() << parts.front();
  } catch (const Kind& error) {
    for (const std::string& part : parts) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << part << " in " << error.what();
    }
  }
}

TEST(PairSweep, RefusesWithTheLine) {
  PairQuestion question = induction_question(SweepPatch::heads, "logit:answer-other");
  question.pairs[2].corrupt = "jam ink box cat fox";
  expect_pair_refused<Error>(question, {"pairs.jsonl: line 5: ", "6 tokens in clean", "5 in corrupt"});
  question.pairs = induction_pairs();
  question.pairs[1].answer = "nosuchword";
  expect_pair_refused<Error>(question, {"line 2", "nosuchword"});
  question.pairs[1].answer = "";
  expect_pair_refused<Error>(question, {"line 2", "no answer"});
  question.pairs = induction_pairs();
  question.pairs[0].at = 6;
  expect_pair_refused<Error>(question, {"line 1", "position 6"});
  question.pairs = induction_pairs();
  question.sweep.patch = SweepPatch::positions;
  expect_pair_refused<UsageError>(question, {"--patch", "6 tokens in line 1", "5 in line 2"});
  question.sweep.patch = SweepPatch::heads;
  question.sweep.metric = "logits:answer";
  expect_pair_refused<UsageError>(question, {"--metric", "line 1 of pairs.jsonl"});
}

}  // namespace
}  // namespace headscope
