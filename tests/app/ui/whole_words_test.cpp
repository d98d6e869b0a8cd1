// The window's own words are never cut: every view at every size and text size, folded and unfolded.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/documents.h"
#include "app/session/session.h"
#include "app/ui/command_list.h"
#include "app/ui/main_view.h"
#include "core/attention/trace.h"
#include "tests/app/ui/driver.h"
#include "tests/app/ui/first_start.h"

namespace headscope::ui {
namespace {

constexpr std::string_view kEllipsis = "…";

// The beginning of one of the text's tokens: a user's word, which may be long.
bool is_token(const std::vector<std::string>& tokens, std::string_view beginning) {
  return std::any_of(tokens.begin(), tokens.end(),
                     [&](const std::string& token) { return token.find(beginning) != token.npos; });
}

// What a user or a file has written: words of the phrase, tokens of the vocabulary, names of tensors.
bool is_given(const Driver& d, std::string_view beginning) {
  for (const std::string_view title : {"now: ", "pinned: ", "ahora: ", "fijado: "}) {
    if (beginning.starts_with(title)) return d.session.draft.phrase.starts_with(beginning.substr(title.size()));
  }
  // A command with the phrase in it is copied whole by the button beside it.
  return beginning.starts_with("headscope-cli ") || beginning.starts_with("<|") || beginning.starts_with("␣");
}

// What stands on screen with an ellipsis that nobody has written.
std::vector<std::string> cut_words(Driver& d) {
  std::vector<std::string> cut;
  const std::vector<std::string> tokens = d.trace().query_labels();
  for (const DrawnText& drawn : d.texts) {
    std::string_view words = drawn.words;
    if (!words.ends_with(kEllipsis)) continue;
    words.remove_suffix(kEllipsis.size());
    if (words.empty() || words.ends_with(' ') || is_token(tokens, words) || is_given(d, words)) continue;
    cut.push_back(drawn.words);
  }
  return cut;
}

struct Window {
  int width, height;
  float scale;
};
constexpr Window kWindows[] = {{1280, 800, 1},  {1280, 800, 1.3f},  {1280, 800, 1.6f}, {1024, 700, 1},
                               {1600, 1000, 1}, {1600, 1000, 1.6f}, {2560, 1440, 1},   {3840, 2160, 2}};

// Documents that fill the views: a trained model, a seeded layer, and a model that reads a text and writes another.
std::vector<Document> documents() {
  std::vector<Document> all = {at_first_start(), phrase_document(kTwelve)};
  for (const char* demo : {"demo:pronouns", "demo:induction"}) all.push_back(open_document(demo, {}, {}, ""));
  return all;
}

void report(const std::set<std::string>& found) {
  for (const std::string& each : found) ADD_FAILURE() << each;
}

// In every language of the window, a case each.
class WholeWords : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Languages, WholeWords, ::testing::Values("en", "es"));

TEST_P(WholeWords, NoneOfTheWindowsOwnIsCutInAView) {
  std::set<std::string> found;
  for (const Document& document : documents()) {
    for (const Window& window : kWindows) {
      for (const bool unfolded : {false, true}) {
        Driver d(document, window.width, window.height, window.scale);
        d.settings.language = GetParam();
        if (unfolded) d.push(CommandId::unfold_all);
        for (const MainViewInfo& info : main_views()) {
          if (d.session.trace() == nullptr) break;
          d.session.view.main_view = info.view;
          d.step(6);
          for (const std::string& cut : cut_words(d)) found.insert(std::string(info.name) + " | " + cut);
        }
      }
    }
  }
  report(found);
}

// Every command whose name ends with dots opens one.
TEST_P(WholeWords, NoneOfTheWindowsOwnIsCutInADialog) {
  std::set<std::string> found;
  for (const Window& window : kWindows) {
    for (const CommandInfo& info : command_list()) {
      if (!std::string_view(info.title).ends_with("...")) continue;
      Driver d(at_first_start(), window.width, window.height, window.scale);
      d.settings.language = GetParam();
      d.push(info.id);
      d.step(6);
      for (const std::string& cut : cut_words(d)) found.insert(std::string(info.title) + " | " + cut);
    }
  }
  report(found);
}

TEST(CutWords, AreToldFromTheUsersThatMayBeCut) {
  Driver d(at_first_start());
  d.texts = {{"Comp…", {}}, {"Computing …", {}}, {"An…", {}}, {"…", {}}, {"a whole sentence.", {}}};
  EXPECT_EQ(cut_words(d), std::vector<std::string>{"Comp…"});
}

}  // namespace
}  // namespace headscope::ui
