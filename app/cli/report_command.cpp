#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "core/base/error.h"
#include "core/corpus/corpus_file.h"
#include "core/corpus/corpus_report.h"
#include "core/io/json_text.h"

namespace headscope::cli {

namespace {

std::string table_of(const CorpusRecord& record) {
  std::vector<Column> columns(3, {true});
  std::vector<std::vector<std::string>> rows = {{"layer", "head", "rows"}};
  for (const CorpusMetric metric : all_corpus_metrics()) {
    columns.push_back({true});
    rows.front().emplace_back(corpus_metric_key(metric));
  }
  for (const HeadRecord& head : record.heads) {
    std::vector<std::string> row = {std::to_string(head.layer), std::to_string(head.head), std::to_string(head.rows)};
    for (const CorpusMetric metric : all_corpus_metrics()) {
      const bool defined = head.counts[static_cast<std::size_t>(metric)] > 0;
      row.push_back(defined ? short_number(head.mean(metric)) : "-");
    }
    rows.push_back(std::move(row));
  }
  const PhraseRanges missing = record.scanned.missing(record.facts.list_size);
  return fmt::format("{}: {}, {}; {} of the list of {} missing{}\n\n", printable(record.facts.model),
                     counted(record.phrases, "phrase"), counted(record.tokens, "token"), missing.count(),
                     record.facts.list_size, missing.empty() ? "" : ", " + missing.text()) +
         table_text(columns, rows);
}

void report(const Arguments& given, const CancelToken&) {
  if (given.positional.empty()) throw UsageError("FILE: found nothing; expected the .hsagg file to report");
  if (given.has("format")) choice_of("format", given.get("format"), {"csv"});
  if (given.has("format") && given.has("json")) {
    throw UsageError("format", "found together with --json", "one of them");
  }
  if (given.has("format") && given.get("out").empty()) {
    throw UsageError("format", "found without --out", "--out DIR, the folder to write to");
  }
  if (given.has("out") && !given.has("format")) {
    throw UsageError("out", "found without --format", "--format csv");
  }
  const CorpusRecord record = read_corpus_file(given.positional);
  if (given.has("json")) return print(json_dump(corpus_json(record)) + "\n");
  if (!given.has("format")) return print(table_of(record));
  const std::vector<std::string> names = write_corpus_tables(given.get("out"), record);
  print(fmt::format("written to {}: {}\n", printable(given.get("out")), fmt::join(names, ", ")));
}

}  // namespace

Command report_command() {
  CommandSpec spec;
  spec.name = "report";
  spec.usage = "FILE.hsagg [--json | --format csv --out DIR]";
  spec.summary = "Says what every head did over a corpus: a line for every layer and head, the mean of each metric.";
  spec.positional = "FILE";
  spec.groups = {{"Output",
                  {{"json", "", "As JSON, with histograms and the strongest examples."},
                   {"format", "csv", "Write heads.csv, histograms.csv and top.csv."},
                   {"out", "DIR", "The folder to write them to."}}}};
  spec.examples = {"headscope-cli report all.hsagg", "headscope-cli report all.hsagg --json",
                   "headscope-cli report all.hsagg --format csv --out tables"};
  return {spec, report};
}

}  // namespace headscope::cli
