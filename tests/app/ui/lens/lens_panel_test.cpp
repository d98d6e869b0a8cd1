// The view 'lens': what a model would say after every layer, who made a logit, and the way from there to a head.
#include "app/ui/lens/lens_panel.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/session/session.h"
#include "app/session/state_json.h"
#include "app/ui/export_dialog_state.h"
#include "app/ui/phrase/phrase_tokens.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/model_trace.h"
#include "core/model/named_token.h"
#include "core/request/request_text.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

constexpr std::int64_t kLayers = 2;  // of demo:induction

class LensPanel : public testing::Test {
 protected:
  LensPanel() : d(open_document("demo:induction", Request(), ViewState())) {
    d.session.draft.phrase = "cat box ink fox jam cat";
    d.step(4);
    d.key(KeyName::r, true);
  }
  LensView& view() { return d.session.view.lens; }
  LogitLens lens(std::int64_t top = 5, LensOf of = LensOf::layers) {
    return logit_lens("view", d.trace(), {of, 0, top}, CancelToken{});
  }
  bool shows(const std::string& words) {
    return std::any_of(d.texts.begin(), d.texts.end(), [&](const DrawnText& text) { return text.words == words; });
  }
  Driver d;
};

TEST_F(LensPanel, OpensWithTheGridAndLeaves) {
  EXPECT_EQ(d.session.view.main_view, MainView::lens);
  EXPECT_EQ(d.focus(), kLensGrid);
  const auto tokens = static_cast<std::size_t>(d.trace().query_len());
  EXPECT_EQ(d.names("lens/cell/").size(), static_cast<std::size_t>(kLayers + 1) * tokens);
  d.key(KeyName::r, true);
  EXPECT_FALSE(d.has("lens"));
  EXPECT_TRUE(d.has("heads/0"));
}

TEST_F(LensPanel, ACellSaysTheTokensOfTheLens) {
  d.click("lens/cell/1,3");
  EXPECT_EQ(view().layer, 0);
  EXPECT_EQ(view().position, 3);
  const LogitLens known = lens();
  const std::vector<TokenProbability>& top = known.rows[1].positions[3].top;
  ASSERT_EQ(top.size(), 5U);
  for (const TokenProbability& token : top) {
    EXPECT_TRUE(shows(visible_piece(token.piece))) << token.piece;
    EXPECT_TRUE(shows(fmt::format("{:.1f}%", token.probability * 100))) << token.piece;
  }
  EXPECT_TRUE(shows(fmt::format("After layer 0, at 3 {}", visible_piece(d.trace().inputs->tokens[3]))));
}

TEST_F(LensPanel, ArrowsWalkAndEnterOpensTheLayer) {
  d.click("lens/cell/0,0");
  d.key(KeyName::left);
  d.key(KeyName::up);
  EXPECT_EQ(view().layer, -1);
  EXPECT_EQ(view().position, 0);
  d.key(KeyName::end);
  d.key(KeyName::down);
  EXPECT_EQ(view().layer, 0);
  EXPECT_EQ(view().position, d.trace().query_len() - 1);
  d.key(KeyName::down);
  d.key(KeyName::down);
  EXPECT_EQ(view().layer, kLayers - 1) << "there is no row below the last";
  d.key(KeyName::enter);
  EXPECT_EQ(d.session.view.main_view, MainView::layer);
  EXPECT_EQ(d.session.draft.layer, kLayers - 1);
  EXPECT_EQ(d.session.view.cell->row, d.trace().query_len() - 1);
  EXPECT_EQ(parse_view_state(view_state_json(d.session.view)), d.session.view) << "a session keeps it";
}

