// What a picture of the heads of a corpus keeps, and how it is told from other pictures.
#include "app/session/corpus_recipe.h"

#include <gtest/gtest.h>

#include "app/session/documents.h"
#include "app/session/lesson_stops.h"
#include "tests/app/session/temporary_folder.h"

namespace headscope {
namespace {

CorpusView sinks_of(const std::string& file) {
  CorpusView view;
  view.file = file;
  view.x = "sink";
  view.head = Cell{1, 3};
  return view;
}

TEST(CorpusRecipe, IsReadBack) {
  const CorpusView view = sinks_of("/a/all.hsagg");
  const auto recipe = corpus_recipe({view, "what 16 heads do"}, corpus_spec(view, Theme::light, 1.5));
  const SessionFile session = parse_session(recipe.at("headscope"), "it");
  EXPECT_EQ(session.view->theme, Theme::light);
  EXPECT_EQ(session.view->scale, 1.5);
  const auto picture = corpus_picture_of(session, "it");
  ASSERT_TRUE(picture.has_value());
  EXPECT_EQ(picture->view, view);
  EXPECT_EQ(picture->fact, "what 16 heads do");
  EXPECT_EQ(corpus_recipe(session, *picture, *session.view), recipe);
  const Document document = open_session_text(recipe.at("headscope"), "it", ViewState());
  EXPECT_EQ(document.view.main_view, MainView::corpus);
  EXPECT_EQ(document.view.corpus, view);
}

TEST(CorpusRecipe, OfTheWindowIsKnownByItsPictureNotByWhatElseItShows) {
  ViewState shown;
  shown.main_view = MainView::corpus;
  shown.corpus = sinks_of("/a/all.hsagg");
  Request request;
  request.phrase = "a b";
  const auto picture_of = [&](const std::string& window) {
    return corpus_picture_of(parse_session(session_json(request, ViewSpec(), window), "it"), "it");
  };
  EXPECT_FALSE(picture_of(window_of_picture(shown)).has_value()) << "a picture of a stage, of a document with a corpus";
  EXPECT_FALSE(picture_of("").has_value());
  EXPECT_FALSE(picture_of("{\"corpus_picture\": 1}").has_value());
  EXPECT_FALSE(picture_of("{\"corpus_picture\": \"of nothing\"}").has_value());
  const auto picture = picture_of(window_of_corpus_picture(shown, "what 16 heads do"));
  ASSERT_TRUE(picture.has_value());
  EXPECT_EQ(picture->view, shown.corpus);
  EXPECT_EQ(picture->fact, "what 16 heads do");
}

TEST(CorpusRecipe, TheCorpusIsWhereItWasOrBesideThePicture) {
  const TemporaryFolder folder;
  const std::string there = folder.write("a/all.hsagg", "x"), picture = folder / "b/heads.png";
  EXPECT_EQ(corpus_at_hand(there, picture), there);
  EXPECT_EQ(corpus_at_hand(folder / "c/all.hsagg", picture), "");
  const std::string beside = folder.write("b/all.hsagg", "x");
  EXPECT_EQ(corpus_at_hand(folder / "c/all.hsagg", picture), beside);
  EXPECT_EQ(corpus_at_hand(there, picture), there) << "its own place comes first";
}

}  // namespace
}  // namespace headscope
