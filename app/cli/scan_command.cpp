#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "app/cli/adapter_argument.h"
#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "app/cli/scan_line.h"
#include "app/cli/standard_input.h"
#include "app/cli/unreadable_names.h"
#include "core/base/error.h"
#include "core/corpus/scan_job.h"
#include "core/request/model_kind.h"

namespace headscope::cli {

namespace {

constexpr std::int64_t kMostNumbers = 1'000'000, kMostTokens = std::int64_t{1} << 24, kMostThreads = 4096;
constexpr std::int64_t kMostBatch = 1024;
// Seconds between two states that are kept, for tests: 0 keeps one after every phrase.
constexpr const char* kBetween = "HEADSCOPE_SCAN_KEEP_SECONDS";

std::string required(const Arguments& given, const std::string& option, const char* expected) {
  if (!given.has(option) || given.get(option).empty()) throw UsageError(option, "found nothing", expected);
  return given.get(option);
}

// "0,2,5".
std::vector<std::int64_t> numbers_of(const Arguments& given, const std::string& option) {
  std::vector<std::int64_t> numbers;
  if (!given.has(option)) return numbers;
  const std::string text = given.get(option);
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    numbers.push_back(whole_number(option, text.substr(begin, comma - begin), 0, kMostNumbers));
    begin = comma + 1;
  }
  return numbers;
}

// "2/16".
void set_shard(const Arguments& given, ScanJob& job) {
  if (!given.has("shard")) return;
  const std::string text = given.get("shard");
  const std::size_t slash = text.find('/');
  const UsageError refused("shard", fmt::format("found '{}'", text), "I/N, such as 0/4 to 3/4 for four shards");
  if (slash == text.npos) throw refused;
  try {
    job.shards = whole_number("shard", text.substr(slash + 1), 1, kMostNumbers);
    job.shard = whole_number("shard", text.substr(0, slash), 0, job.shards - 1);
  } catch (const UsageError&) {
    throw refused;
  }
}

constexpr const char* kExpected =
    "a .txt, .jsonl or .ndjson file, also with .gz behind, a folder of such files, or - for standard input";

// What a folder of phrases holds besides.
void say_left_out(const PhraseList& list, const std::string& folder) {
  const auto& [files, folders] = list.left_out();
  std::string what;
  if (files > 0) what = files == 1 ? "1 file of another kind" : fmt::format("{} files of other kinds", files);
  if (folders > 0) what += (what.empty() ? "" : " and ") + counted(folders, "folder");
  if (what.empty()) return;
  print_notice(fmt::format(
      "left out of {}: {}; read are its own files .txt, .jsonl and .ndjson, with .gz behind or not", folder, what));
}

PhraseList list_of(const std::string& path, const std::string& out, const CancelToken& cancel) {
  if (path == "-") return PhraseList::of_text(text_of_standard_input(cancel));
  PhraseList list = PhraseList::open(path, cancel);
  std::error_code error;
  for (const std::string& file : list.files()) {
    for (const std::string& written : {out, unreadable_names_path(out)}) {
      if (!std::filesystem::equivalent(file, written, error)) continue;
      throw UsageError("out", written + " is the list of phrases, or a part of it", "another file");
    }
  }
  return list;
}

std::string done_text(const CorpusRecord& record, const std::string& out, const std::string& names, bool kept) {
  std::string text = fmt::format("{}: {}{}, {}, {}", printable(out), kept ? "kept, of this very scan: " : "",
                                 counted(record.phrases, "phrase"), counted(record.tokens, "token"),
                                 counted(static_cast<std::int64_t>(record.heads.size()), "head"));
  if (record.blank > 0) text += fmt::format("; {}", counted(record.blank, "blank line"));
  if (record.unreadable > 0) text += fmt::format("; {} not readable", record.unreadable);
  if (!names.empty()) text += fmt::format(", named in {}", printable(names));
  return text + "\n";
}

// What was asked, without what is scanned.
ScanJob job_of(const Arguments& given) {
  ScanJob job;
  job.out = required(given, "out", "the .hsagg file to write");
  if (given.get("layers") != "all") job.options.layers = numbers_of(given, "layers");
  job.options.heads = numbers_of(given, "heads");
  job.options.threads = static_cast<int>(whole_number("threads", given.get("threads", "0"), 0, kMostThreads));
  job.options.points = whole_number("points", given.get("points", "0"), 0, kMostPoints);
  job.keep = given.has("keep");
  set_shard(given, job);
  if (const char* seconds = std::getenv(kBetween)) {
    job.between = std::chrono::duration<double>(finite_number(kBetween, seconds));
  }
  return job;
}

// What a finished scan wrote beside its file; "" where it wrote nothing.
std::string named_before(const std::string& out) {
  const std::string path = unreadable_names_path(out);
  std::error_code error;
  return std::filesystem::exists(path, error) ? path : "";
}

// Calls run(), which scans a list of so many phrases, and says what became of it. `place_of` names a phrase that cannot
// be read: "phrase 3 ...".
void run_and_say(ScanJob& job, std::int64_t size, ScanLine& line,
                 const std::function<std::string(std::int64_t)>& place_of, const std::function<CorpusRecord()>& run) {
  UnreadableNames names(job.out, [&](const std::string& sentence) {
    line.erase();
    print_notice(sentence);
  });
  bool begun = false;
  job.progress = [&](const ScanProgress& at) {
    if (!begun) names.begin(shard_of(size, job.shard, job.shards).begin + at.done, at.done > 0);
    begun = true;
    line.show(at);
  };
  job.unreadable = [&](std::int64_t index, const std::string& why) {
    names.add(fmt::format("{} cannot be read: {}", place_of(index), why));
  };
  bool kept = false;
  job.kept = [&] { kept = true; };
  job.left = [&](const std::string& state) {
    line.erase();
    print_notice(fmt::format("{} holds what is done; the same command goes on from there", state));
  };
  const CorpusRecord record = run();
  line.erase();
  // Of a file that stays, those that its scan has written.
  const std::string all = kept ? named_before(job.out) : names.finish();
  if (!all.empty() && !kept) {
    print_notice(fmt::format("{} phrases cannot be read; the first {} are named here, all in {}", names.count(),
                             UnreadableNames::kShown, all));
  }
  if (!kept && names.count() < record.unreadable) {
    print_notice(fmt::format("{} more cannot be read, which an earlier run of this scan has named",
                             record.unreadable - names.count()));
  }
  print(done_text(record, job.out, all, kept));
}

void scan_phrases(const Arguments& given, const CancelToken& cancel) {
  const std::string model = model_with_adapters(given, required(given, "model", "demo:NAME or a model's PATH"));
  const std::string phrases = required(given, "phrases", kExpected);
  ScanJob job = job_of(given);
  job.options.model = model;
  Request request;
  request.model = model;
  if (!runs_checkpoint(request)) {
    throw UsageError("model", model + " has no vocabulary", "demo:NAME or a model's PATH");
  }
  job.options.most_tokens = whole_number("tokens", given.get("tokens", "512"), 1, kMostTokens);
  job.options.repeated = whole_number("repeated", given.get("repeated", "0"), 0, kMostTokens / 2);
  job.options.ablation_sample = whole_number("ablation-sample", given.get("ablation-sample", "0"), 0, kMostTokens);
  job.options.phrase_loss = given.has("loss");
  job.options.batch = whole_number("batch", given.get("batch", "0"), 0, kMostBatch);
  ScanLine line(job.out);
  line.show("reading " + phrases);
  const PhraseList list = list_of(phrases, job.out, cancel);
  line.erase();
  say_left_out(list, phrases);
  line.show("reading " + model);
  const auto place_of = [&](std::int64_t index) {
    const PhraseList::Place place = list.place_of(index);
    return fmt::format("phrase {} (line {}) of {}", index, place.line, place.file.empty() ? phrases : place.file);
  };
  run_and_say(job, list.size(), line, place_of, [&] { return run_scan(job, list, cancel); });
}

void scan_captures(const Arguments& given, const CancelToken& cancel) {
  for (const char* option : {"model", "adapter", "phrases", "repeated", "ablation-sample", "loss", "batch"}) {
    if (given.has(option)) {
      throw UsageError(option, "found together with --captures", "one of them: captures are of no model that is here");
    }
  }
  const std::string folder = required(given, "captures", "the folder that holds the captures");
  ScanJob job = job_of(given);
  // A phrase that is cut short is another one: its weights would have to be computed anew.
  job.options.most_tokens =
      given.has("tokens") ? whole_number("tokens", given.get("tokens"), 1, kMostTokens) : kMostTokens;
  ScanLine line(job.out);
  line.show("reading " + folder);
  const CaptureList list = CaptureList::open(folder, cancel);
  std::error_code error;
  for (std::int64_t index = 0; index < list.size(); ++index) {
    if (std::filesystem::equivalent(list.path(index), job.out, error)) {
      throw UsageError("out", job.out + " is one of the captures", "another file");
    }
  }
  if (list.unmasked() > 0) {
    line.erase();
    print_notice(
        fmt::format("{} of {} hold queries and keys and say neither causal nor a mask: there every query sees "
                    "every key",
                    list.unmasked(), counted(list.size(), "capture")));
  }
  const auto place_of = [](std::int64_t index) { return fmt::format("capture {}", index); };
  run_and_say(job, list.size(), line, place_of, [&] { return run_scan(job, list, cancel); });
}

void scan(const Arguments& given, const CancelToken& cancel) {
  if (given.has("captures")) return scan_captures(given, cancel);
  scan_phrases(given, cancel);
}

std::vector<OptionSpec> output_options() {
  return {{"out", "FILE.hsagg",
           "The file to write. What is done is kept in FILE.hsagg.part, every minute at least, from which the same "
           "command goes on."},
          {"keep", "",
           "A FILE.hsagg that is there already stays as it is, where it is of this very scan (model, list, options, "
           "shard), and is refused where it is of another one: for commands that are given again. Without it, it is "
           "written anew."}};
}

}  // namespace

