// The loss of all phrases against `run --predict` of each.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "core/attention/engine.h"
#include "core/attention/output_head.h"
#include "core/corpus/phrase_scan.h"
#include "tests/core/corpus/made_records.h"

namespace headscope {
namespace {

// With layers that are not counted above those that are.
TEST(PhraseLoss, IsThatOfRunPredict) {
  for (const char* model : {"demo:induction", "demo:pronouns"}) {
    const PhraseList list = PhraseList::of_text("cat box ink cat box ink\nfox\nthe cat sat\n");
    ScanOptions options;
    options.model = model;
    options.phrase_loss = true;
    options.layers = {0};
    PhraseScan scan(options, {});
    CorpusRecord record = scan.new_record(list);
    EngineOptions whole_model;
    whole_model.whole_model = true;
    Engine engine(whole_model);
    std::uint64_t tokens = 0;
    double sum = 0;
    list.visit({0, 3}, [&](const ListedPhrase& phrase) {
      EXPECT_EQ(scan.add(phrase, record, {}), "");
      Request request;
      request.model = model;
      request.phrase = phrase.text;
      for (const auto& loss : prediction_report(*engine.run(request, {})->model, 1, {}).token_loss) {
        sum += loss.value_or(0);
        tokens += loss ? 1 : 0;
      }
    });
    EXPECT_EQ(record.phrase_loss_tokens, tokens) << model;
    EXPECT_GT(tokens, 5U);
    EXPECT_TRUE(std::fabs(record.phrase_loss.value() - sum) <= 1e-9) << model << " " << record.phrase_loss.value();
    EXPECT_EQ(record.loss_tokens, 0U) << "no sample was asked for";
  }
}

TEST(PhraseLoss, ChangesNothingElse) {
  const PhraseList list = PhraseList::of_text(test::demo_lines(9));
  ScanOptions options;
  options.model = "demo:induction";
  PhraseScan without(options, {});
  options.phrase_loss = true;
  PhraseScan with(options, {});
  CorpusRecord plain = without.new_record(list), losses = with.new_record(list);
  list.visit({0, 9}, [&](const ListedPhrase& phrase) {
    without.add(phrase, plain, {});
    with.add(phrase, losses, {});
  });
  EXPECT_NE(difference_of(plain, losses).find("--loss"), std::string::npos);
  losses.facts.phrase_loss = false;
  losses.phrase_loss_tokens = 0;
  losses.phrase_loss = {};
  EXPECT_EQ(plain, losses);
}

}  // namespace
}  // namespace headscope
