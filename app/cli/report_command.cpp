#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/adapter_argument.h"
#include "app/cli/commands.h"
#include "app/cli/corpus_picture.h"
#include "app/cli/head_argument.h"
#include "app/cli/headvis_text.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/report_against.h"
#include "core/base/error.h"
#include "core/corpus/corpus_file.h"
#include "core/corpus/corpus_report.h"
#include "core/corpus/head_mean.h"
#include "core/headvis/headvis_of_corpus.h"
#include "core/headvis/headvis_sequences.h"
#include "core/headvis/headvis_write.h"
#include "core/io/json_text.h"
#include "core/request/model_text.h"

namespace headscope::cli {

namespace {

constexpr std::int64_t kMostThreads = 4096;

std::string table_of(const CorpusRecord& record) {
  std::vector<Column> columns(3, {true});
  std::vector<std::vector<std::string>> rows = {{"layer", "head", "rows"}};
  for (std::size_t mean = 0; mean < all_head_means().size(); ++mean) {
    if (!holds(record, mean)) continue;
    columns.push_back({true});
    rows.front().push_back(all_head_means()[mean].key);
  }
  for (const HeadRecord& head : record.heads) {
    std::vector<std::string> row = {std::to_string(head.layer), std::to_string(head.head), std::to_string(head.rows)};
    for (std::size_t mean = 0; mean < all_head_means().size(); ++mean) {
      if (!holds(record, mean)) continue;
      const double value = head_mean(record, head, mean);
      row.push_back(std::isnan(value) ? "-" : short_number(value));
    }
    rows.push_back(std::move(row));
  }
  const PhraseRanges missing = record.scanned.missing(record.facts.list_size);
  const auto loss_text = [](double mean, std::uint64_t tokens, const char* of) {
    if (tokens == 0) return std::string();
    return fmt::format("; loss {} nats a token over {}{}", short_number(mean),
                       counted(static_cast<std::int64_t>(tokens), "token"), of);
  };
  const std::string loss = loss_text(mean_phrase_loss(record), record.phrase_loss_tokens, "") +
                           loss_text(mean_loss(record.loss, record), record.loss_tokens, " of the sample");
  return fmt::format("{}: {}, {}; {} of the list of {} missing{}{}\n\n", printable(record.facts.model),
                     counted(record.phrases, "phrase"), counted(record.tokens, "token"), missing.count(),
                     record.facts.list_size, missing.empty() ? "" : ", " + missing.text(), loss) +
         table_text(columns, rows);
}

// Examples with their phrases, where the list that was scanned is named; none without it.
HeadVisSequences sequences_of(const Arguments& given, const CorpusRecord& record, const CancelToken& cancel) {
  if (!given.has("phrases")) {
    print_notice("no phrases are in the tree: an .hsagg holds none; --phrases, the list that was scanned, adds them");
    return {{}, std::vector<std::vector<HeadVisSequences::Kept>>(record.heads.size())};
  }
  const std::string& scanned = record.facts.model;
  const std::string model = model_with_adapters(given, given.get("model", base_of_model(scanned)));
  if (!given.has("model") && !model.starts_with("demo:")) {
    throw UsageError("phrases", "found without --model, and the scan was of " + scanned, "--model PATH of that model");
  }
  if (!given.has("adapter") && !model_text_of(scanned).adapters.empty()) {
    throw UsageError("phrases", "found without --adapter, and the scan was of " + scanned,
                     "--adapter DIR of that scan");
  }
  const int threads = static_cast<int>(whole_number("threads", given.get("threads", "0"), 0, kMostThreads));
  ProgressLine line;
  line.show("reading " + given.get("phrases"));
  const PhraseList list = PhraseList::open(given.get("phrases"), cancel);
  line.show("reading " + model);
  PhraseModel opened(model, threads, cancel);
  return headvis_sequences(
      record, opened, list,
      [&](std::int64_t done, std::int64_t of) {
        line.show("running the examples again", static_cast<double>(done) / static_cast<double>(of));
      },
      cancel);
}

// A table has no place that says it.
void say_missing(const CorpusRecord& record) {
  const PhraseRanges missing = record.scanned.missing(record.facts.list_size);
  if (missing.empty()) return;
  print_notice(fmt::format("{} of the list of {} missing, {}: what is written is of the others", missing.count(),
                           counted(record.facts.list_size, "phrase"), missing.text()));
}

std::string write_headvis(const Arguments& given, const CorpusRecord& record, const CancelToken& cancel) {
  const HeadVisSequences sequences = sequences_of(given, record, cancel);
  const std::size_t files =
      write_headvis_tree(given.get("out"), headvis_tree_of(record, given.has("phrases")),
                         [&](std::size_t head) { return headvis_head_of(record, head, sequences.of(head)); });
  return counted(static_cast<std::int64_t>(files), "file");
}

std::vector<std::string> tables_of(const Arguments& given, const CorpusRecord& record) {
  std::optional<std::size_t> points_of;
  if (const auto wanted = head_argument(given, "head")) {
    const auto found = std::find_if(record.heads.begin(), record.heads.end(), [&](const HeadRecord& head) {
      return head.layer == wanted->layer && head.head == wanted->head;
    });
    const std::string named = "found " + given.get("head");
    if (found == record.heads.end()) throw UsageError("head", named, "a head that was scanned");
    if (record.facts.points == 0)
      throw UsageError("head", named + ", and the file has no points", "one of scan --points");
    points_of = static_cast<std::size_t>(found - record.heads.begin());
  }
  return write_corpus_tables(given.get("out"), record, points_of);
}

void check(const Arguments& given, bool tree) {
  if (given.positional.empty()) {
    throw UsageError("FILE: found nothing; expected the .hsagg file, or the HeadVis tree, to report");
  }
  if (given.has("format")) choice_of("format", given.get("format"), {"csv", "headvis", "png", "svg", "pdf"});
  if (given.has("format") && given.has("json")) {
    throw UsageError("format", "found together with --json", "one of them");
  }
  const bool picture = is_picture_format(given.get("format"));
  if (given.get("format") == "headvis" && tree) {
    throw UsageError("format", given.positional + " is a HeadVis tree",
                     "csv, png, svg or pdf; --json; nothing for a table");
  }
  if (given.has("format") && given.get("out").empty()) {
    throw UsageError("format", "found without --out", "--out DIR, the folder to write to");
  }
  if (given.has("out") && !given.has("format")) {
    throw UsageError("out", "found without --format", "--format csv, headvis, png, svg or pdf");
  }
  for (const OptionSpec& option : corpus_picture_options()) {
    if (given.get("format") == "csv" && !tree && option.name == std::string("head")) continue;
    if (given.has(option.name) && !picture) {
      throw UsageError(option.name, "found without a picture", "--format png, svg or pdf");
    }
  }
  for (const char* option : {"phrases", "model", "adapter", "threads"}) {
    if (given.has(option) && given.get("format") != "headvis") {
      throw UsageError(option, "found without --format headvis", "--format headvis, whose phrases are run again");
    }
    if (given.has(option) && !given.has("phrases")) {
      throw UsageError(option, "found without --phrases", "--phrases, the list that was scanned");
    }
  }
}

void report(const Arguments& given, const CancelToken& cancel) {
  std::error_code ignored;
  const std::string& path = given.positional;
  const bool tree = std::filesystem::is_directory(path, ignored);
  check(given, tree);
  if (given.has("against")) return report_against(given);
  if (is_picture_format(given.get("format"))) {
    const std::string name = write_corpus_picture(given, cancel);
    return print(fmt::format("written to {}: {}\n", printable(given.get("out")), name));
  }
  const std::string& out = given.get("out");
  if (tree && given.has("format")) {
    write_headvis_csv(path, out);
    return print(fmt::format("written to {}: heads.csv\n", printable(out)));
  }
  if (tree) return print(given.has("json") ? headvis_json_text(path, cancel) : headvis_table_text(path, cancel));
  const CorpusRecord record = read_corpus_file(path);
  if (given.has("json")) return print(json_dump(corpus_json(record)) + "\n");
  if (!given.has("format")) return print(table_of(record));
  say_missing(record);
  const std::string written = given.get("format") == "csv"
                                  ? fmt::format("{}", fmt::join(tables_of(given, record), ", "))
                                  : write_headvis(given, record, cancel);
  print(fmt::format("written to {}: {}\n", printable(out), written));
}

}  // namespace

Command report_command() {
  CommandSpec spec;
  spec.name = "report";
  spec.usage =
      "FILE.hsagg|DIR [--against FILE.hsagg] [--json | --format csv|headvis|png|svg|pdf --out DIR [--phrases "
      "FILE.txt|FILE.jsonl|FOLDER [--model M]]]";
  spec.summary =
      "Says what every head did over a corpus: a line for every layer and head, the mean of each metric; of a scan's "
      "file "
      "or of a folder that HeadVis shows. With --against what the heads of another model did otherwise over the same "
      "phrases.";
  spec.positional = "FILE";
  spec.groups = {
      {"Output",
       {{"json", "",
         "As JSON, with histograms, the strongest examples, samples of rows, and the most frequent tokens that rows "
         "come "
         "from and point at."},
        {"format", "csv|headvis|png|svg|pdf",
         "Write heads.csv, histograms.csv, top.csv, samples.csv, tokens.csv and patterns.csv, with --head of a scan "
         "with points "
         "points.csv, too (of a HeadVis tree heads.csv alone); or the folder that HeadVis shows "
         "(config.json, scatter_data.json, heads/L#H#.json); or heads.png, heads.svg, heads.pdf: all heads as points "
         "and "
         "cells, one with its histograms."},
        {"out", "DIR", "The folder to write to."}}},
      {"Two models",
       {{"against", "FILE.hsagg",
         "The scan of another model, B, over the same phrases: of every head each mean of A, FILE, and of B, A − B, "
         "its "
         "size as a share of the mean's spread over all heads, and rows; the farthest apart first. As a table, --json, "
         "or "
         "--format csv: differences.csv. A scan holds no sums of squares, so that no standard error is known."}}},
      {"Phrases of HeadVis",
       {{"phrases", "FILE.txt|FILE.jsonl|FOLDER",
         "The list that was scanned, as it was given to scan: the strongest phrases are run again and stand in the "
         "folder, with the largest weights of every row, and rows of each tenth with theirs. Without it no phrases "
         "are there, and tables of tokens count the rows of the scan."},
        {"model", "demo:NAME|PATH", "The model that was scanned (default: the demo that it was)."},
        adapter_spec(),
        {"threads", "N", "Threads (default 0: all cores). The numbers do not depend on it."}}},
      {"Pictures", corpus_picture_options()}};
  spec.examples = {"headscope-cli report all.hsagg",
                   "headscope-cli report all.hsagg --json",
                   "headscope-cli report all.hsagg --format csv --out tables",
                   "headscope-cli report all.hsagg --format headvis --phrases phrases.txt --out data",
                   "headscope-cli report all.hsagg --format png --x entropy --head 5.1 --out pictures",
                   "headscope-cli report tuned.hsagg --against base.hsagg",
                   "headscope-cli report data"};
  return {spec, report};
}

}  // namespace headscope::cli
