#include "app/cli/diagnose_dump.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "app/cli/compute.h"
#include "app/cli/model_diagnosis_text.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/request_arguments.h"
#include "core/base/error.h"
#include "core/diagnose/diagnose_model.h"
#include "core/diagnose/program_names.h"
#include "core/export/dump_tensors.h"
#include "core/export/external_stages.h"
#include "core/request/model_kind.h"
#include "core/request/option_text.h"

namespace headscope::cli {
namespace {

std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 6;
  const std::size_t shown = std::min(names.size(), kMost);
  const std::string list =
      fmt::format("{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  return names.size() > shown ? fmt::format("{} and {} more", list, names.size() - shown) : list;
}

std::string are(std::size_t count, std::string_view what) {
  return count == 1 ? fmt::format("1 tensor of theirs is {}", what)
                    : fmt::format("{} tensors of theirs are {}", count, what);
}

void keep_notices(const Arguments& given, const ModelDump& dump, const ModelDiagnosis& found) {
  for (const DumpTensor& each : dump.tensors) {
    if (!each.read_as.empty())
      given.notice_with_result(fmt::format("theirs, {}, is read as {}", each.name, each.read_as));
  }
  for (const std::string& each : found.readings) given.notice_with_result(each);
  if (!found.unknown.empty()) {
    given.notice_with_result(fmt::format(
        "{}: {}", are(found.unknown.size(), "left out, for no program that is known here calls anything so"),
        some_of(found.unknown)));
  }
  if (!found.others.empty()) {
    given.notice_with_result(
        fmt::format("{}: {}", are(found.others.size(), "left out, for this model computes no such thing here"),
                    some_of(found.others)));
  }
}

}  // namespace

std::optional<std::vector<DumpEntry>> theirs_of_model(const Arguments& given, const Request& request) {
  if (given.has("stage") || !runs_checkpoint(request)) return std::nullopt;
  const std::vector<std::string> paths =
      parse_list("theirs", given.get("theirs"), "a list of files", "FILE.safetensors[,FILE.safetensors...]");
  if (!std::all_of(paths.begin(), paths.end(), names_its_stages)) return std::nullopt;
  std::vector<DumpEntry> entries = dump_entries(paths);
  const auto of_layer = [](const DumpEntry& each) { return names_a_layer(each.name); };
  if (std::none_of(entries.begin(), entries.end(), of_layer)) return std::nullopt;
  return entries;
}

void diagnose_dump(const Arguments& given, const Request& request, const std::vector<DumpEntry>& theirs,
                   const DiagnoseOptions& options, const CancelToken& cancel) {
  if (given.has("layout")) {
    throw UsageError("layout", "found it beside a dump of a whole model, whose names say their axes", "no --layout");
  }
  const std::shared_ptr<const Trace> trace = computed_trace(given, request, stage_memory_of(given), cancel, true);
  const ModelDump dump = model_dump(*trace, theirs);
  ProgressLine progress;
  const ModelDiagnosis found = diagnose_model(
      *trace, dump, make_cpu_backend(trace->request.threads),
      [&](double share) { progress.show("comparing layers", share); }, cancel, options);
  progress.erase();
  keep_notices(given, dump, found);
  print(given.has("json") ? model_diagnosis_json(found) : model_diagnosis_text(found));
  if (given.has("check") && !found.equal()) throw CheckFailed();
}

}  // namespace headscope::cli