TEST_F(LensPanel, RowsAreLayersAttentionOrHeads) {
  const auto tokens = static_cast<std::size_t>(d.trace().query_len());
  d.click("lens/cell/1,3");
  d.click("lens/of", 0.5f);
  EXPECT_EQ(view().of, LensOf::attention);
  EXPECT_EQ(d.names("lens/cell/").size(), static_cast<std::size_t>(kLayers) * tokens);
  EXPECT_TRUE(shows("Logit lens after attention"));
  EXPECT_TRUE(shows(fmt::format("After the attention of layer 0, at 3 {}", visible_piece(d.trace().inputs->tokens[3]))))
      << "the layer stays picked";
  d.click("lens/of", 0.9f);
  EXPECT_EQ(view().of, LensOf::heads);
  EXPECT_TRUE(shows("Attention lens"));
  EXPECT_TRUE(shows("head 7"));
  EXPECT_EQ(d.names("lens/cell/").size(), static_cast<std::size_t>(d.trace().num_heads()) * tokens);
  EXPECT_EQ(parse_view_state(view_state_json(d.session.view)).lens, view());
  d.click("lens/of", 0.1f);
  EXPECT_EQ(view().of, LensOf::layers);
  EXPECT_EQ(view().layer, 0);
}

TEST_F(LensPanel, ACellOfAHeadSaysItsTokensAndOpensIt) {
  d.click("lens/of", 0.9f);
  d.click("lens/cell/5,3");
  EXPECT_EQ(d.session.view.head, 5);
  EXPECT_EQ(view().position, 3);
  const LogitLens known = lens(5, LensOf::heads);
  for (const TokenProbability& token : known.rows[5].positions[3].top) {
    EXPECT_TRUE(shows(fmt::format("{:.1f}%", token.probability * 100))) << token.piece;
  }
  EXPECT_TRUE(shows(fmt::format("Head 5 of layer {} alone, at 3 {}", d.trace().inputs->layer,
                                visible_piece(d.trace().inputs->tokens[3]))));
  LogitQuestion question;
  question.position = 3;
  question.ids = {known.model[3].top.front().id};
  EXPECT_TRUE(shows(number_label(attribution(*d.trace().model, question, CancelToken{}).total, 6)))
      << "beside it is the logit of what the model itself says";
  const std::int64_t layer = d.trace().inputs->layer;
  d.key(KeyName::enter);
  EXPECT_EQ(d.session.view.main_view, MainView::layer);
  EXPECT_EQ(d.session.draft.layer.value_or(layer), layer);
  EXPECT_EQ(d.session.view.head, 5);
}

TEST_F(LensPanel, ThePartsOfALogitAddUpToTheModelsOwn) {
  const std::int64_t last = d.trace().query_len() - 1;
  const std::int64_t id = lens(1).rows.back().positions[static_cast<std::size_t>(last)].top.front().id;
  for (int by = 0; by < 3; ++by) {
    SCOPED_TRACE(by);
    d.click("lens/by", (static_cast<float>(by) + 0.5f) / 3);
    EXPECT_EQ(view().by, static_cast<AttributionBy>(by));
    LogitQuestion question;
    question.position = last;
    question.ids = {id};
    question.by = static_cast<AttributionBy>(by);
    const Attribution found = attribution(*d.trace().model, question, CancelToken{});
    EXPECT_NEAR(found.sum, found.total, 1e-4 * std::abs(found.total));
    EXPECT_TRUE(shows(number_label(found.sum, 6)));
    EXPECT_TRUE(shows(number_label(found.total, 6)));
    const auto largest = std::max_element(found.parts.begin(), found.parts.end(), [](const auto& a, const auto& b) {
      return std::abs(a.value) < std::abs(b.value);
    });
    EXPECT_TRUE(shows(number_label(largest->value, 4))) << "the largest part is listed first";
  }
}

TEST_F(LensPanel, TwoTokensAreADifferenceAndTheUsualOneComesBack) {
  const auto last = static_cast<std::size_t>(d.trace().query_len() - 1);
  const std::vector<TokenProbability> top = lens().rows.back().positions[last].top;
  d.click("lens/token/1");
  EXPECT_EQ(view().tokens, std::vector<std::int64_t>{top[1].id});
  d.shift_held = true;
  d.click("lens/token/0");
  d.shift_held = false;
  EXPECT_EQ(view().tokens, (std::vector<std::int64_t>{top[1].id, top[0].id}));
  LogitQuestion question;
  question.position = static_cast<std::int64_t>(last);
  question.ids = view().tokens;
  const Attribution found = attribution(*d.trace().model, question, CancelToken{});
  EXPECT_LT(found.total, 0) << "the second is more probable";
  EXPECT_TRUE(shows(number_label(found.total, 6)));
  d.click("lens/usual_token");
  EXPECT_TRUE(view().tokens.empty());
  EXPECT_FALSE(d.has("lens/usual_token"));
}

