// The words of the main views, and the pictures that open in them.
#include "app/session/main_view.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "app/session/state_json.h"
#include "tests/app/session/every_main_view.h"

namespace headscope {
namespace {

static_assert(is_main_view<MainView::layer>() && !is_main_view<static_cast<MainView>(63)>());

TEST(MainViewWords, EveryViewHasOneOfItsOwn) {
  const std::vector<MainView> views = every_main_view();
  ASSERT_EQ(kMainViewWords.size(), views.size()) << "a view has no row";
  std::set<std::string> words;
  for (const MainView view : views) {
    const std::string word = main_view_word(view);
    EXPECT_FALSE(word.empty()) << static_cast<int>(view);
    EXPECT_TRUE(words.insert(word).second) << word << " is there twice";
  }
}

TEST(MainViewWords, FilesBringEveryViewBack) {
  for (const MainViewWord& row : kMainViewWords) {
    ViewState view;
    view.main_view = row.view;
    const std::string text = view_state_json(view);
    EXPECT_NE(text.find("\"main_view\": \"" + std::string(row.word) + '"'), std::string::npos) << text;
    EXPECT_EQ(parse_view_state(text).main_view, row.view) << row.word;
  }
}

TEST(MainViewWords, APictureOpensInTheViewThatMadeIt) {
  const auto opened = [](ViewKind picture) {
    ViewSpec spec;
    spec.view = picture;
    ViewState view;
    apply_view_spec(view, spec);
    return view.main_view;
  };
  EXPECT_EQ(opened(ViewKind::layers), MainView::layers);
  EXPECT_EQ(opened(ViewKind::difference), MainView::compare);
  EXPECT_EQ(opened(ViewKind::sensitivity), MainView::sensitivity);
  EXPECT_EQ(opened(ViewKind::text), MainView::text);
  EXPECT_EQ(opened(ViewKind::lens), MainView::lens);
  EXPECT_EQ(opened(ViewKind::sweep), MainView::sweep);
  EXPECT_EQ(opened(ViewKind::attribution), MainView::lens);
  EXPECT_EQ(opened(ViewKind::heads), MainView::layer);
  EXPECT_EQ(opened(ViewKind::arcs), MainView::layer);
}

}  // namespace
}  // namespace headscope
