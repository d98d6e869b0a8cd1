#include "app/cli/diagnose_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "app/cli/compute.h"
#include "app/cli/recipe_words.h"
#include "app/cli/request_arguments.h"
#include "app/cli/stage_arguments.h"
#include "core/base/error.h"
#include "core/diagnose/layout_readings.h"
#include "core/export/external_stages.h"
#include "core/model/named_arrays.h"
#include "core/request/array_file.h"
#include "core/request/option_text.h"
#include "core/request/stage.h"

namespace headscope::cli {
namespace {

// Options that say what is computed.
constexpr std::array kSources = {
    "session", "phrase", "phrase-file", "token-ids", "decoder-phrase", "decoder-ids", "image",      "features", "input",
    "query",   "key",    "value",       "model",     "adapter",        "weights",     "key-phrase", "key-input"};

bool holds_attention(const std::string& path) {
  if (!names_arrays(path)) return false;
  const NamedArrays file = read_named_arrays(path);
  const std::array roles = {ArrayRole::query, ArrayRole::key, ArrayRole::value};
  return std::all_of(roles.begin(), roles.end(), [&](ArrayRole role) { return file.find(role) != nullptr; });
}

// The inputs of ours, where they lie beside theirs: they would be compared with themselves.
bool is_own_input(const Trace& ours, const std::string& path, StageId stage) {
  const Request& request = ours.request;
  return path == request.query && ((stage == StageId::query) || (stage == StageId::key && request.key.empty()) ||
                                   (stage == StageId::value && request.value.empty()));
}

// A stage that is named twice would be two of one, or one file for both.
void refuse_twice(const Arguments& given, const std::vector<StageId>& stages) {
  const std::string text = given.get("stage");
  const auto named = static_cast<std::size_t>(std::count(text.begin(), text.end(), ',')) + 1;
  if (stages.empty() || named == stages.size()) return;
  throw UsageError("stage", fmt::format("found '{}', where a stage stands twice", text), "each stage once");
}

// The files that --theirs names. One stage has one file, whatever its name; what is no file is a list.
std::vector<std::string> theirs_paths(const Arguments& given, bool one_stage) {
  const std::string theirs = given.get("theirs");
  std::error_code ignored;
  if (one_stage && (theirs.find(',') == theirs.npos || std::filesystem::exists(theirs, ignored))) return {theirs};
  return parse_list("theirs", theirs, "a list of files", "FILE.npy[,FILE.npy...]");
}

// The files and the stages that they are: as many of one as of the other, or files that name theirs.
std::vector<ExternalStage> theirs_from(const Arguments& given, const Trace& trace, const StoredFormat& stored) {
  std::vector<StageId> stages;
  if (given.has("stage")) stages = stages_from("stage", given.get("stage"));
  for (const StageId stage : stages) stage_of(trace, stage);
  refuse_twice(given, stages);
  const std::vector<std::string> paths = theirs_paths(given, stages.size() == 1);
  const bool by_name_alone = paths.size() == 1 && stages.size() > 1;
  std::vector<ExternalStage> theirs;
  const auto read = [&](const std::string& path, std::optional<StageId> stage) {
    for (ExternalStage& each : read_external_stages(trace, path, stage, stored, by_name_alone)) {
      if (stage || !is_own_input(trace, path, each.stage)) theirs.push_back(std::move(each));
    }
  };
  if (stages.empty()) {
    for (const std::string& path : paths) {
      if (!names_its_stages(path)) stage_from("stage", given.has("stage") ? given.get("stage") : "");
      read(path, std::nullopt);
    }
    if (theirs.empty()) {
      throw UsageError("theirs", fmt::format("{} holds inputs alone", given.get("theirs")),
                       "a result beside them: out, attn_output, weights, scores ...");
    }
    return theirs;
  }
  if (paths.size() == 1 && names_its_stages(paths.front())) {
    for (const StageId stage : stages) read(paths.front(), stage);
    return theirs;
  }
  if (paths.size() != stages.size()) {
    throw UsageError(
        "theirs",
        fmt::format("found {} files for {} stage{}", paths.size(), stages.size(), stages.size() == 1 ? "" : "s"),
        "one for each");
  }
  for (std::size_t k = 0; k < paths.size(); ++k) read(paths[k], stages[k]);
  return theirs;
}

// The result has notices of how files were read.
struct Sentences {
  std::vector<std::string> said;
};

Compared read_with(const Arguments& given, const Request& request, Sentences& sentences, const CancelToken& cancel) {
  Compared found;
  found.ours = quiet_trace(request, stage_memory_of(given), cancel);
  if (found.ours->find(StageId::raw_scores) == nullptr) {
    throw UsageError("model", "a capture without queries and keys cannot be computed in another way", "both in it");
  }
  const std::string format = given.get("theirs-format", "auto");
  found.theirs = theirs_from(given, *found.ours, {format, &sentences.said});
  return found;
}

bool fits(const Compared& found, const std::string& layout) {
  return std::all_of(found.theirs.begin(), found.theirs.end(), [&](const ExternalStage& each) {
    return !layout_readings(*found.ours, each.stage, each.tensor, layout).empty();
  });
}

}  // namespace

Arguments words_of_request(const Arguments& given) {
  Arguments words = given;
  const bool none =
      std::none_of(kSources.begin(), kSources.end(), [&](const char* option) { return given.has(option); });
  const std::string theirs = given.get("theirs");
  if (none && holds_attention(theirs)) words.values["query"] = theirs;
  const bool of_files = words.has("query") || words.has("key") || words.has("value") || words.has("session");
  if (!of_files && words.get("layout") != "thd") words.values.erase("layout");
  return words;
}

Compared compared(const Arguments& given, const Request& request, const CancelToken& cancel) {
  Sentences sentences;
  Compared found = read_with(given, request, sentences, cancel);
  const std::string layout = given.get("layout");
  const bool of_both = is_attention_alone(request) && request.layout != HeadsLayout::automatic && !layout.empty();
  if (of_both && request.lengths.empty() && !fits(found, layout)) {
    Request plain = request;
    plain.layout = HeadsLayout::automatic;
    Sentences other_sentences;
    Compared other = read_with(given, plain, other_sentences, cancel);
    if (fits(other, layout)) {
      found = std::move(other);
      sentences = std::move(other_sentences);
      sentences.said.push_back(fmt::format("--layout {} fits theirs alone: {} is read as [batch, heads, len, head_dim]",
                                           layout, request.query));
    }
  }
  said_of_run(given, *found.ours, cancel);
  for (const std::string& sentence : sentences.said) given.notice_with_result(sentence);
  return found;
}

}  // namespace headscope::cli
