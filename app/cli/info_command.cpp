#include "app/cli/commands.h"
#include "app/cli/describe.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/session/documents.h"
#include "core/base/assert.h"
#include "core/base/error.h"

namespace headscope::cli {

namespace {

Description description_of(const std::string& path) {
  if (path.starts_with("demo:")) return describe_folder(path);
  switch (file_kind(path)) {
    case FileKind::folder:
      return describe_folder(path);
    case FileKind::png:
      return describe_picture(path);
    case FileKind::svg:
    case FileKind::pdf:
      return describe_drawing(path);
    case FileKind::npy:
      return describe_npy(path);
    case FileKind::npz:
      return describe_npz(path);
    case FileKind::safetensors:
      return describe_safetensors(path);
    case FileKind::json:
      return describe_session(path);
  }
  throw Bug("a kind of file without a description");
}

void info(const Arguments& given, const CancelToken&) {
  if (given.positional.empty()) throw UsageError("PATH: found nothing; expected the file or folder to describe");
  ProgressLine progress;
  progress.show("reading " + given.positional);
  const Description description = description_of(given.positional);
  progress.erase();
  // Names in files and paths may be no UTF-8; what cannot be said in JSON is replaced.
  print(given.has("json")
            ? description.json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n"
            : description.text);
}

}  // namespace

Command info_command() {
  CommandSpec spec;
  spec.name = "info";
  spec.usage = "PATH [--json]";
  spec.summary = "Says what a checkpoint folder, a session, a picture, a .safetensors, .npy or .npz file holds.";
  spec.positional = "PATH";
  spec.groups = {{"Output", {{"json", "", "As JSON."}}}};
  spec.examples = {"headscope-cli info layer.safetensors", "headscope-cli info heads.png --json",
                   "headscope-cli info path/to/model"};
  return {spec, info};
}

}  // namespace headscope::cli
