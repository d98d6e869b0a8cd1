// How an English text finds its translation: by its own row, by a row with captures, part by part.
#include "app/ui/widgets/translation.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headscope::ui {
namespace {

using Ways = std::vector<std::string>;

Translation spanish() {
  return Translation({{"Heads", {"Cabezas"}},
                      {"Head", {"Cabeza"}},
                      {"Open...", {"Abrir..."}},
                      {"query", {"consulta"}},
                      {"more", {"m\u00e1s"}},
                      {"{} of {} heads", {"{} de {} cabezas"}},
                      {"{} row{}", {"{} fila{}"}},
                      {"Shows {}.", {"Muestra {*}."}},
                      {"{} comes before {}", {"{2} viene despu\u00e9s de {1}"}},
                      {" looks at ", {" mira "}},
                      {"; without this head ", {"; sin esta cabeza "}},
                      {" The model goes on with {}, ", {" El modelo sigue con {}, "}},
                      {"attention of the layer", {"atenci\u00f3n de la capa", "atenci\u00f3n"}},
                      {"Nothing is hidden.", {"Nada est\u00e1 oculto."}},
                      {"Save {} as {{}}", {"Guardar {} como {x}"}}});
}

std::string one(Translation& words, const std::string& english) {
  const Ways& ways = words.ways(english);
  return ways.empty() ? "" : ways.front();
}

TEST(Translation, ARowOfItsOwn) {
  Translation words = spanish();
  EXPECT_EQ(one(words, "Head"), "Cabeza");
  EXPECT_EQ(one(words, "Open..."), "Abrir...");
  EXPECT_EQ(words.ways("attention of the layer"), (Ways{"atenci\u00f3n de la capa", "atenci\u00f3n"}));
}

TEST(Translation, CapturesStayAsTheyAreButWhereTheRowSaysOtherwise) {
  Translation words = spanish();
  EXPECT_EQ(one(words, "3 of 8 heads"), "3 de 8 cabezas");
  EXPECT_EQ(one(words, "1 row"), "1 fila");
  EXPECT_EQ(one(words, "2 rows"), "2 filas");
  EXPECT_EQ(one(words, "query comes before Head"), "Head viene despu\u00e9s de query");
  EXPECT_EQ(one(words, "Shows query."), "Muestra consulta.");
  EXPECT_EQ(one(words, "Shows zebra."), "Muestra zebra.");
}

TEST(Translation, PartByPartWhereEveryPartHasARow) {
  Translation words = spanish();
  EXPECT_EQ(one(words, "Head \u00b7 3 of 8 heads"), "Cabeza \u00b7 3 de 8 cabezas");
  EXPECT_EQ(one(words, "Shows query. Nothing is hidden."), "Muestra consulta. Nada est\u00e1 oculto.");
  EXPECT_EQ(one(words, "Head, 12 %"), "Cabeza, 12 %");
  EXPECT_EQ(one(words, "Head, zebra"), "") << "one part has no row";
}

TEST(Translation, PiecesOfASentenceKeepTheirBlanksAndMarks) {
  Translation words = spanish();
  EXPECT_EQ(one(words, " looks at "), " mira ");
  EXPECT_EQ(one(words, "looks at"), "mira");
  EXPECT_EQ(one(words, ". The model goes on with book, "), ". El modelo sigue con book, ");
  EXPECT_EQ(one(words, " %; without this head "), " %; sin esta cabeza ");
  EXPECT_EQ(one(words, ". The model goes on with ., "), ". El modelo sigue con ., ");
}

TEST(Translation, ASentenceMayBeginWithWhatARowHasInSmallLetters) {
  Translation words = spanish();
  EXPECT_EQ(one(words, "More"), "M\u00e1s");
  EXPECT_EQ(one(words, "Nothing is hidden. Query."), "Nada est\u00e1 oculto. Consulta.");
}

TEST(Translation, NothingElseIsTouched) {
  Translation words = spanish();
  for (const char* text : {"", " ", "12.5", "zebra", "W_Q", "two heads there", "caf\u00e9", "query key"}) {
    EXPECT_EQ(one(words, text), "") << text;
  }
}

// Parts of parts are looked at once for each separator, not for each order of separators.
TEST(Translation, ALongTextWithoutATranslationTakesNoTime) {
  Translation words = spanish();
  std::string text;
  while (text.size() < 3900) text += "Head, query (Head: query; Head. query \u00b7 Head, zebra";
  EXPECT_EQ(one(words, text), "");
}

// What was found is the same after it was forgotten, and after much else was asked for.
TEST(Translation, ForgettingChangesNothing) {
  Translation words = spanish();
  for (int k = 0; k < 40000; ++k) words.ways(std::to_string(k) + " of 8 heads");
  words.forget();
  EXPECT_EQ(one(words, "7 of 8 heads"), "7 de 8 cabezas");
}

}  // namespace
}  // namespace headscope::ui
