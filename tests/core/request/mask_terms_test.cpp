// The table of mask terms: a row a kind, no column forgotten, spelled and read back.
#include "core/request/mask_terms.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/request/request_text.h"

namespace headscope {
namespace {

using Kind = MaskTerm::Kind;

// A new kind does not compile here without a case (-Wswitch): the table must have its row, then this its word.
std::string_view word_of(Kind kind) {
  switch (kind) {
    case Kind::causal:
      return "causal";
    case Kind::padding:
      return "padding";
    case Kind::window:
      return "window";
    case Kind::prefix:
      return "prefix";
    case Kind::alibi:
      return "alibi";
    case Kind::file:
      return "file";
  }
  return "";
}

MaskTerm term_of(const MaskTermInfo& info, std::int64_t size) {
  if (info.kind == Kind::file) return {info.kind, 0, "m.npy"};
  return {info.kind, info.takes_number() ? size : 0, ""};
}

TEST(MaskTerms, EveryKindHasItsRow) {
  ASSERT_EQ(mask_term_infos().size(), static_cast<std::size_t>(Kind::file) + 1);
  for (int k = 0; k <= static_cast<int>(Kind::file); ++k) {
    const MaskTermInfo& info = mask_term_info(static_cast<Kind>(k));
    EXPECT_EQ(info.kind, static_cast<Kind>(k));
    EXPECT_EQ(info.word, word_of(info.kind));
  }
}

TEST(MaskTerms, NoColumnIsForgotten) {
  std::set<std::string_view> words, chips;
  std::set<int> places;
  for (const MaskTermInfo& info : mask_term_infos()) {
    SCOPED_TRACE(info.word);
    EXPECT_TRUE(words.insert(info.word).second);
    EXPECT_EQ(info.word.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), info.word.npos);
    EXPECT_TRUE(std::string_view(info.help).ends_with('.'));
    EXPECT_EQ(info.takes_number(), !info.counts.empty());
    EXPECT_TRUE(chips.insert(info.chip).second);
    EXPECT_NE(std::string_view(info.chip), "");
    EXPECT_TRUE(places.insert(info.chip_place).second);
    EXPECT_GE(info.chip_number, 0);
    EXPECT_TRUE(info.takes_number() || info.chip_number == 0);
    if (info.kind == Kind::file) continue;
    EXPECT_TRUE(info.narrow != nullptr || info.add != nullptr) << "it does something";
    EXPECT_EQ(info.narrow != nullptr, info.python_hidden != nullptr);
    EXPECT_EQ(info.narrow != nullptr, info.latex_hidden != nullptr);
    EXPECT_EQ(info.add != nullptr, info.python_added != nullptr);
    EXPECT_EQ(info.add != nullptr, info.latex_added != nullptr);
    EXPECT_TRUE(info.python_hidden == nullptr || !info.python_hidden(3).empty());
    EXPECT_TRUE(info.python_added == nullptr || !info.python_added(4, 3, "torch.tensor").empty());
    EXPECT_TRUE(info.latex_hidden == nullptr || !info.latex_hidden("i", 5, 3).empty());
    EXPECT_TRUE(info.latex_added == nullptr || !info.latex_added("i", 4, 3).empty());
  }
  EXPECT_EQ(*places.begin(), 0);
  EXPECT_EQ(*places.rbegin(), static_cast<int>(places.size()) - 1);
}

TEST(MaskTerms, EachIsReadBackAsItIsSpelled) {
  for (const MaskTermInfo& info : mask_term_infos()) {
    SCOPED_TRACE(info.word);
    const MaskTerm term = term_of(info, 7);
    Request request;
    find_request_option("mask")->set(request, spelled(term));
    ASSERT_EQ(request.mask.size(), 1u);
    EXPECT_TRUE(request.mask[0] == term);
    EXPECT_EQ(mask_text(request.mask), spelled(term));
    if (info.kind == Kind::file) continue;
    // A number where none belongs, and none where one does.
    const std::string other = info.takes_number() ? std::string(info.word) : std::string(info.word) + ":1";
    EXPECT_THROW(find_request_option("mask")->set(request, other), UsageError);
  }
}

TEST(MaskTerms, HelpAndRefusalsNameAllOfThem) {
  const std::string help = find_request_option("mask")->help;
  Request request;
  std::string refusal;
  try {
    find_request_option("mask")->set(request, "cusal");
  } catch (const UsageError& error) {
    refusal = error.what();
  }
  for (const MaskTermInfo& info : mask_term_infos()) {
    if (info.kind == Kind::file) continue;
    std::string spelling(info.word);
    if (info.takes_number()) spelling += ':' + std::string(info.letter);
    EXPECT_NE(help.find(spelling), help.npos) << spelling;
    EXPECT_NE(refusal.find(spelling), refusal.npos) << spelling;
    EXPECT_NE(mask_term_spellings(" or ").find(spelling), std::string::npos) << spelling;
  }
}

TEST(MaskTerms, TheRuleOfTermsIsTheNarrowestOfEach) {
  EXPECT_TRUE(mask_rule_of({}) == MaskRule());
  const std::vector<MaskTerm> terms = {{Kind::prefix, 4, ""},  {Kind::window, 3, ""},  {Kind::window, 2, ""},
                                       {Kind::padding, 1, ""}, {Kind::padding, 5, ""}, {Kind::file, 0, "m.npy"}};
  const MaskRule rule = mask_rule_of(terms);
  EXPECT_EQ(rule.open, 4);
  EXPECT_EQ(rule.reach, 2);
  EXPECT_EQ(rule.padding, 5);
  EXPECT_TRUE(rule.ordered());
  EXPECT_FALSE(rule.causal());
  const std::vector<MaskTerm> ordered = {{Kind::prefix, 4, ""}, {Kind::causal, 0, ""}};
  EXPECT_TRUE(mask_rule_of(ordered).causal());
  EXPECT_FALSE(mask_rule_of({}).ordered());
}

TEST(MaskTerms, ThePipelineNamesTheTermAndItsNumber) {
  EXPECT_EQ(mask_term_text({Kind::causal, 0, ""}), "causal");
  EXPECT_EQ(mask_term_text({Kind::padding, 2, ""}), "padding 2");
  EXPECT_EQ(mask_term_text({Kind::file, 0, "m.npy"}), "file");
}

}  // namespace
}  // namespace headscope
