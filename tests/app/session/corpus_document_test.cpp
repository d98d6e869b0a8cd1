// A scan as a document, and its examples.
#include "app/session/corpus_document.h"
#include "app/session/corpus_example.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "app/session/state_json.h"
#include "core/base/error.h"
#include "core/model/demo_checkpoints.h"
#include "tests/app/session/corpus_files.h"
#include "tests/core/corpus/changed_demo.h"
#include "tests/core/headvis/documented_tree.h"

namespace headscope {
namespace {

class CorpusDocument : public testing::Test {
 protected:
  CorpusDocument() : record_(std::make_shared<const CorpusRecord>(test::scanned_lines())) {}
  static std::string says(const std::function<void()>& f) {
    try {
      f();
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  }
  TemporaryFolder folder_;
  std::shared_ptr<const CorpusRecord> record_;
};

TEST_F(CorpusDocument, OpensBesideWhatIsComputed) {
  Request current;
  current.phrase = "cat box";
  ViewState view;
  view.corpus.x = "first";
  view.corpus.head = Cell{1, 2};
  const std::string file = test::write_scanned(folder_, "all", false);
  const Document document = open_document(file, current, view);
  EXPECT_EQ(document.request, current);
  EXPECT_EQ(document.view.main_view, MainView::corpus);
  EXPECT_EQ(document.view.corpus.file, file);
  EXPECT_EQ(document.view.corpus.x, "first") << "axes stay";
  EXPECT_EQ(document.view.corpus.head, std::nullopt);
  EXPECT_TRUE(document.view.corpus.chosen.empty());
  EXPECT_EQ(document.title, "all.hsagg");
}

TEST_F(CorpusDocument, AFolderOfHeadVisOpensLikeAScan) {
  test::write_documented_tree(folder_, "data");
  Request current;
  current.phrase = "cat box";
  const Document document = open_document(folder_ / "data/", current, ViewState());
  EXPECT_EQ(document.request, current);
  EXPECT_EQ(document.view.main_view, MainView::corpus);
  EXPECT_EQ(document.view.corpus.file, folder_ / "data");
  const CorpusContents contents = corpus_contents({folder_ / "data"}, {});
  ASSERT_NE(contents.headvis, nullptr);
  EXPECT_EQ(contents.record->facts.model, "gemma");
  EXPECT_EQ(contents.table->heads.size(), 2U);
  const HeadVisHead head = headvis_head({contents.headvis, folder_ / "data", {2, 0}}, {});
  EXPECT_EQ(head.sequences.size(), 2U);
  EXPECT_THROW(headvis_head({contents.headvis, folder_ / "data", {7, 7}}, {}), Error);
}

TEST_F(CorpusDocument, AFolderOfHeadVisThatSaysNothingIsRefused) {
  folder_.write("data/config.json", R"({"model_name":"m","heads":[],"metrics":["a"]})");
  folder_.write("data/scatter_data.json", "[]");
  EXPECT_NE(says([&] { corpus_contents({folder_ / "data"}, {}); }).find("lists no head"), std::string::npos);
  folder_.write("data/config.json", R"({"model_name":"m","heads":[[0,0]],"metrics":[]})");
  folder_.write("data/scatter_data.json", R"([{"layer":0,"head":0}])");
  EXPECT_NE(says([&] { corpus_contents({folder_ / "data"}, {}); }).find("lists no metric"), std::string::npos);
}

TEST_F(CorpusDocument, ASessionKeepsIt) {
  ViewState view;
  view.corpus = {"/a/all.hsagg", "/a/list.txt", "first", "self", "sink", "entropy", Cell{3, 4}};
  view.corpus.examples = ExamplesOf::tenths;
  view.corpus.example = 7;
  view.corpus.chosen = {{0, 3}, {2, 1}};
  view.corpus.find = "entropy < 1";
  view.corpus.side = CorpusSide::tree;
  view.corpus.clusters_of = ClustersOf::layer;
  view.corpus.cut = 0.25;
  EXPECT_EQ(parse_view_state(view_state_json(view)), view);
  const ViewState unsorted = parse_view_state(R"({"corpus": {"chosen": [[2, 1], [0, 3], [2, 1]]}})");
  EXPECT_EQ(unsorted.corpus.chosen, view.corpus.chosen) << "sorted, each once";
  for (const char* wrong :
       {R"({"corpus": {"x": ""}})", R"({"corpus": {"head": [1, -2]}})", R"({"corpus": {"chosen": [[1]]}})",
        R"({"corpus": {"chosen": [[1, -2]]}})", R"({"corpus": {"chosen": 3}})", R"({"corpus": {"side": "left"}})",
        R"({"corpus": {"clusters_of": "some"}})"}) {
    EXPECT_THROW(parse_view_state(wrong), Error) << wrong;
  }
  EXPECT_EQ(parse_view_state(R"({"corpus": {"cut": 3}})").corpus.cut, 2) << "the farthest that two heads can be";
}

TEST_F(CorpusDocument, TheListIsToldByItsDigest) {
  const std::string right = folder_.write("right.txt", test::demo_lines(test::kScannedLines));
  const std::string wrong = folder_.write("wrong.txt", test::demo_lines(test::kScannedLines + 1));
  EXPECT_EQ(corpus_list({record_, right}, {})->size(), test::kScannedLines);
  const std::string words = says([&] { corpus_list({record_, wrong}, {}); });
  EXPECT_NE(words.find("wrong.txt is not the list that was scanned"), std::string::npos) << words;
  EXPECT_NE(words.find(record_->facts.list_sha256), std::string::npos) << words;
}

TEST_F(CorpusDocument, TheModelIsToldByItsWeights) {
  EXPECT_NE(corpus_model({record_, demo_folder("induction")}, {}), nullptr) << "the same, by another name";
  const std::string words = says([&] { corpus_model({record_, "demo:pronouns"}, {}); });
  EXPECT_NE(words.find("demo:pronouns is not the model that was scanned"), std::string::npos) << words;
  EXPECT_NE(words.find(record_->facts.sha256), std::string::npos) << words;
}

TEST_F(CorpusDocument, TheModelIsToldByItsSettingsToo) {
  const std::string changed = test::demo_with("induction", folder_ / "changed", "layer_norm_eps", 0.5);
  const std::string words = says([&] { corpus_model({record_, changed}, {}); });
  EXPECT_NE(words.find("is not the model that was scanned"), std::string::npos) << words;
  EXPECT_NE(words.find("norm_eps is 0.5, there"), std::string::npos) << words;
  CorpusRecord older = *record_;
  older.facts.architecture.clear();
  EXPECT_NE(corpus_model({std::make_shared<const CorpusRecord>(older), changed}, {}), nullptr)
      << "an older file knows the weights alone";
}

TEST_F(CorpusDocument, PhrasesAreThoseThatWereCounted) {
  const auto list = std::make_shared<const PhraseList>(PhraseList::of_text(test::demo_lines(test::kScannedLines)));
  const auto tokenizer = corpus_model({record_, "demo:induction"}, {});
  for (std::size_t head = 0; head < record_->heads.size(); ++head) {
    const std::vector<CorpusPhrase> phrases =
        corpus_phrases_of({record_, list, tokenizer, record_->heads[head].top}, {});
    const std::vector<CorpusExample>& examples = record_->heads[head].top;
    ASSERT_EQ(phrases.size(), examples.size());
    for (std::size_t k = 0; k < phrases.size(); ++k) {
      EXPECT_GT(std::ssize(phrases[k].ids), examples[k].query);
      EXPECT_EQ(phrases[k].ids.size(), phrases[k].pieces.size());
      EXPECT_FALSE(phrases[k].cut);
    }
  }
  CorpusRecord forged = *record_;
  forged.heads[0].top[0].hash += 1;
  const auto shared = std::make_shared<const CorpusRecord>(forged);
  EXPECT_THROW(corpus_phrases_of({shared, list, nullptr, shared->heads[0].top}, {}), Error);
}

TEST_F(CorpusDocument, AnExampleIsItsPhraseHeadAndCell) {
  Request current;
  current.threads = 3;
  current.phrase = "something else";
  const CorpusPhrase phrase{"cat box", {1, 2}, {"cat", "box"}, false};
  const Document document =
      example_document(*record_, {9, record_->heads[9].top[0], "demo:induction"}, phrase, current, ViewState());
  EXPECT_EQ(document.request.model, "demo:induction");
  EXPECT_EQ(document.request.phrase, "cat box");
  EXPECT_EQ(document.request.threads, 3);
  EXPECT_EQ(document.request.layer, record_->heads[9].layer);
  EXPECT_EQ(document.view.head, record_->heads[9].head);
  EXPECT_EQ(document.view.cell, (Cell{record_->heads[9].top[0].query, record_->heads[9].top[0].key}));
  EXPECT_EQ(document.view.main_view, MainView::layer);
  CorpusPhrase cut = phrase;
  cut.cut = true;
  const Document shorter =
      example_document(*record_, {9, record_->heads[9].top[0], "demo:induction"}, cut, current, ViewState());
  EXPECT_EQ(shorter.request.phrase, "");
  EXPECT_EQ(shorter.request.token_ids, (std::vector<std::int64_t>{1, 2})) << "what was scanned of it";
}

TEST_F(CorpusDocument, ADemoIsItsOwnModelAndOthersAreTheOpenOne) {
  Request current;
  EXPECT_EQ(model_for(*record_, current), "demo:induction");
  CorpusRecord other = *record_;
  other.facts.model = "gpt2";
  EXPECT_EQ(model_for(other, current), "") << "seeded weights are none";
  current.model = "demo:pronouns";
  EXPECT_EQ(model_for(other, current), "");
  current.model = "/models/gpt2";
  EXPECT_EQ(model_for(other, current), "/models/gpt2");
}

TEST_F(CorpusDocument, ListsBesideTheFileAreFound) {
  const std::string file = test::write_scanned(folder_, "all", false);
  EXPECT_EQ(list_beside(file), "");
  const std::string list = folder_.write("all.jsonl.gz", "");
  EXPECT_EQ(list_beside(file), list);
  EXPECT_TRUE(shipped_corpus().ends_with("stories.hsagg"));
}

}  // namespace
}  // namespace headscope
