#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/compute.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/request_arguments.h"
#include "app/cli/sweep_text.h"
#include "core/attention/patches.h"
#include "core/base/error.h"
#include "core/io/atomic_file.h"
#include "core/sweep/sweep.h"

namespace headscope::cli {
namespace {

constexpr std::int64_t kMostPosition = 999'999'999;

template <typename Kind, std::size_t count>
Kind chosen(const Arguments& given, const char* option, const char* const (&names)[count]) {
  const std::vector<std::string> words(std::begin(names), std::end(names));
  return static_cast<Kind>(choice_of(option, given.get(option, words[0]), words));
}

// REQUEST without the patches that a sweep puts in itself: here --patch says which.
bool is_own(std::string_view option) {
  return option == "patch" || option == "patch-from";
}

OptionGroup own_request_group() {
  OptionGroup group = request_group();
  std::erase_if(group.options, [](const OptionSpec& option) { return is_own(option.name); });
  return group;
}

Arguments without_own_options(Arguments given) {
  std::erase_if(given.values, [](const auto& each) { return is_own(each.first); });
  return given;
}

std::string csv_path(const Arguments& given) {
  if (!given.has("out")) return "";
  const std::string path = given.get("out");
  if (path.size() > 4 && path.ends_with(".csv")) return path;
  throw UsageError("out", fmt::format("found '{}'", path), "FILE.csv");
}

void run(const Arguments& given, const CancelToken& cancel) {
  for (const char* option : {"patch", "metric"}) {
    if (!given.has(option))
      throw UsageError(option, "missing; sweep needs to know what is patched and what is measured");
  }
  SweepQuestion question;
  question.patch = chosen<SweepPatch>(given, "patch", kSweepPatchNames);
  question.metric = given.get("metric");
  if (given.has("at")) question.at = whole_number("at", given.get("at"), 0, kMostPosition);
  const auto direction = chosen<SweepDirection>(given, "direction", kSweepDirectionNames);
  const std::string path = csv_path(given);
  const std::int64_t memory = stage_memory_of(given);
  const GivenRequest request = given_request(without_own_options(given));
  question.patched = request.request;
  question.source = request_against(given, request, "the session or picture of A");
  if (direction == SweepDirection::noise) std::swap(question.patched, question.source);
  ProgressLine progress;
  progress.show("computing");
  const Sweep found =
      sweep(engine_options(memory, true), question, cancel, [&](const Sweep& so_far, std::size_t known) {
        progress.show("patching", static_cast<double>(known) / static_cast<double>(so_far.cells.size()));
      });
  progress.erase();
  if (!path.empty()) {
    write_file_atomically(path, [&](std::ostream& out) { out << sweep_csv(found); });
  }
  if (!found.trace->notice.empty()) print_notice(found.trace->notice);
  if (!found.found->notice.empty()) print_notice(found.found->notice);
  print(given.has("json") ? sweep_json(found, question, direction) : sweep_text(found, question, direction));
}

}  // namespace

Command sweep_command() {
  CommandSpec spec;
  spec.name = "sweep";
  spec.usage =
      "REQUEST --against SESSION --patch heads|positions|stages --metric logit:A[-B]|prob:A|loss|kl [--at POSITION] "
      "[--json] [--out FILE.csv]";
  spec.summary =
      "Puts the numbers of another run, A, into one part of a model after the other, and takes a metric each time: "
      "what carries the difference between two texts.";
  spec.groups = {
      {"Sweep",
       {{"against", "SESSION", "The session, or picture that carries one, of A."},
        {"patch", "heads|positions|stages",
         "A run for every head's context of every layer, for every position of the stream before every layer, or for "
         "query, key, value, weights, context and output of every layer."},
        {"metric", "logit:A[-B]|prob:A|loss|kl",
         "The logit of a token or the difference of two, the probability of a token, the mean loss that run --predict "
         "prints, or the divergence from the unpatched run in nats. Tokens are named as for attribute; A-B is split at "
         "the first dash between two tokens."},
        {"at", "POSITION",
         "Where the metric is taken, from 0 on (default: [MASK] where there is one, else the last position)."},
        {"direction", "denoise|noise",
         "The request takes numbers of A (default), or A takes those of the request; --at counts in what is patched."},
        {"json", "",
         "Print {metric, a, b, cells}; a cell holds the metric after its patch, a and b those of the runs "
         "themselves."},
        {"out", "FILE.csv", "The cells as CSV: layer,head,position,stage,value."}}},
      own_request_group()};
  spec.examples = {
      "headscope-cli sweep --model demo:induction --phrase 'cat box ink fox cat' --against other.json --patch heads "
      "--metric logit:box-ink",
      "headscope-cli sweep --session wide.json --against tired.json --patch positions --metric kl --json"};
  return {spec, run};
}

}  // namespace headscope::cli
