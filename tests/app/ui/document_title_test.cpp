// The name of the open document on screen, and the mark of changes that are not saved.
#include "app/ui/document_title.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "app/ui/main_view.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

std::string title(Driver& d) {
  return d.state.panels.get<DocumentState>().title;
}

TEST(DocumentTitle, NamesDocumentModelAndChanges) {
  Request kept;
  kept.model = "demo:pronouns";
  Request draft = kept;
  const auto title = [](const std::string& name, const Request& now, const Request& before) {
    return document_title(name, {now}, KeptDocument{before});
  };
  EXPECT_EQ(title("demo:pronouns", draft, kept), "demo:pronouns") << "a model's own document";
  EXPECT_EQ(title("my.json", draft, kept), "my.json · demo:pronouns");
  draft.phrase = "other words";
  EXPECT_EQ(title("my.json", draft, kept), "my.json* · demo:pronouns");
  EXPECT_EQ(document_title("my.json", {kept, {{"a stop", ""}}}, KeptDocument{kept}), "my.json* · demo:pronouns")
      << "a lesson is a change too";
  draft = kept;
  draft.model = "/models/bert-base/";
  EXPECT_EQ(title("demo:pronouns", draft, kept), "bert-base*") << "it follows the model";
  draft.weights = "/files/layer.safetensors";
  EXPECT_EQ(title("my.json", draft, kept), "my.json* · layer.safetensors");
}

// A corpus is of another model than what is computed beside it.
TEST(DocumentTitle, ACorpusHasItsNameAloneWhileItIsLookedAt) {
  Driver d;
  d.session.document.title = "stories.hsagg";
  d.session.view.corpus.file = "/somewhere/stories.hsagg";
  d.session.view.main_view = MainView::corpus;
  d.step();
  EXPECT_EQ(title(d), "stories.hsagg");
  d.session.view.main_view = MainView::layer;
  d.step();
  EXPECT_NE(title(d).find("stories.hsagg \u00b7 "), std::string::npos) << title(d);
}

TEST(DocumentTitle, UndoLeadsBackToTheSavedState) {
  Driver d;
  d.session.open(d.session.draft, d.session.view);
  d.step();
  const std::string before = title(d);
  EXPECT_EQ(before.find('*'), std::string::npos) << before;
  d.click("phrase", 0.95f);
  d.type(" more");
  EXPECT_NE(title(d).find('*'), std::string::npos) << title(d);
  d.ctrl(KeyName::z);
  EXPECT_EQ(title(d), before);
  d.key(KeyName::z, true, true);
  EXPECT_NE(title(d).find('*'), std::string::npos);
}

TEST(DocumentTitle, RemembersTheNewestDocumentsOnly) {
  UiState state;
  const std::list<std::pair<std::string, KeptDocument>>& kept = state.panels.get<DocumentState>().kept;
  for (int k = 0; k < 100; ++k) note_opened(state, "document " + std::to_string(k), {});
  EXPECT_EQ(kept.size(), kMostKeptDocuments);
  EXPECT_EQ(kept.front().first, "document 99");
  EXPECT_EQ(kept.back().first, "document 36");
  note_opened(state, "document 40", {});
  EXPECT_EQ(kept.size(), kMostKeptDocuments);
  EXPECT_EQ(kept.front().first, "document 40");
  Request large;
  large.phrase.assign(kMostKeptBytes / 3, 'x');
  for (const char* title : {"one", "two", "three"}) note_opened(state, title, {large});
  EXPECT_EQ(kept.size(), 2u);
  large.phrase.assign(kMostKeptBytes + 1, 'x');
  note_opened(state, "largest", {large});
  ASSERT_EQ(kept.size(), 1u) << "the open one always";
  EXPECT_EQ(kept.front().second.request, large);
}

TEST(DocumentTitle, WhatIsOpenedHasNoChangesAndFollowsTheModel) {
  Driver d;
  d.drop(HEADSCOPE_SOURCE_DIR "/assets/demos/pronouns");
  EXPECT_EQ(title(d), "pronouns");
  d.choose("request/weights", "seeded");
  EXPECT_EQ(title(d), "seeded") << "another document";
  d.ctrl(KeyName::z);
  EXPECT_EQ(title(d), "pronouns");
}

TEST(DocumentTitle, SavingTakesTheMarkAway) {
  const TemporaryFolder folder;
  Driver d;
  d.click("phrase", 0.95f);
  d.type(" more");
  ASSERT_TRUE(title(d).find('*') != std::string::npos);
  d.settings.open_folder = folder.path();
  d.ctrl(KeyName::s);
  d.click("save/file");
  d.ctrl(KeyName::a);
  d.type("mine.json");
  d.click("save/primary");
  d.step();
  ASSERT_TRUE(std::filesystem::exists(std::filesystem::path(folder.path()) / "mine.json"));
  EXPECT_TRUE(title(d).starts_with("mine.json \u00B7 ")) << title(d);
  d.click("phrase", 0.95f);
  d.type("!");
  EXPECT_TRUE(title(d).starts_with("mine.json* ")) << title(d);
}

TEST(DocumentTitle, LookingElsewhereIsNoChange) {
  Driver d;
  d.step();
  const std::string before = title(d);
  d.ctrl(KeyName::b);
  d.key(KeyName::escape);
  d.key(KeyName::f7);
  EXPECT_EQ(title(d), before);
}

}  // namespace
}  // namespace headscope::ui
