// The window in another language: its own words are said in it, and words of the user, of files and of vocabularies
// never.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cctype>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/documents.h"
#include "app/session/session.h"
#include "app/ui/command_list.h"
#include "app/ui/main_view.h"
#include "app/ui/widgets/translation.h"
#include "tests/app/ui/driver.h"
#include "tests/app/ui/first_start.h"

namespace headscope::ui {
namespace {

// Shows every view, folded and unfolded, and calls `look` after each.
template <class Look>
void in_every_view(Driver& d, const Look& look) {
  for (const bool unfolded : {false, true}) {
    if (unfolded) d.push(CommandId::unfold_all);
    for (const MainViewInfo& info : main_views()) {
      d.session.view.main_view = info.view;
      d.step(6);
      look(std::string(info.name));
    }
  }
}

template <class Look>
void in_every_dialog(const Look& look) {
  for (const CommandInfo& info : command_list()) {
    if (!std::string_view(info.title).ends_with("...")) continue;
    look(info);
  }
}

// Code, an expression or the name of a cell: "query[green] · key[book]", "exp(0)", "--heads", "raw_scores".
bool is_code(std::string_view text) {
  if (text.find_first_of("[]_=|{}") != text.npos || text.starts_with("--") || text.starts_with("headscope-cli"))
    return true;
  const std::size_t open = text.find('(');
  return open != text.npos && open > 0 && std::isalpha(static_cast<unsigned char>(text[open - 1])) != 0;
}

constexpr const char* kMark = "TRANSLATED";

// Rows for the words of the text, for what the model says next, and for their beginnings with a blank.
TranslationTable rows_of_tokens() {
  TranslationTable table;
  for (const char* word :
       {"And", "Anna", "had", "red", "ball", "and", "Tom", "green", "book", "gave", "stone", "sh", "coin"}) {
    for (const char* before : {"", " ", "\u2423"}) table[std::string(before) + word] = {kMark};
  }
  return table;
}

TEST(SpokenWords, ATokenIsNeverTranslated) {
  Translation tokens(rows_of_tokens());
  std::set<std::string> found;
  Driver d(at_first_start());
  d.translation = &tokens;
  in_every_view(d, [&](const std::string& view) {
    for (const DrawnText& drawn : d.texts) {
      if (drawn.words.find(kMark) == std::string::npos) continue;
      found.insert(fmt::format("{} at {:.0f}, {:.0f}", view, drawn.at.x, drawn.at.y));
    }
  });
  for (const std::string& each : found) ADD_FAILURE() << each;
}

TEST(SpokenWords, OursAreAllSaidInSpanish) {
  std::set<std::string> found;
  for (const Document& document : {at_first_start(), phrase_document(kTwelve)}) {
    Driver d(document);
    d.settings.language = "es";
    in_every_view(d, [&](const std::string& view) {
      for (const std::string& english : d.untranslated) {
        if (!is_code(english)) found.insert(view + " | " + english);
      }
      d.untranslated.clear();
    });
  }
  in_every_dialog([&](const CommandInfo& info) {
    Driver d(at_first_start());
    d.untranslated.clear();
    d.settings.language = "es";
    d.step(2);
    d.untranslated.clear();
    d.push(info.id);
    d.step(6);
    for (const std::string& english : d.untranslated) {
      if (!is_code(english)) found.insert(std::string(info.title) + " | " + english);
    }
  });
  for (const std::string& each : found) ADD_FAILURE() << each;
}

}  // namespace
}  // namespace headscope::ui
