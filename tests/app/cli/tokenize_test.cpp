// headscope-cli tokenize: the contract's lines, and what stands in the way.
#include "tests/app/cli/command.h"

namespace headscope {
namespace {

class Tokenize : public CommandTest {
 protected:
  void SetUp() override {
    folder_.write("bert/vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nhello\nworld\n##s\n,\n");
    folder_.write("gpt2/vocab.json", R"({"a": 0, "\u0120": 1, "b": 2, "\u0120b": 3, "<|endoftext|>": 4})");
    folder_.write("gpt2/merges.txt", "#version: 0.2\n\u0120 b\n");
  }
};

TEST_F(Tokenize, OneLineOfJsonHasIdsTokensAndOffsets) {
  const Result result = cli({"tokenize", "--model", "bert", "--phrase", "Hello, worlds zz", "--json"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out,
            "{\"ids\":[2,5,8,6,7,1,3],\"tokens\":[\"[CLS]\",\"hello\",\",\",\"world\",\"##s\",\"[UNK]\",\"[SEP]\"],"
            "\"offsets\":[[0,0],[0,5],[5,6],[7,12],[12,13],[14,16],[0,0]]}\n");
}

TEST_F(Tokenize, TokensAreSpelledAsTheVocabularyDoes) {
  const Result result = cli({"tokenize", "--model", "gpt2", "--phrase", "a b", "--json"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "{\"ids\":[0,3],\"tokens\":[\"a\",\"\u0120b\"],\"offsets\":[[0,1],[1,3]]}\n");
}

TEST_F(Tokenize, ManyPhrasesGiveALineEach) {
  folder_.write("p.jsonl",
                "\"hello\"\n\n{\"phrase\": \"world\", \"x\": 1}\r\n{\"text\": \"\"}\n\"hello\\u0000\\ud83d\\ude00\"");
  const Result result = cli({"tokenize", "--model", "bert", "--phrases", "p.jsonl", "--json"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out,
            "{\"ids\":[2,5,3],\"tokens\":[\"[CLS]\",\"hello\",\"[SEP]\"],\"offsets\":[[0,0],[0,5],[0,0]]}\n"
            "{\"ids\":[2,6,3],\"tokens\":[\"[CLS]\",\"world\",\"[SEP]\"],\"offsets\":[[0,0],[0,5],[0,0]]}\n"
            "{\"ids\":[2,3],\"tokens\":[\"[CLS]\",\"[SEP]\"],\"offsets\":[[0,0],[0,0]]}\n"
            "{\"ids\":[2,1,3],\"tokens\":[\"[CLS]\",\"[UNK]\",\"[SEP]\"],\"offsets\":[[0,0],[0,10],[0,0]]}\n");
}

TEST_F(Tokenize, TwoPhrasesHaveTypesAndSayWhichTextATokenIsOf) {
  const std::string line =
      "{\"ids\":[2,5,3,6,7,3],\"tokens\":[\"[CLS]\",\"hello\",\"[SEP]\",\"world\",\"##s\",\"[SEP]\"],"
      "\"offsets\":[[0,0],[0,5],[0,0],[1,6],[6,7],[0,0]],\"types\":[0,0,0,1,1,1],\"texts\":[-1,0,-1,1,1,-1]}\n";
  const Result result =
      cli({"tokenize", "--model", "bert", "--phrase", "Hello", "--second-phrase", " worlds", "--json"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, line);
  folder_.write("p.jsonl", "{\"phrase\": \"Hello\", \"second_phrase\": \" worlds\"}\n");
  EXPECT_EQ(cli({"tokenize", "--model", "bert", "--phrases", "p.jsonl", "--json"}).out, line);
  const Result table = cli({"tokenize", "--model", "bert", "--phrase", "Hello", "--second-phrase", "worlds"});
  EXPECT_NE(table.out.find("second"), std::string::npos) << table.out;
  expect_refused(cli({"tokenize", "--model", "gpt2", "--phrase", "a", "--second-phrase", "b"}), 2,
                 {"--second-phrase", "gpt2", "pairs"});
  expect_refused(cli({"tokenize", "--model", "bert", "--phrases", "p.jsonl", "--second-phrase", "b"}), 2,
                 {"--second-phrase", "--phrases"});
  folder_.write("p.jsonl", "{\"phrase\": \"Hello\", \"second_phrase\": 1}\n");
  expect_refused(cli({"tokenize", "--model", "bert", "--phrases", "p.jsonl"}), 3,
                 {"second_phrase", "expected a string"});
}

TEST_F(Tokenize, AFileOfOnePhraseKeepsItsLineEnds) {
  folder_.write("p.txt", "hello\nworld\n");
  const Result result = cli({"tokenize", "--model", "bert/vocab.txt/..", "--phrase-file", "p.txt", "--json"});
  EXPECT_EQ(result.code, 3);
  const Result right = cli({"tokenize", "--model", "bert", "--phrase-file", "p.txt", "--json"});
  EXPECT_EQ(right.code, 0) << right.err;
  EXPECT_NE(right.out.find("[[0,0],[0,5],[6,11],[0,0]]"), std::string::npos);
}

TEST_F(Tokenize, PlainTextIsAPhraseALineAsForScan) {
  folder_.write("p.jsonl", "\"hello\"\n\"world, \\\"\"\n");
  folder_.write("p.txt", "hello\n\n  \nworld, \"\n");
  folder_.write("list/a.txt", "hello\n");
  folder_.write("list/b.jsonl", "\"world, \\\"\"\n");
  const Result lines = cli({"tokenize", "--model", "bert", "--phrases", "p.jsonl", "--json"});
  ASSERT_EQ(lines.code, 0) << lines.err;
  for (const std::string list : {"p.txt", "list"}) {
    const Result result = cli({"tokenize", "--model", "bert", "--phrases", list, "--json"});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.out, lines.out) << list;
  }
}

TEST_F(Tokenize, PiecesThatCannotBeUsedAloneAreNamed) {
  folder_.write("xlnet/config.json", R"({"model_type": "xlnet", "bound": Infinity})");
  folder_.write("xlnet/spiece.model", "\x0a\x0d\x0a\x05<unk>");
  expect_refused(cli({"tokenize", "--model", "xlnet", "--phrase", "a"}), 3,
                 {"xlnet", "found spiece.model", "a family whose tokenizer is known", "tokenizer.json"});
  expect_refused(cli({"tokenize", "--model", "xlnet/spiece.model", "--phrase", "a"}), 3,
                 {"xlnet/spiece.model: at byte 2", "is the file damaged?"});
}

TEST_F(Tokenize, WithoutJsonItIsATable) {
  const Result result = cli({"tokenize", "--model", "gpt2", "--phrase", "a b\xFF"});
  EXPECT_EQ(result.code, 0) << result.err;
  for (const char* part : {"id", "token", "\" b\"", "0:1", "1:3", "2 tokens"}) {
    EXPECT_NE(result.out.find(part), std::string::npos) << part << "\n" << result.out;
  }
}

TEST_F(Tokenize, WhatIsMissingOrTooMuchIsNamed) {
  expect_refused(cli({"tokenize", "--phrase", "a"}), 2, {"--model"});
  expect_refused(cli({"tokenize", "--model", "bert"}), 2, {"--phrase", "none"});
  expect_refused(cli({"tokenize", "--model", "bert", "--phrase", "a", "--phrases", "p"}), 2, {"--phrase", "several"});
  expect_refused(cli({"tokenize", "--model", "demo:nothing", "--phrase", "a"}), 2, {"demo:nothing"});
  expect_refused(cli({"tokenize", "--model", "nothing", "--phrase", "a"}), 3, {"nothing", "tokenizer.json"});
  expect_refused(cli({"tokenize", "--model", "bert", "--phrases", "none.jsonl"}), 3, {"none.jsonl"});
  folder_.write("p.jsonl", "\"hello\"\n{\"words\": 1}\n");
  expect_refused(cli({"tokenize", "--model", "bert", "--phrases", "p.jsonl", "--json"}), 3,
                 {"p.jsonl", "line 2", "\"phrase\" or \"text\""});
  folder_.write("p.jsonl", "\"hello\n");
  expect_refused(cli({"tokenize", "--model", "bert", "--phrases", "p.jsonl", "--json"}), 3,
                 {"line 1", "not valid JSON"});
  folder_.write("bad/tokenizer.json", R"({"model": {"type": "Lattice", "vocab": {}}})");
  expect_refused(cli({"tokenize", "--model", "bad", "--phrase", "a"}), 3,
                 {"bad/tokenizer.json", "model.type", "Lattice", "WordPiece"});
}

}  // namespace
}  // namespace headscope
