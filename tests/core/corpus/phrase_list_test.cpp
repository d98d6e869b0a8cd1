#include "core/corpus/phrase_list.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/app/session/temporary_folder.h"

namespace headscope {
namespace {

std::vector<ListedPhrase> phrases_of(const PhraseList& list, Range range) {
  std::vector<ListedPhrase> all;
  list.visit(range, [&](const ListedPhrase& phrase) { all.push_back(phrase); });
  return all;
}

TEST(PhraseList, HasALineAPhraseAndKeepsTheIndexOfBlankOnes) {
  const PhraseList list = PhraseList::of_text("\xEF\xBB\xBFone two\r\n\n \t\nthree\xff\nfour");
  ASSERT_EQ(list.size(), 5);
  const auto all = phrases_of(list, {0, 5});
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(all[0].text, "one two");
  EXPECT_TRUE(all[1].blank && all[2].blank);
  EXPECT_NE(all[3].problem.find("byte 6"), std::string::npos) << all[3].problem;
  EXPECT_EQ(all[4].text, "four");
  EXPECT_EQ(all[4].index, 4);
  const auto some = phrases_of(list, {3, 9});
  ASSERT_EQ(some.size(), 2u);
  EXPECT_EQ(some[0].index, 3);
  EXPECT_EQ(PhraseList::of_text("").size(), 0);
  EXPECT_EQ(PhraseList::of_text("a\n").size(), 1);
  EXPECT_EQ(PhraseList::of_text("\n").size(), 1);
}

TEST(PhraseList, ReadsJsonLinesAndNamesWhatIsNone) {
  const TemporaryFolder folder;
  const std::string path = folder.write("p.jsonl",
                                        "{\"text\": \"a\\nb\"}\n\"c\"\n{\"phrase\": \"d\"}\n{\"x\": 1}\n[1]\n{\n\n"
                                        "{\"text\": \" \"}\n");
  const auto all = phrases_of(PhraseList::open(path), {0, 100});
  ASSERT_EQ(all.size(), 8u);
  EXPECT_EQ(all[0].text, "a\nb");
  EXPECT_EQ(all[1].text, "c");
  EXPECT_EQ(all[2].text, "d");
  for (const std::size_t k : {3u, 4u, 5u}) EXPECT_NE(all[k].problem, "") << k;
  EXPECT_TRUE(all[6].blank && all[7].blank);
  EXPECT_THROW(PhraseList::open(folder / "none.txt"), Error);
}

TEST(PhraseList, ShardsCoverItOnce) {
  for (const std::int64_t size : {0, 1, 5, 16, 97, 1000003}) {
    for (const std::int64_t count : {1, 2, 3, 7, 16, 17, 100}) {
      std::int64_t at = 0;
      for (std::int64_t k = 0; k < count; ++k) {
        const Range shard = shard_of(size, k, count);
        EXPECT_EQ(shard.begin, at);
        EXPECT_LE(shard.size() - size / count, 1);
        EXPECT_GE(shard.size(), size / count);
        at = shard.end;
      }
      EXPECT_EQ(at, size);
    }
  }
}

}  // namespace
}  // namespace headscope