TEST_F(LensPanel, ALossIsTakenApartInPlaceOfALogit) {
  d.click("lens/token/0");
  d.click("lens/loss", 0.75f);
  d.step(4);
  EXPECT_TRUE(view().loss);
  const std::string piece = visible_piece(token_piece(*d.trace().model->checkpoint, view().tokens.at(0)));
  EXPECT_TRUE(shows("Who made the loss of " + piece));
  LogitQuestion question{d.trace().query_len() - 1, view().tokens, AttributionBy::components};
  question.loss = true;
  const Attribution found = attribution(*d.trace().model, question, CancelToken());
  EXPECT_TRUE(shows(number_label(found.total, 6)));
  EXPECT_TRUE(d.has("lens/part: entropy of the prediction"));
  EXPECT_EQ(parse_view_state(view_state_json(d.session.view)).lens, view());
  d.click("lens/loss", 0.25f);
  d.step(4);
  EXPECT_TRUE(shows("Who made the logit of " + piece));
}

TEST_F(LensPanel, APartLeadsToItsHead) {
  d.click("lens/by", 0.5f);
  LogitQuestion question;
  question.position = d.trace().query_len() - 1;
  question.ids = {lens(1).rows.back().positions.back().top.front().id};
  question.by = AttributionBy::heads;
  Attribution found = attribution(*d.trace().model, question, CancelToken{});
  std::stable_sort(found.parts.begin(), found.parts.end(),
                   [](const auto& a, const auto& b) { return std::abs(a.value) > std::abs(b.value); });
  const auto head = std::find_if(found.parts.begin(), found.parts.end(), [](const auto& part) { return part.head; });
  ASSERT_NE(head, found.parts.end());
  d.click(fmt::format("lens/part/{}", head - found.parts.begin()));
  EXPECT_EQ(d.session.view.main_view, MainView::layer);
  EXPECT_EQ(d.session.draft.layer, *head->layer);
  EXPECT_EQ(d.session.view.head, *head->head);
}

TEST_F(LensPanel, ItsStateIsKeptAndItsPicturesAreOffered) {
  d.click("lens/cell/1,2");
  d.click("lens/token/0");
  d.click("lens/by", 0.5f);
  EXPECT_EQ(parse_view_state(view_state_json(d.session.view)).lens, view());
  d.key(KeyName::e, true);
  EXPECT_EQ(d.state.panels.get<ExportDialogState>().choice.subject, ExportSubject::lens);
}

TEST_F(LensPanel, AnIdThatIsNotThereIsSaid) {
  view().tokens = {1'000'000};
  d.step(3);
  EXPECT_TRUE(d.has("lens/logit_sentence"));
}

TEST(LensPanelElsewhere, OneLayerHasNone) {
  Driver d(phrase_document("a b c"));
  d.key(KeyName::r, true);
  EXPECT_EQ(d.session.view.main_view, MainView::lens) << "it opens when there is a model";
  EXPECT_TRUE(d.has("heads/0")) << "one layer is shown until then";
  EXPECT_FALSE(d.has("lens"));
}

TEST(LensPanelElsewhere, SmallWindowsAndLongTextsDrawWhatIsInSight) {
  Driver d(open_document("demo:induction", Request(), ViewState()), 960, 640);
  std::string phrase = "cat";
  for (int k = 0; k < 60; ++k) phrase += " box ink";
  d.session.draft.phrase = phrase;
  d.step(4);
  d.key(KeyName::r, true);
  ASSERT_TRUE(d.has("lens"));
  const std::int64_t last = d.trace().query_len() - 1;
  EXPECT_TRUE(d.has(fmt::format("lens/cell/0,{}", last))) << "the picked cell is scrolled into sight";
  EXPECT_FALSE(d.has("lens/cell/0,0"));
  d.key(KeyName::home);
  EXPECT_TRUE(d.has("lens/cell/0,0"));
  EXPECT_FALSE(d.has(fmt::format("lens/cell/0,{}", last)));
  EXPECT_TRUE(d.has("lens/part/0")) << "the parts stand below where there is no room beside";
}

}  // namespace
}  // namespace headscope::ui
