// The palette finds what people call things, also as a question; letters that happen to stand in order come after
// words.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/dialogs/palette_search.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

std::vector<std::string> hits_of(Driver& d, const std::string& query) {
  if (d.state.dialog != DialogKind::palette) d.ctrl(KeyName::p);
  d.ctrl(KeyName::a);
  d.clipboard = query;
  d.ctrl(KeyName::v);
  std::vector<std::string> labels;
  for (const PaletteHit& hit : d.state.panels.get<PaletteSearch>().hits) {
    labels.push_back(std::string(hit.kind->name) + ": " + hit.entry.label);
  }
  return labels;
}

TEST(PaletteWords, FindWhatPeopleSay) {
  Driver d{phrase_document(kTwelve)};
  d.step(3);
  const std::vector<std::pair<const char*, const char*>> said = {{"random", "value: model seeded"},
                                                                 {"untrained", "value: model seeded"},
                                                                 {"training", "value: model demo:stories"},
                                                                 {"how many heads", "option: heads"},
                                                                 {"print", "command: Export..."},
                                                                 {"handout", "command: Handout..."},
                                                                 {"handouts", "command: Handout..."},
                                                                 {"leaflet", "command: Handout..."},
                                                                 {"worksheet", "command: Worksheet..."},
                                                                 {"homework", "command: Worksheet..."},
                                                                 {"export csv", "command: Export..."},
                                                                 {"dark", "command: Dark or light"},
                                                                 {"bigger", "command: Larger"},
                                                                 {"language", "setting: language Español"},
                                                                 {"head off", "option: ablate"},
                                                                 {"turn a head off", "option: ablate"},
                                                                 {"what is the mask", "option: mask"},
                                                                 {"spanish", "setting: language Español"}};
  for (const auto& [query, expected] : said) {
    const std::vector<std::string> hits = hits_of(d, query);
    const auto end = hits.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(4, hits.size()));
    EXPECT_NE(std::find(hits.begin(), end, expected), end)
        << query << ": " << (hits.empty() ? "nothing" : hits.front());
  }
  EXPECT_FALSE(hits_of(d, "how").empty()) << "a word alone is searched for";
}

// In another language the palette finds what stands on screen, and the English names as well as before.
TEST(PaletteWords, FindNamesInBothLanguages) {
  Driver d{phrase_document(kTwelve)};
  d.settings.language = "es";
  d.step(3);
  for (const char* query : {"tour", "visita", "export", "exportar", "undo", "deshacer", "dark or light"}) {
    const std::vector<std::string> hits = hits_of(d, query);
    ASSERT_FALSE(hits.empty()) << query;
    EXPECT_TRUE(hits.front().starts_with("command: ")) << query << ": " << hits.front();
  }
  EXPECT_EQ(hits_of(d, "tour").front(), "command: Tour");
  EXPECT_EQ(hits_of(d, "visita").front(), "command: Tour");
  EXPECT_EQ(hits_of(d, "deshacer").front(), "command: Undo");
}

}  // namespace
}  // namespace headscope::ui
