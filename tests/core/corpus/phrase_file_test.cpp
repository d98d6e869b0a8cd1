#include "core/corpus/phrase_file.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "core/base/error.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/core/io/gzip_files.h"

namespace headscope {
namespace {

struct Line {
  std::string text;
  std::uint64_t size = 0;
  bool blank = false;
  friend bool operator==(const Line&, const Line&) = default;
};

std::vector<Line> lines_of(const TextPieces& pieces) {
  std::vector<Line> lines;
  for_each_line(pieces, [&](const TextLine& line) {
    lines.push_back({std::string(line.text), line.size, line.blank});
    return true;
  });
  return lines;
}

// Pieces of drawn sizes.
TextPieces cut(std::string_view text, std::uint32_t seed) {
  return [text, draw = std::mt19937(seed)]() mutable {
    const std::string_view piece = text.substr(0, 1 + draw() % 5);
    text.remove_prefix(piece.size());
    return piece;
  };
}

TEST(PhraseFile, LinesDoNotDependOnThePieces) {
  const std::string text = "one two\r\n\n \t\nthree\r\r\n\nfour\r";
  const std::vector<Line> whole = lines_of(pieces_of(text));
  EXPECT_EQ(whole, (std::vector<Line>{{"one two", 7, false},
                                      {"", 0, true},
                                      {" \t", 2, true},
                                      {"three\r", 6, false},
                                      {"", 0, true},
                                      {"four", 4, false}}));
  for (std::uint32_t seed = 0; seed < 200; ++seed) EXPECT_EQ(lines_of(cut(text, seed)), whole) << seed;
  EXPECT_TRUE(lines_of(pieces_of("")).empty());
  EXPECT_EQ(lines_of(pieces_of("\n")).size(), 1u);
}

TEST(PhraseFile, OfALongLineTheBeginningIsHeldAndTheRestCounted) {
  const std::string rest(kLongestPhrase, ' ');
  for (const char last : {' ', 'x'}) {
    const auto lines = lines_of(pieces_of(rest + std::string(1000, last) + "\r\nb\n"));
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[0].text.size(), kLongestPhrase);
    EXPECT_EQ(lines[0].size, kLongestPhrase + 1000);
    EXPECT_EQ(lines[0].blank, last == ' ');
    EXPECT_EQ(lines[1], (Line{"b", 1, false}));
  }
}

TEST(PhraseFile, StopsWhenItIsTold) {
  int seen = 0;
  for_each_line(cut("a\nb\nc\nd", 1), [&](const TextLine&) { return ++seen < 2; });
  EXPECT_EQ(seen, 2);
}

TEST(PhraseFile, IsUnpackedByItsName) {
  const TemporaryFolder folder;
  const auto plain = PhraseFile::open(folder.write("p.txt", "cat box\nink\n"));
  const auto packed = PhraseFile::open(folder.write("p.txt.gz", test::gzip_of_cat_box()));
  EXPECT_EQ(lines_of(packed->pieces()), lines_of(plain->pieces()));
  EXPECT_EQ(lines_of(packed->pieces()), lines_of(plain->pieces()));  // each time from the beginning
  EXPECT_THROW(PhraseFile::open(folder.write("no.txt.gz", "cat box\n")), Error);
  EXPECT_EQ(lines_of(PhraseFile::open(folder.write("P.TXT.GZ", test::gzip_of_cat_box()))->pieces()),
            lines_of(plain->pieces()));
}

TEST(PhraseFile, ItsNameSaysItsKind) {
  for (const char* name :
       {"a.txt", "a.jsonl", "a.ndjson", "a.txt.gz", "a.jsonl.gz", "a.ndjson.gz", "A.TXT", "a.JsonL.GZ"})
    EXPECT_TRUE(PhraseFile::is_named_so(name)) << name;
  for (const char* name : {"a.json", "a.json.gz", "a.gz", "txt", ".txt", "a.txt.gz.gz", "a.csv", "a.text"})
    EXPECT_FALSE(PhraseFile::is_named_so(name)) << name;
  for (const char* name : {"a.jsonl", "a.jsonl.gz", "a.ndjson", "A.NDJSON.GZ"})
    EXPECT_TRUE(PhraseFile::is_json(name)) << name;
  for (const char* name : {"a.txt", "a.txt.gz", "a.json", "jsonl"}) EXPECT_FALSE(PhraseFile::is_json(name)) << name;
}

TEST(PhraseFile, OneJsonValueIsNoList) {
  const TemporaryFolder folder;
  for (const char* name : {"a.json", "A.JSON", "a.json.gz"}) {
    try {
      PhraseFile::open(folder.write(name, "[\"cat box\"]"));
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(".jsonl"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace headscope
