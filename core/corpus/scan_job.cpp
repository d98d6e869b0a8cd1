#include "core/corpus/scan_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <system_error>
#include <vector>

#include "core/base/error.h"
#include "core/base/memory_failures.h"
#include "core/corpus/capture_scan.h"
#include "core/corpus/corpus_file.h"
#include "core/io/files_read.h"
#include "core/request/problem.h"

namespace headscope {
namespace {

using Clock = std::chrono::steady_clock;

// The first state is kept soon, and every next one after twice the time: a short scan has one too.
constexpr std::chrono::duration<double> kFirstWait{1};

// The file at `path`, which an earlier scan wrote: of this scan, that is of the shard `fresh` begins, or UsageError.
// `whole`: it must have all phrases of the shard, and not only the first of them.
CorpusRecord earlier(const std::string& path, const CorpusRecord& fresh, Range shard, bool whole) {
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
  const bool begun =
      ranges.empty() || (ranges.size() == 1 && ranges[0].begin == shard.begin && ranges[0].end <= shard.end);
  const bool of_shard = begun && (!whole || kept.scanned.count() == shard.size());
  if (difference.empty() && !of_shard) {
    difference = fmt::format("the phrases are {}:{}, there {}", shard.begin, shard.end, kept.scanned.text());
  }
  if (!difference.empty()) {
    throw UsageError("out", fmt::format("{} is of another scan: {}", path, difference), "", advice);
  }
  return kept;
}

bool is_there(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

// What is kept of the same scan; a new record where nothing is.
CorpusRecord kept_or_new(const ScanJob& job, const CorpusRecord& fresh, Range shard) {
  const std::string path = scan_state_path(job.out);
  if (!is_there(path)) return fresh;
  const ReadingAs own(ReadAs::passing);  // what the scan itself has written, and goes on writing
  CorpusRecord kept = earlier(path, fresh, shard, false);
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

// Counts the next phrases into the record; returns why each of them could not be read.
using AddPhrases = std::function<std::vector<std::string>(CorpusRecord&)>;
using EachBatch = std::function<void(std::int64_t first, const AddPhrases& add)>;
// Calls f for the phrases of a range of indices, in order, one or some at a time.
using VisitPhrases = std::function<void(Range range, const EachBatch& f)>;

// Whether what was counted before is whole when such an exception has ended the scan: add() gives its word for the
// world's faults, and for no bug and no missing memory.
bool leaves_record_whole(const std::exception& failure) {
  return dynamic_cast<const Error*>(&failure) != nullptr || dynamic_cast<const UsageError*>(&failure) != nullptr ||
         dynamic_cast<const ProblemError*>(&failure) != nullptr;
}

// Keeps the state where that can be done: what has ended the scan is said, and not this.
void keep_if_possible(const std::string& state, const CorpusRecord& record) {
  try {
    write_corpus_file(state, record);
  } catch (const Error&) {
    return;
  }
}

// Scans the shard's phrases, whatever they are read from, into a record that `fresh` is the beginning of.
CorpusRecord run(const ScanJob& job, const CorpusRecord& fresh, const VisitPhrases& visit, const CancelToken& cancel) {
  const Range shard = shard_of(fresh.facts.list_size, job.shard, job.shards);
  if (job.keep && is_there(job.out)) {
    CorpusRecord finished = earlier(job.out, fresh, shard, true);
    if (job.kept) job.kept();
    return finished;
  }
  const std::string state = scan_state_path(job.out);
  check_not_read(job.out);
  check_not_read(state);
  CorpusRecord record = kept_or_new(job, fresh, shard);
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
  const auto count_all = [&] {
    visit({shard.begin + record.scanned.count(), shard.end}, [&](std::int64_t first, const AddPhrases& add) {
      cancel.check();
      tell();
      const std::vector<std::string> problems = add(record);
      saved = false;
      std::int64_t index = first;
      for (const std::string& why : problems) {
        if (!why.empty() && job.unreadable) job.unreadable(index, why);
        ++index;
      }
      if (Clock::now() - last < wait) return;
      write_corpus_file(state, record);
      wait = std::min(job.between, 2 * wait);
      last = Clock::now();
      saved = true;
    });
    tell();
    check_memory();
    write_corpus_file(job.out, record);
  };
  const auto say_what_is_left = [&] {
    if (job.left && is_there(state)) job.left(state);
  };
  try {
    count_all();
  } catch (const Cancelled&) {
    if (!saved) write_corpus_file(state, record);
    say_what_is_left();
    throw;
  } catch (const std::exception& failure) {
    if (!saved && leaves_record_whole(failure)) keep_if_possible(state, record);
    say_what_is_left();
    throw;
  }
  std::error_code error;
  std::filesystem::remove(state, error);  // where it cannot be removed, it says what the result says
  return record;
}

}  // namespace

std::string scan_state_path(const std::string& out) {
  return out + ".part";
}

CorpusRecord run_scan(const ScanJob& job, const PhraseList& list, const CancelToken& cancel) {
  check_place(job.out);
  PhraseScan scan(job.options, cancel);
  const VisitPhrases visit = [&](Range range, const EachBatch& f) {
    std::vector<ListedPhrase> batch;
    const auto end_batch = [&] {
      f(batch.front().index, [&](CorpusRecord& record) { return scan.add(batch, record, cancel); });
      batch.clear();
    };
    list.visit(range, [&](const ListedPhrase& phrase) {
      batch.push_back(phrase);
      if (batch.size() == scan.batch()) end_batch();
    });
    if (!batch.empty()) end_batch();
  };
  return run(job, scan.new_record(list), visit, cancel);
}

CorpusRecord run_scan(const ScanJob& job, const CaptureList& list, const CancelToken& cancel) {
  check_place(job.out);
  CaptureScan scan(job.options, list);
  const VisitPhrases visit = [&](Range range, const EachBatch& f) {
    for (std::int64_t index = range.begin; index < range.end; ++index) {
      f(index, [&](CorpusRecord& record) { return std::vector{scan.add(index, record, cancel)}; });
    }
  };
  return run(job, scan.new_record(), visit, cancel);
}

}  // namespace headscope
