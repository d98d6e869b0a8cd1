#include "app/cli/report_against.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <vector>

#include "app/cli/output.h"
#include "core/base/error.h"
#include "core/corpus/corpus_difference.h"
#include "core/corpus/corpus_file.h"
#include "core/corpus/difference_report.h"
#include "core/io/json_text.h"

namespace headscope::cli {
namespace {

constexpr std::size_t kMostShown = 24;  // lines of the table

void check(const Arguments& given) {
  if (given.has("format") && given.get("format") != "csv") {
    throw UsageError("format", fmt::format("found {} together with --against", given.get("format")),
                     "csv, --json, or nothing for a table");
  }
  if (given.has("head")) throw UsageError("head", "found together with --against", "all heads, or one file");
  for (const std::string& path : {given.positional, given.get("against")}) {
    std::error_code ignored;
    if (path.empty()) throw UsageError("against", "found ''", "the .hsagg file of B");
    if (std::filesystem::is_directory(path, ignored)) {
      throw UsageError("against", fmt::format("{} is a folder", path), "two .hsagg files");
    }
  }
}

std::string number_text(double value) {
  return std::isnan(value) ? "-" : short_number(value);
}

std::string table_of(const CorpusDifference& found) {
  std::vector<std::vector<std::string>> rows = {{"layer", "head", "mean", "A", "B", "A − B", "of spread", "rows"}};
  std::size_t more = 0;
  for (const FarMean& place : farthest_means(found)) {
    const CorpusDifference::Head& head = found.heads[place.head];
    const ComparedMean& mean = head.numbers[place.mean];
    if (mean.share == 0) break;
    if (rows.size() > kMostShown) {
      ++more;
      continue;
    }
    const std::string counts =
        mean.rows_a == mean.rows_b ? std::to_string(mean.rows_a) : fmt::format("{}, {}", mean.rows_a, mean.rows_b);
    rows.push_back({std::to_string(head.layer), std::to_string(head.head), found.means[place.mean].key,
                    number_text(mean.a), number_text(mean.b), number_text(mean.difference()), number_text(mean.share),
                    counts});
  }
  if (rows.size() == 1) return "no mean of any head differs\n";
  std::vector<Column> columns(8, {true});
  columns[2] = {};
  return table_text(columns, rows) +
         (more > 0 ? fmt::format("and {} more that differ: --json and --format csv have all\n", more) : "");
}

std::string text_of(const CorpusRecord& a, const CorpusRecord& b, const CorpusDifference& found) {
  std::string text = fmt::format("A is {}, B {}: {}, {} of each\n", printable(a.facts.model), printable(b.facts.model),
                                 counted(a.phrases, "phrase"), counted(a.tokens, "token"));
  for (const std::string& note : found.notes) text += printable(note) + "\n";
  text +=
      "the means of every head, the farthest apart first: A − B, and its size as a share of the spread of that mean "
      "over all heads of A and B\n\n";
  return text + table_of(found);
}

}  // namespace

void report_against(const Arguments& given) {
  check(given);
  const CorpusRecord a = read_corpus_file(given.positional), b = read_corpus_file(given.get("against"));
  if (const std::string why = unlike_corpora_sentence(a, b); !why.empty()) {
    throw UsageError(
        "against",
        fmt::format("{} (A) and {} (B) are not of one corpus: {}", given.positional, given.get("against"), why),
        "two models' scans of the same phrases");
  }
  const CorpusDifference found = corpus_difference(a, b);
  if (given.has("json")) return print(json_dump(difference_json(a, b, found)) + "\n");
  if (!given.has("format")) return print(text_of(a, b, found));
  for (const std::string& note : found.notes) print_notice(note);
  const std::string name = write_difference_table(given.get("out"), found);
  print(fmt::format("written to {}: {}\n", printable(given.get("out")), name));
}

}  // namespace headscope::cli
