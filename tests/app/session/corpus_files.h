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

inline CorpusRecord record_of_lines(std::int64_t points) {
  ScanOptions options;
  options.model = "demo:induction";
  options.threads = 1;
  options.points = points;
  PhraseScan scan(options, {});
  const PhraseList list = PhraseList::of_text(demo_lines(kScannedLines));
  CorpusRecord made = scan.new_record(list);
  list.visit({0, list.size()}, [&](const ListedPhrase& phrase) { scan.add(phrase, made, {}); });
  return made;
}

// Scanned once in a process.
inline const CorpusRecord& scanned_lines() {
  static const CorpusRecord record = record_of_lines(0);
  return record;
}

// The same with so many points.
constexpr std::size_t kScannedPoints = 40;
inline const CorpusRecord& scanned_points() {
  static const CorpusRecord record = record_of_lines(kScannedPoints);
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
