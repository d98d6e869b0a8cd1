#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <ostream>
#include <system_error>

#include "app/cli/adapter_argument.h"
#include "app/cli/commands.h"
#include "app/cli/describe.h"
#include "app/cli/describe_config.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/session/documents.h"
#include "app/session/model_folder.h"
#include "core/base/assert.h"
#include "core/base/error.h"
#include "core/base/system/streams.h"
#include "core/io/atomic_file.h"
#include "core/io/json_text.h"
#include "core/model/map_draft.h"
#include "core/model/model_map.h"
#include "core/model/weight_files.h"
#include "core/request/model_text.h"

namespace headscope::cli {

namespace {

// A file of a model's weights leads to its folder.
Description with_checkpoint(Description description, const std::string& path) {
  const std::string folder = folder_of_weights(path);
  if (folder.empty()) return description;
  description.json["checkpoint"] = folder;
  description.text +=
      fmt::format("\nweights of a whole model: headscope-cli info {} says of which\n", printable(folder));
  return description;
}

Description description_of(const std::string& path, const Reading& reading) {
  if (path.starts_with("demo:")) return describe_folder(text_of({path, {}}));
  if (!vocabulary_kind(path).empty()) return describe_vocabulary_file(path);
  switch (file_kind(path)) {
    case FileKind::folder:
      return describe_folder(text_of({path, {}}));
    case FileKind::png:
      return describe_picture(path);
    case FileKind::jpeg:
      return describe_jpeg(path);
    case FileKind::svg:
    case FileKind::pdf:
    case FileKind::page:
      return describe_drawing(path);
    case FileKind::npy:
      return describe_npy(path, reading);
    case FileKind::npz:
      return describe_npz(path, reading);
    case FileKind::safetensors:
    case FileKind::torch:
      return with_checkpoint(describe_tensors(path, reading), path);
    case FileKind::gguf:
      return describe_gguf(path);
    case FileKind::json:
      return is_model_config(path) ? describe_model_config(path) : describe_session(path);
  }
  throw Bug("a kind of file without a description");
}

Description described_with_adapters(const Arguments& given, const std::string& path) {
  if (!path.starts_with("demo:") && file_kind(path) != FileKind::folder) {
    throw UsageError("adapter", fmt::format("found with {}, which is a file", path), "the folder of a model");
  }
  return describe_folder(model_with_adapters(given, path));
}

// Writes the draft of a map for the model in the folder, and says what it could not guess.
Description drafted_map(const std::string& folder, const std::string& file) {
  if (file_kind(folder) != FileKind::folder) {
    throw UsageError("map-draft", folder + " is a file", "a folder with config.json and weights");
  }
  const std::string config = (std::filesystem::path(folder) / "config.json").string();
  const MapDraft draft = draft_map(read_config_json(config), WeightFiles::open(folder));
  write_file_atomically(file, [&](std::ostream& out) { out << draft.json; });
  Description description;
  description.json = {
      {"path", folder}, {"kind", "map_draft"}, {"file", file}, {"tensors", draft.guessed}, {"unsure", draft.unsure}};
  description.text = printable(file) + ": " + counted(static_cast<std::int64_t>(draft.guessed), "kind") +
                     " of tensors have a part. Check it against the model's code, and put it into the folder as " +
                     kMapName + "\n";
  if (!draft.unsure.empty()) description.text += "not sure of:\n";
  for (const std::string& each : draft.unsure) description.text += "  " + printable(each) + "\n";
  return description;
}

// From so many bytes on, reading may take seconds.
constexpr std::uintmax_t kLarge = 1'000'000'000;

// Where there is no terminal to rewrite a line on.
void announce_large_file(const std::string& path) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  if (error || bytes < kLarge || system::is_terminal(system::kError)) return;
  print_notice(fmt::format("reading {}, {}", path, size_text(static_cast<double>(bytes))));
}

void print_description(const Arguments& given, const Description& description) {
  // Names in files and paths may be no UTF-8; what cannot be said in JSON is replaced.
  print(given.has("json")
            ? description.json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n"
            : description.text);
}

void info(const Arguments& given, const CancelToken& cancel) {
  if (given.has("families")) {
    if (!given.positional.empty()) throw UsageError("families", "found a path too", "it alone: it lists what opens");
    return print_description(given, describe_families());
  }
  if (given.positional.empty()) throw UsageError("PATH: found nothing; expected the file or folder to describe");
  ProgressLine progress;
  const std::string doing = "reading " + given.positional;
  progress.show(doing);
  announce_large_file(given.positional);
  const Reading reading{cancel, [&](double share) { progress.show(doing, share); }};
  const ModelPlace place = place_in_hub(given.positional);
  const Description description = given.has("map-draft") ? drafted_map(place.path, given.get("map-draft"))
                                  : given.has("adapter") ? described_with_adapters(given, place.path)
                                                         : description_of(place.path, reading);
  progress.erase();
  if (!place.notice.empty()) given.notice_with_result(place.notice);
  print_description(given, description);
}

}  // namespace

Command info_command() {
  CommandSpec spec;
  spec.name = "info";
  spec.usage = "(PATH [--map-draft FILE | --adapter DIR[*SCALE]] | --families) [--json]";
  spec.summary =
      "Says what a checkpoint folder, an adapter, a config.json, a GGUF model, a vocabulary, a session, a picture, a "
      ".safetensors, "
      ".pt, .npy or .npz file holds.";
  spec.positional = "PATH";
  spec.groups = {
      {"Output",
       {{"map-draft", "FILE",
         "Of a folder whose model no family fits: write a headscope-map.json, guessed from names, shapes and "
         "config.json, and say what could not be guessed, and which keys of config.json were not taken into account."},
        adapter_spec(),
        {"families", "", "List the families of models that open, in place of a file, with the model_types of each."},
        {"json", "", "As JSON."}}}};
  spec.examples = {"headscope-cli info layer.safetensors", "headscope-cli info heads.png --json",
                   "headscope-cli info path/to/model", "headscope-cli info path/to/model --map-draft map.json",
                   "headscope-cli info path/to/model --adapter path/to/lora"};
  return {spec, info};
}

}  // namespace headscope::cli
