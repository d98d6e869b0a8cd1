// Exports of views whose answer is on screen: it is written, and not computed again.
#include "app/ui/dialogs/exported.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "app/session/session.h"
#include "app/ui/export_dialog_state.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

TEST(Exported, GradientsOnScreenAreATable) {
  Driver d(open_document("demo:induction", Request(), ViewState()));
  d.session.draft.phrase = "cat box ink fox jam cat";
  d.step(4);
  d.key(KeyName::b, true, true);
  d.step(4);
  d.settings.native_dialogs = "never";
  d.ctrl(KeyName::e);
  d.step(2);
  ASSERT_TRUE(d.has("export/what/gradients"));
  const ExportDialogState& state = d.state.panels.get<ExportDialogState>();
  EXPECT_EQ(state.choice.subject, ExportSubject::gradients) << "the subject in the middle of the window";
  EXPECT_EQ(state.choice.format, ExportFile::csv);
  EXPECT_EQ(state.forecast.problem, "");
  ASSERT_NE(state.previewed_gradients, nullptr);
  EXPECT_EQ(state.choice.file, "demo-induction.gradients.csv");
  const bool says = std::any_of(d.texts.begin(), d.texts.end(), [](const DrawnText& text) {
    return text.words.find("headscope-cli gradients") != std::string::npos;
  });
  EXPECT_TRUE(says);
}

}  // namespace
}  // namespace headscope::ui
