#include <fmt/format.h>

#include <utility>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "core/base/error.h"
#include "core/corpus/corpus_file.h"

namespace headscope::cli {

namespace {

// A file that was added, and what it has scanned.
using Added = std::pair<std::string, PhraseRanges>;

// Why the next file cannot be added, with the names of both that do not go together.
void check_part(const CorpusRecord& sum, const CorpusRecord& next, const std::string& path,
                const std::vector<Added>& added) {
  for (const auto& [name, scanned] : added) {
    if (const auto both = scanned.shared_with(next.scanned); both && sum.facts.list_sha256 == next.facts.list_sha256) {
      throw UsageError(fmt::format("{} and {}: phrases {} to {} are in both; expected files without a phrase in common",
                                   name, path, both->begin, both->end - 1));
    }
  }
  const std::string difference = difference_of(sum, next);
  if (!difference.empty()) {
    throw UsageError(fmt::format("{} and {} are not parts of one scan: {}", added.front().first, path, difference));
  }
}

void say_what_is_missing(const CorpusRecord& record) {
  const std::int64_t total = record.facts.list_size;
  const PhraseRanges missing = record.scanned.missing(total);
  print_notice(missing.empty() ? fmt::format("all {} of the list are there", counted(total, "phrase"))
                               : fmt::format("{} of {} are missing: {}", missing.count(), counted(total, "phrase"),
                                             missing.text()));
}

void merge(const Arguments& given, const CancelToken& cancel) {
  if (given.positionals.empty()) throw UsageError("FILE: found nothing; expected the .hsagg files to merge");
  if (given.get("out").empty()) throw UsageError("out", "found nothing", "the .hsagg file to write");
  CorpusRecord sum;
  std::vector<Added> added;
  for (const std::string& path : given.positionals) {
    cancel.check();
    CorpusRecord next = read_corpus_file(path);
    PhraseRanges scanned = next.scanned;
    if (added.empty()) {
      sum = std::move(next);
    } else {
      check_part(sum, next, path, added);
      add(sum, next);
    }
    added.emplace_back(path, std::move(scanned));
  }
  write_corpus_file(given.get("out"), sum);
  say_what_is_missing(sum);
  print(fmt::format("{}: {}, {}, {}\n", printable(given.get("out")),
                    counted(static_cast<std::int64_t>(added.size()), "file"), counted(sum.phrases, "phrase"),
                    counted(sum.tokens, "token")));
}

}  // namespace

Command merge_command() {
  CommandSpec spec;
  spec.name = "merge";
  spec.usage = "FILE.hsagg [FILE.hsagg...] --out ALL.hsagg";
  spec.summary = "Adds up what several scans of one list have counted; the same bytes in any order and any tree.";
  spec.positional = "FILE";
  spec.several = true;
  spec.groups = {{"Output", {{"out", "ALL.hsagg", "The file to write."}}}};
  spec.examples = {"headscope-cli merge shard0.hsagg shard1.hsagg shard2.hsagg --out all.hsagg"};
  return {spec, merge};
}

}  // namespace headscope::cli
