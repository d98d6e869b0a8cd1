// Lists of phrases, what was counted over them, and the folders that HeadVis shows.
#include <fmt/format.h>

#include <filesystem>
#include <sstream>

#include "core/base/error.h"
#include "core/corpus/capture_scan.h"
#include "core/corpus/corpus_file.h"
#include "core/corpus/phrase_list.h"
#include "core/headvis/headvis_read.h"
#include "core/headvis/headvis_write.h"
#include "core/io/safetensors.h"
#include "core/sweep/text_pairs.h"
#include "tests/core/corpus/made_records.h"
#include "tests/core/headvis/documented_tree.h"
#include "tests/core/io/gzip_files.h"
#include "tests/faults/readers.h"

namespace headscope::test {

namespace {

std::string small_record() {
  CorpusRecord record = made_record(1, 4, {1, 3});
  drop_last_head(record);
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

std::string read_pairs(const std::string& path) {
  std::string text;
  for (const TextPair& pair : read_text_pairs(path)) {
    text += fmt::format("{} {} {} {} {} {}\n", pair.line, pair.clean, pair.corrupt, pair.answer, pair.other,
                        pair.at.value_or(0));
  }
  return text;
}

std::string small_pair() {
  return R"({"clean":"the cat","corrupt":"the dog","answer":"sat","other":3,"at":-1})";
}

std::string small_capture() {
  const Tensor weights =
      Tensor::of({1, 1, 2, 2}, {Axis::batch, Axis::head, Axis::query, Axis::key}, {1, 0, 0.5F, 0.5F});
  std::ostringstream out;
  write_safetensors(out, {{"layers.0.weights", &weights}}, {{"tokens", "[\"a\",\"b\"]"}, {"causal", "true"}});
  return out.str();
}

// The folder of captures that the file lies in.
std::string read_captures(const std::string& path) {
  const CaptureList list = CaptureList::open(std::filesystem::path(path).parent_path().string());
  ScanOptions options;
  options.threads = 1;
  CaptureScan scan(options, list);
  CorpusRecord record = scan.new_record();
  for (std::int64_t k = 0; k < list.size(); ++k) {
    if (const std::string why = scan.add(k, record, {}); !why.empty()) throw Error(why);
  }
  record.facts.model.clear();
  return corpus_file_bytes(record);
}

using Files = std::vector<std::pair<std::string, std::string>>;

std::string corpus_itself(const std::string& json) {
  return json;
}

// The tree in the folder of config.json or scatter_data.json.
std::string read_tree(const std::string& path) {
  const HeadVisTree tree = read_headvis_tree(std::filesystem::path(path).parent_path().string());
  return headvis_config_text(tree.config) + headvis_scatter_text(tree);
}

std::string read_head(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path().parent_path();
  return headvis_head_text(
      read_headvis_head(folder.string(), parse_headvis_config(documented_config(), "config.json"), 0, 1));
}

const std::vector<Reader> kCorpusRows = {
    {.name = "hsagg",
     .covers = "read_corpus_file parse_corpus_file core/corpus/corpus_file_read.cpp",
     .file = "x.hsagg",
     .small = small_record,
     .read = read_record,
     .fuzz = "hsagg"},
    {.name = "phrase_list",
     .covers = "PhraseList::open PhraseFile::open core/corpus/phrase_file.cpp",
     .file = "x.txt",
     .small = [] { return std::string("the cat\n\nsat\n"); },
     .read = read_list,
     .fuzz = "request_files",
     .reads = "all",
     .cut_unseen = "a phrase may end after any letter",
     .any_text = "a phrase a line; one that is none is named and passed over"},
    {.name = "phrase_list_gz",
     .covers = "PhraseList::open PhraseFile::open",
     .file = "x.jsonl.gz",
     .small = [] { return gzipped("\"the cat\"\n\n{\"text\":\"sat\"}\n"); },
     .read = read_list,
     .fuzz = "gzip",
     .reads = "gzip"},
    {.name = "text_pairs",
     .covers = "read_text_pairs parse_text_pairs core/sweep/text_pairs.cpp",
     .file = "x.jsonl",
     .small = small_pair,
     .read = read_pairs,
     .fuzz = "request_files",
     .of_json = corpus_itself,
     .small_json = small_pair},
    {.name = "text_pairs_csv",
     .covers = "read_text_pairs",
     .file = "x.csv",
     .small = [] { return std::string("clean,corrupt,at\nthe cat,the dog,1\n\"a, b\",c d,\n"); },
     .read = read_pairs,
     .fuzz = "request_files",
     .cut_unseen = "a pair may be the last, and a text end after any letter"},
    {.name = "capture_list",
     .covers = "CaptureList::open core/corpus/capture_list.cpp",
     .file = "x.safetensors",
     .small = small_capture,
     .read = read_captures,
     .fuzz = "capture_files"},
    {.name = "headvis_config",
     .covers = "read_headvis_tree parse_headvis_config core/headvis/headvis_read.cpp",
     .file = "config.json",
     .small = documented_config,
     .read = read_tree,
     .fuzz = "headvis",
     .beside =
         [] {
           return Files{{"scatter_data.json", documented_scatter()}};
         },
     .of_json = corpus_itself,
     .small_json = documented_config,
     .passes_over = "keys that HeadVis does not describe are of other programs"},
    {.name = "headvis_scatter",
     .covers = "read_headvis_tree parse_headvis_scatter",
     .file = "scatter_data.json",
     .small = documented_scatter,
     .read = read_tree,
     .fuzz = "headvis",
     .beside =
         [] {
           return Files{{"config.json", documented_config()}};
         }},
    {.name = "headvis_head",
     .covers = "read_headvis_head parse_headvis_head",
     .file = "heads/L0H1.json",
     .small = documented_head,
     .read = read_head,
     .fuzz = "headvis",
     .of_json = corpus_itself,
     .small_json = documented_head,
     .passes_over = "keys that HeadVis does not describe are of other programs"},
};

}  // namespace

std::vector<Reader> corpus_readers() {
  return kCorpusRows;
}

}  // namespace headscope::test
