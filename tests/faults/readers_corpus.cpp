// Lists of phrases, and what was counted over them.
#include <fmt/format.h>

#include "core/corpus/corpus_file.h"
#include "core/corpus/phrase_list.h"
#include "tests/core/corpus/made_records.h"
#include "tests/faults/readers.h"

namespace headscope::test {

namespace {

std::string small_record() {
  CorpusRecord record = made_record(1, 4, {1, 3});
  record.heads.pop_back();
  return corpus_file_bytes(record);
}

// The bytes that it would be written as are all that is in it.
std::string read_record(const std::string& path) {
  return corpus_file_bytes(read_corpus_file(path));
}

std::string read_list(const std::string& path) {
  const PhraseList list = PhraseList::open(path);
  std::string text;
  list.visit({0, list.size()}, [&](const ListedPhrase& phrase) {
    text += fmt::format("{} {} {} {}\n", phrase.index, phrase.blank, phrase.text, phrase.problem);
  });
  return text;
}

const std::vector<Reader> kRows = {
    {.name = "hsagg",
     .covers = "read_corpus_file parse_corpus_file core/corpus/corpus_file_read.cpp",
     .file = "x.hsagg",
     .small = small_record,
     .read = read_record,
     .fuzz = "hsagg"},
    {.name = "phrase_list",
     .covers = "PhraseList::open core/corpus/phrase_list.cpp",
     .file = "x.txt",
     .small = [] { return std::string("the cat\n\nsat\n"); },
     .read = read_list,
     .fuzz = "request_files",
     .reads = "all",
     .cut_unseen = "a phrase may end after any letter",
     .any_text = "a phrase a line; one that is none is named and passed over"},
};

}  // namespace

std::vector<Reader> corpus_readers() {
  return kRows;
}

}  // namespace headscope::test
