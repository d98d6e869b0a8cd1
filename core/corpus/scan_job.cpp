#include "core/corpus/scan_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "core/base/error.h"
#include "core/base/memory_failures.h"
#include "core/corpus/corpus_file.h"

namespace headscope {
namespace {

using Clock = std::chrono::steady_clock;

// The first state is kept soon, and every next one after twice the time: a short scan has one too.
constexpr std::chrono::duration<double> kFirstWait{1};

// What is kept of the same scan; a new record where nothing is.
CorpusRecord kept_or_new(const ScanJob& job, const CorpusRecord& fresh, Range shard) {
  const std::string path = scan_state_path(job.out);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return fresh;
  const std::string advice = "Remove it, or name another file, to begin anew";
  CorpusRecord kept;
  try {
    kept = read_corpus_file(path);
  } catch (const Error& failure) {
    throw Error(fmt::format("{}. It holds what a scan had done; remove it to begin anew", failure.what()));
  }
  CorpusRecord unscanned = kept;
  unscanned.scanned = {};
  std::string difference = difference_of(fresh, unscanned);
  const auto& ranges = kept.scanned.ranges();
  const bool of_shard =
      ranges.empty() || (ranges.size() == 1 && ranges[0].begin == shard.begin && ranges[0].end <= shard.end);
  if (difference.empty() && !of_shard) {
    difference = fmt::format("the phrases are {}:{}, there {}", shard.begin, shard.end, kept.scanned.text());
  }
  if (!difference.empty()) {
    throw UsageError("out", fmt::format("{} is of another scan: {}", path, difference), "", advice);
  }
  kept.facts.model = fresh.facts.model;
  return kept;
}

// Better said before a night's work than after it.
void check_place(const std::string& out) {
  const std::filesystem::path folder = std::filesystem::path(out).parent_path();
  std::error_code error;
  if (std::filesystem::is_directory(out, error)) throw Error(out + ": is a folder; expected the name of a file");
  if (!folder.empty() && !std::filesystem::is_directory(folder, error)) {
    throw Error(fmt::format("{}: there is no folder {}", out, folder.string()));
  }
}

}  // namespace

std::string scan_state_path(const std::string& out) {
  return out + ".part";
}

CorpusRecord run_scan(const ScanJob& job, const PhraseList& list, const CancelToken& cancel) {
  check_place(job.out);
  const Range shard = shard_of(list.size(), job.shard, job.shards);
  PhraseScan scan(job.options, cancel);
  CorpusRecord record = kept_or_new(job, scan.new_record(list), shard);
  const std::string state = scan_state_path(job.out);
  const Clock::time_point start = Clock::now();
  const std::int64_t tokens_before = record.tokens;
  const auto tell = [&] {
    if (!job.progress) return;
    job.progress({record.scanned.count(), shard.size(), record.tokens - tokens_before,
                  std::chrono::duration<double>(Clock::now() - start).count()});
  };
  Clock::time_point last = start;
  std::chrono::duration<double> wait = std::min(job.between, kFirstWait);
  bool saved = true;
  try {
    list.visit({shard.begin + record.scanned.count(), shard.end}, [&](const ListedPhrase& phrase) {
      cancel.check();
      tell();
      const std::string why = scan.add(phrase, record, cancel);
      saved = false;
      if (!why.empty() && job.unreadable) job.unreadable(phrase.index, why);
      if (Clock::now() - last < wait) return;
      write_corpus_file(state, record);
      wait = std::min(job.between, 2 * wait);
      last = Clock::now();
      saved = true;
    });
  } catch (const Cancelled&) {
    if (!saved) write_corpus_file(state, record);
    throw;
  }
  tell();
  check_memory();
  write_corpus_file(job.out, record);
  std::error_code error;
  std::filesystem::remove(state, error);  // where it cannot be removed, it says what the result says
  return record;
}

}  // namespace headscope