Command scan_command() {
  CommandSpec spec;
  spec.name = "scan";
  spec.usage =
      "(--model M --phrases FILE.txt|FILE.jsonl|FOLDER|- | --captures DIR) [--shard I/N] [--tokens N] [--repeated N] "
      "[--ablation-sample N] [--loss] [--points N] [--batch N] "
      "[--layers "
      "all|L[,L...]] [--heads H[,H...]] [--threads N] --out FILE.hsagg [--keep]";
  spec.summary =
      "Runs many phrases through a model and counts what every head does; ended at any time, it goes on when it is "
      "called again.";
  spec.groups = {
      {"Input",
       {{"model", "demo:NAME|PATH", "A model with a tokenizer: a folder, a GGUF file, or a demo."},
        adapter_spec(),
        {"phrases", "FILE.txt|FILE.jsonl|FOLDER|-",
         "A phrase a line; of .jsonl and .ndjson a JSON string a line, or an object with a string \"text\"; with .gz "
         "behind, unpacked as it is read. Of a folder its own files of these kinds, one after the other by name, and a "
         "notice says how many others it holds; .json is refused; - reads "
         "lines of text from standard input. Blank lines are passed over; a line that cannot be read is counted and "
         "named: "
         "the first 10 on standard error and, where there are more, all in FILE.hsagg.unreadable.txt."},
        {"captures", "DIR",
         "Instead of a model and phrases: a folder of captures that another engine wrote (*.safetensors, by name), a "
         "phrase each, with its tokens and weights, or queries and keys, of every layer. One that cannot be read is "
         "named and counted; captures of two models are refused."},
        {"shard", "I/N", "Only block I of N blocks of the list that follow one another; I counts from 0."},
        {"tokens", "N",
         "Of a phrase only the first N tokens (default 512), and no more than the model takes. A capture of more than "
         "N "
         "tokens is not read (default: any number)."},
        {"repeated", "N",
         "Beside each phrase, N random tokens of the vocabulary twice one after the other, the same at every scan: "
         "previous, next, duplicate and induction are counted over them too (default 0: none)."},
        {"ablation-sample", "N",
         "N phrases of the list, spread evenly, are run once more and once without each head: the loss of the model "
         "and "
         "that without the head, in nats a token (default 0: none)."},
        {"loss", "",
         "The loss of all phrases, in nats a token, as run --predict has it: layers above those that are counted are "
         "computed for it, and the probabilities of all tokens."},
        {"points", "N",
         "Of each head's queries, keys, values and outputs the mean and the covariance over all positions, for their "
         "principal axes, and N positions that are drawn, at most 1024, as points (default 0: none). Of captures what "
         "they hold of these."},
        {"layers", "all|L[,L...]", "Only these layers (default all); those above them are not computed.", true},
        {"heads", "H[,H...]", "Only these heads of each layer (default all).", true},
        {"batch", "N",
         "N phrases go through the model together, layer by layer, so that each layer's weights are read once for all "
         "of them (default 0: 8 where the weights are more than this machine's memory, else 1). The numbers do not "
         "depend on it."},
        {"threads", "N", "Threads (default 0: all cores). The numbers do not depend on it."}}},
      {"Output", output_options()}};
  spec.examples = {"headscope-cli scan --model demo:pronouns --phrases phrases.txt --out all.hsagg",
                   "headscope-cli scan --model gpt2 --phrases phrases.jsonl.gz --shard 3/16 --out shard3.hsagg",
                   "headscope-cli scan --captures captures --out all.hsagg"};
  return {spec, scan};
}

}  // namespace headscope::cli
