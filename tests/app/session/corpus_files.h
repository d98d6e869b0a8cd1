// A scan of demo:induction over a few lines, as files.
#pragma once

#include <memory>
#include <string>

#include "core/corpus/corpus_file.h"
#include "core/corpus/phrase_scan.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/core/corpus/made_records.h"

namespace headscope::test {

constexpr int kScannedLines = 24;

// Scanned once in a process.
inline const CorpusRecord& scanned_lines() {
  static const CorpusRecord record = [] {
    ScanOptions options;
    options.model = "demo:induction";
    options.threads = 1;
    PhraseScan scan(options, {});
    const PhraseList list = PhraseList::of_text(demo_lines(kScannedLines));
    CorpusRecord made = scan.new_record(list);
    list.visit({0, list.size()}, [&](const ListedPhrase& phrase) { scan.add(phrase, made, {}); });
    return made;
  }();
  return record;
}

// Writes NAME.hsagg, and with its list NAME.txt; returns the path of the first.
inline std::string write_scanned(const TemporaryFolder& folder, const std::string& name, bool with_list,
                                 const CorpusRecord& record = scanned_lines()) {
  write_corpus_file(folder / (name + ".hsagg"), record);
  if (with_list) folder.write(name + ".txt", demo_lines(kScannedLines));
  return folder / (name + ".hsagg");
}

}  // namespace headscope::test
