// A head in spoken words, and a row of weights as sound.
#include "app/ui/aloud/aloud.h"

#include <gtest/gtest.h>

#include "app/session/background/trace_strip.h"
#include "app/session/session.h"
#include "app/ui/stage_facts.h"
#include "core/heads/head_words.h"
#include "core/heads/row_sound.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

void pick(Driver& d, std::int64_t head, Cell cell) {
  d.session.view.stage = StageId::weights;
  d.session.view.head = head;
  d.session.view.cell = cell;
  d.step();
}

std::string sound_of(const Driver& d, std::int64_t head, std::int64_t query) {
  const Tensor matrix = slice_matrix(d.trace(), StageId::weights, 0, head);
  std::vector<float> weights(static_cast<std::size_t>(matrix.dim(1)));
  matrix.read(Region{{query, query + 1}, {0, matrix.dim(1)}}, weights);
  return wav_bytes(row_sound(weights));
}

TEST(Aloud, TheHeadAndThePickedRowAreSaid) {
  Driver d(phrase_document(kTwelve));
  pick(d, 3, {7, 1});
  d.push(CommandId::say_head);
  d.step();
  const HeadWords words = head_words(d.trace(), 0, 3);
  ASSERT_EQ(d.said.size(), 1u);
  EXPECT_EQ(d.said[0], words.head + ". " + words.rows[7] + ".");
  d.session.view.cell.reset();
  d.push(CommandId::say_head);
  d.step();
  for (const std::string& row : words.rows) EXPECT_NE(d.said[1].find(row), std::string::npos) << row;
}

TEST(Aloud, OfALongTextTheHeadAloneIsSaid) {
  Driver d(phrase_document(words(40)));
  d.session.view.cell.reset();
  d.push(CommandId::say_head);
  d.step();
  ASSERT_EQ(d.said.size(), 1u);
  EXPECT_EQ(d.said[0], head_words(d.trace(), 0, d.session.view.head).head + ".");
}

TEST(Aloud, ThePickedRowIsPlayed) {
  Driver d(phrase_document(kTwelve));
  pick(d, 2, {5, 0});
  d.push(CommandId::play_row);
  d.step();
  ASSERT_EQ(d.played.size(), 1u);
  EXPECT_EQ(d.played[0], sound_of(d, 2, 5));
}

TEST(Aloud, RowsAreSilentUntilOneAsksForThem) {
  Driver d(phrase_document(kTwelve));
  pick(d, 0, {1, 0});
  pick(d, 0, {2, 0});
  EXPECT_TRUE(d.played.empty()) << "off at first";
  d.settings.row_sound = true;
  d.step();
  EXPECT_TRUE(d.played.empty()) << "the row that is picked already stays silent";
  pick(d, 0, {3, 0});
  pick(d, 0, {3, 2});
  EXPECT_EQ(d.played.size(), 1u) << "another cell of the same row says nothing new";
  pick(d, 4, {3, 2});
  ASSERT_EQ(d.played.size(), 2u) << "another head does";
  EXPECT_EQ(d.played[1], sound_of(d, 4, 3));
  d.session.draft.phrase = "another text altogether";
  d.step();
  EXPECT_EQ(d.played.size(), 2u) << "typing is silent";
}

TEST(Aloud, TheSettingIsInItsDialog) {
  Driver d;
  d.push(CommandId::settings);
  d.step();
  d.click("settings/row_sound", 0.75f);
  EXPECT_TRUE(d.settings.row_sound);
}

}  // namespace
}  // namespace headscope::ui
