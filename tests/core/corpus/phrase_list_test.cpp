#include "core/corpus/phrase_list.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/core/io/gzip_files.h"

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

TEST(PhraseList, OfAPackedFileIsThatOfThePlainOne) {
  const TemporaryFolder folder;
  const std::string text = "\xEF\xBB\xBFone\n\ntwo\xff\nthree";
  const PhraseList plain = PhraseList::open(folder.write("p.txt", text));
  const PhraseList packed = PhraseList::open(folder.write("p.txt.gz", test::gzipped(text)));
  EXPECT_EQ(packed.sha256(), plain.sha256());
  EXPECT_EQ(packed.size(), 4);
  const auto a = phrases_of(plain, {0, 4}), b = phrases_of(packed, {0, 4});
  for (std::size_t k = 0; k < 4; ++k) EXPECT_TRUE(a[k].text == b[k].text && a[k].problem == b[k].problem) << k;
  EXPECT_EQ(b[0].text, "one");
  folder.write("j.jsonl.gz", test::gzipped("{\"text\": \"a\"}\n"));
  EXPECT_EQ(phrases_of(PhraseList::open(folder / "j.jsonl.gz"), {0, 1})[0].text, "a");
  folder.write("cut.txt.gz", test::gzipped(text).substr(0, 20));
  EXPECT_THROW(PhraseList::open(folder / "cut.txt.gz"), Error);
}

TEST(PhraseList, OfAFolderIsThatOfItsFilesOneAfterTheOther) {
  const TemporaryFolder folder;
  folder.write("f/b.txt.gz", test::gzipped("three\n\nfour"));
  folder.write("f/a.txt", "one\ntwo\n");
  folder.write("f/c.jsonl", "{\"text\": \"five\"}\n");
  folder.write("f/.hidden.txt", "six\n");
  folder.write("f/notes.md", "seven\n");
  folder.write("f/deeper.txt/x.txt", "eight\n");
  const PhraseList list = PhraseList::open(folder / "f");
  EXPECT_EQ(list.files(), (std::vector<std::string>{folder / "f/a.txt", folder / "f/b.txt.gz", folder / "f/c.jsonl"}));
  const PhraseList plain = PhraseList::open(folder.write("p.txt", "one\ntwo\nthree\n\nfour\n{\"text\": \"five\"}\n"));
  EXPECT_EQ(list.sha256(), plain.sha256());
  EXPECT_EQ(list.size(), 6);
  const auto all = phrases_of(list, {0, 6});
  ASSERT_EQ(all.size(), 6u);
  const std::vector<std::string> wanted = {"one", "two", "three", "", "four", "five"};
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_EQ(all[k].text, wanted[k]);
    EXPECT_EQ(all[k].index, static_cast<std::int64_t>(k));
  }
  for (std::int64_t begin = 0; begin < 6; ++begin) {
    for (std::int64_t end = begin; end <= 6; ++end) {
      EXPECT_EQ(phrases_of(list, {begin, end}).size(), static_cast<std::size_t>(end - begin));
    }
  }
  EXPECT_EQ(list.place_of(4).file, folder / "f/b.txt.gz");
  EXPECT_EQ(list.place_of(4).line, 3);
  folder.write("f/a.txt", "one\ntwo\nmore\n");
  EXPECT_THROW(phrases_of(list, {0, 1}), Error);
  std::filesystem::create_directory(folder / "none");
  EXPECT_THROW(PhraseList::open(folder / "none"), Error);
}

TEST(PhraseList, OfAFolderWhatIsNotReadIsCounted) {
  const TemporaryFolder folder;
  folder.write("f/A.TXT", "one\n");
  folder.write("f/b.NDJSON", "{\"text\": \"two\"}\n");
  folder.write("f/c.json", "[\"three\"]");
  folder.write("f/d.text", "four\n");
  folder.write("f/.hidden", "five\n");
  folder.write("f/deeper/x.txt", "six\n");
  folder.write("f/.git/x.txt", "seven\n");
  const PhraseList list = PhraseList::open(folder / "f");
  EXPECT_EQ(list.left_out().files, 2);
  EXPECT_EQ(list.left_out().folders, 1);
  const auto all = phrases_of(list, {0, 2});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].text, "one");
  EXPECT_EQ(all[1].text, "two");
  EXPECT_EQ(PhraseList::open(folder / "f/A.TXT").left_out().files, 0);
  EXPECT_THROW(PhraseList::open(folder / "f/c.json"), Error);
}

TEST(PhraseList, ALineOfManyBytesIsNamedAndNotHeld) {
  const TemporaryFolder folder;
  const std::string bomb = test::gzipped("a\n" + std::string(kLongestPhrase + 5, 'x') + "\nb\n", 9);
  const auto all = phrases_of(PhraseList::open(folder.write("p.txt.gz", bomb)), {0, 3});
  ASSERT_EQ(all.size(), 3u);
  EXPECT_NE(all[1].problem.find("16777221 bytes; at most 16777216"), std::string::npos) << all[1].problem;
  EXPECT_EQ(all[2].text, "b");
}

TEST(PhraseList, IsReadNoFurtherWhenItIsCancelled) {
  const TemporaryFolder folder;
  CancelToken cancel;
  cancel.cancel();
  EXPECT_THROW(PhraseList::open(folder.write("p.txt", "a\n"), cancel), Cancelled);
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

TEST(PhraseList, AWholeListHasEveryPhraseOrSaysWhichOneItLacks) {
  const TemporaryFolder folder;
  const std::string all = folder.write("all.txt", "fox jam\n\n  \nink\n");
  EXPECT_EQ(whole_list("mean-over", all), (std::vector<std::string>{"fox jam", "ink"}));
  const std::string bad = folder.write("bad.jsonl", "\"fox\"\n{\"no\": 1}\n");
  const std::string blank = folder.write("blank.txt", "\n \n");
  for (const auto& [path, words] : {std::pair{bad, "line 2"}, std::pair{blank, "no phrase"}}) {
    try {
      whole_list("mean-over", path);
      ADD_FAILURE() << path;
    } catch (const UsageError& error) {
      EXPECT_EQ(error.option(), "mean-over");
      EXPECT_NE(error.found().find(words), std::string::npos) << error.found();
    }
  }
}

}  // namespace
}  // namespace headscope
