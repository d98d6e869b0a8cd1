// What a folder holds: a checkpoint, or stages that `run` exported.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "app/cli/describe.h"
#include "app/cli/describe_adapter.h"
#include "app/cli/describe_config.h"
#include "app/cli/output.h"
#include "core/base/error.h"
#include "core/base/grouped_digits.h"
#include "core/io/gguf.h"
#include "core/io/json_text.h"
#include "core/model/checkpoint.h"
#include "core/model/checkpoint_readings.h"
#include "core/model/demo_checkpoints.h"
#include "core/model/gguf_model.h"
#include "core/model/meta_folder.h"
#include "core/model/model_map.h"
#include "core/model/weight_files.h"
#include "core/request/model_text.h"
#include "core/text/tokenizer.h"
#include "core/text/unread_tokenizer.h"

namespace headscope::cli {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct FolderFile {
  std::string name;
  double bytes;
};

std::vector<FolderFile> files_of(const std::string& folder) {
  std::vector<FolderFile> files;
  try {
    for (const auto& entry : fs::directory_iterator(folder)) {
      std::error_code error;
      if (!entry.is_regular_file(error)) continue;
      const auto bytes = entry.file_size(error);
      files.push_back({entry.path().filename().string(), error ? 0 : static_cast<double>(bytes)});
    }
  } catch (const fs::filesystem_error& error) {
    throw Error(folder + ": " + error.code().message() + "; expected a folder that can be read");
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return files;
}

bool holds(const std::vector<FolderFile>& files, std::string_view name) {
  return std::any_of(files.begin(), files.end(), [&](const FolderFile& file) { return file.name == name; });
}

// Of this program or another, also where the name leads nowhere: a folder without any has at best a configuration and a
// tokenizer.
bool has_weights(const std::string& folder) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name == "model.npz") return true;
    for (const char* ending : {".safetensors", ".safetensors.index.json", ".bin", ".bin.index.json", ".pt", ".pth",
                               ".ckpt", ".gguf", ".h5", ".msgpack", ".onnx"}) {
      if (name.ends_with(ending)) return true;
    }
  }
  return false;
}

const char* norm_place_name(Architecture::NormPlace place) {
  static constexpr const char* kNames[] = {"before", "after-sum", "after", "around"};
  return kNames[static_cast<std::size_t>(place)];
}

const char* norm_place_text(Architecture::NormPlace place) {
  static constexpr const char* kTexts[] = {"before", "after the sum of", "on the result of", "before and after"};
  return kTexts[static_cast<std::size_t>(place)];
}

// How many layers have the window.
std::int64_t windowed_layers(const Architecture& model) {
  std::int64_t count = 0;
  for (std::int64_t layer = 0; layer < model.num_layers; ++layer) count += model.has_window(layer) ? 1 : 0;
  return count;
}

std::string window_text(const Architecture& model) {
  const std::int64_t layers = windowed_layers(model);
  if (layers == 0) return "";
  return fmt::format(", sliding window {}{}", *model.sliding_window,
                     layers == model.num_layers ? "" : fmt::format(" in {} of {} layers", layers, model.num_layers));
}

Json head_name(OutputHead::Kind kind) {
  switch (kind) {
    case OutputHead::Kind::none:
      return nullptr;
    case OutputHead::Kind::next_token:
      return "next token";
    case OutputHead::Kind::masked:
      return "masked token";
  }
  return nullptr;
}

void add_architecture(const Checkpoint& checkpoint, Description& description) {
  const Architecture& model = checkpoint.architecture();
  const Checkpoint& predicting = predicting_part(checkpoint);
  const Json head = head_name(predicting.output_head().kind);
  const bool tied = predicting.architecture().tied_embeddings;
  const bool gated = model.mlp == Architecture::Mlp::gated;
  add_image_rule(checkpoint, description);
  add_feature_rule(checkpoint, description);
  add_sizes(model, description);
  Json& json = description.json;
  json["mlp_width"] = model.mlp_width;
  json["vocab_size"] = model.vocab_size;
  json["max_positions"] = model.max_positions;
  json["causal"] = model.causal;
  json["sliding_window"] = model.sliding_window ? Json(*model.sliding_window) : Json(nullptr);
  json["position"] = position_name(model.position);
  json["norm"] = model.norm == Architecture::Norm::rms ? "rms" : "layer";
  json["norm_first"] = model.norms_input();
  json["norm_place"] = norm_place_name(model.norm_place);
  json["parallel"] = model.parallel;
  json["windowed_layers"] = windowed_layers(model);
  json["score_softcap"] = model.score_softcap ? Json(*model.score_softcap) : Json(nullptr);
  json["logit_softcap"] = model.logit_softcap ? Json(*model.logit_softcap) : Json(nullptr);
  json["activation"] = model.mlp == Architecture::Mlp::none ? Json(nullptr) : Json(activation_name(model.activation));
  json["gated"] = gated;
  json["output_head"] = head;
  json["tied_embeddings"] = tied;
  json["parameters"] = checkpoint.parameters();
  json["dtypes"] = checkpoint.dtypes();
  json["bytes"] = checkpoint.bytes();

  std::string& text = description.text;
  text += fmt::format("{}, {}{}\n", reading_text(model), model.causal ? "causal" : "attends in both directions",
                      window_text(model));
  text += fmt::format(
      "{} norm {} each part{}, {}\n", model.norm == Architecture::Norm::rms ? "RMS" : "layer",
      norm_place_text(model.norm_place), model.parallel ? ", attention and MLP side by side" : "",
      model.mlp == Architecture::Mlp::none
          ? "no MLP"
          : fmt::format("MLP {} with {}{}", model.mlp_width, gated ? "gated " : "", activation_name(model.activation)));
  add_mixture(model, description);
  text += fmt::format("output head: {}{}\n", head.is_null() ? "none" : head.get<std::string>(),
                      !head.is_null() && tied ? ", tied to the embedding" : "");
  text += fmt::format("{} parameters, {}, {}\n", grouped_digits(checkpoint.parameters()),
                      fmt::join(checkpoint.dtypes(), " and "), size_text(static_cast<double>(checkpoint.bytes())));
}

void add_unexpected(const std::vector<std::string>& unexpected, Description& description) {
  description.json["unexpected_tensors"] = unexpected;
  if (unexpected.empty()) return;
  constexpr std::size_t kShown = 10;
  description.text += counted(static_cast<std::int64_t>(unexpected.size()), "tensor") + " without a place in it:";
  for (std::size_t i = 0; i < std::min(kShown, unexpected.size()); ++i)
    description.text += ' ' + printable(unexpected[i]);
  if (unexpected.size() > kShown) description.text += fmt::format(" and {} more", unexpected.size() - kShown);
  description.text += "\n";
}

// An open model, and what does not belong to it.
void add_checkpoint(const std::string& path, Description& description) {
  const auto checkpoint = Checkpoint::open(path);
  description.json = {{"path", base_of_model(path)}, {"kind", "checkpoint"}};
  description.text = printable(base_of_model(path)) + ": a checkpoint\n";
  add_adapters(path, description);
  add_architecture(*checkpoint, description);
  add_lists(*checkpoint, description);
  const auto tokenizer = checkpoint->tokenizer();
  add_tokenizer(tokenizer.get(), checkpoint->unknown_tokenizer(), description);
  add_unexpected(checkpoint->unexpected(), description);
  for (const std::string& reading : checkpoint_readings(*checkpoint)) {
    description.json["notices"].push_back(reading);
    description.text += printable(reading) + "\n";
  }
  // A text model beside one that reads images has no head of its own.
  if (checkpoint->output_head().kind != OutputHead::Kind::none || checkpoint->architecture().image) return;
  const auto other = Checkpoint::open(path, Tower::image);
  if (!other->architecture().image) return;
  description.text += "\nfor images:\n";
  Description images;
  add_architecture(*other, images);
  add_lists(*other, images);
  description.text += images.text;
  description.json["image_tower"] = images.json;
}

// A GGUF file that holds a vocabulary alone; false for every other.
bool add_vocabulary(const std::string& path, Description& description) {
  const auto file = GgufFile::open(path);
  const std::optional<std::uint64_t> tokens = tokens_of_vocabulary(*file);
  if (!tokens) return false;
  const std::string architecture(file->text("general.architecture").value_or("")),
      kind(file->text("tokenizer.ggml.model").value_or(""));
  file->check_unchanged();
  description.json = {{"path", path}, {"kind", "vocabulary"}};
  description.json["architecture"] = architecture.empty() ? Json(nullptr) : Json(architecture);
  description.json["tokens"] = *tokens;
  description.json["tokenizer_model"] = kind.empty() ? Json(nullptr) : Json(kind);
  description.text = fmt::format("{}: a vocabulary alone, no tensors\n{} tokens, tokenizer.ggml.model {}, of {}\n",
                                 printable(path), *tokens, kind.empty() ? "not said" : printable(kind),
                                 architecture.empty() ? "an architecture that is not said" : printable(architecture));
  std::string unknown;
  std::shared_ptr<const Tokenizer> tokenizer;
  try {
    tokenizer = load_tokenizer(path);
  } catch (const UnknownTokenizer& error) {
    unknown = error.what();
  }
  add_tokenizer(tokenizer.get(), unknown, description);
  return true;
}

// What the map in the folder is for, and what it says that it is not sure of.
void add_map(const std::string& folder, Description& description) {
  const JsonValue map = read_model_map((fs::path(folder) / kMapName).string());
  const char* does = only_ignores(map) ? "which tensors change nothing is said by" : "its parts and names are those of";
  description.json["map"] = kMapName;
  description.text += fmt::format("{} {}\n", does, kMapName);
  description.json["unsure"] = unsure_of(map);
  for (const std::string& each : unsure_of(map)) description.text += "  not sure: " + printable(each) + "\n";
}

}  // namespace

Description describe_gguf(const std::string& path) {
  Description description;
  if (!add_vocabulary(path, description)) add_checkpoint(path, description);
  add_gguf(path, description);
  return description;
}

Description describe_folder(const std::string& path) {
  const std::string base = base_of_model(path);
  const std::string folder = base.starts_with("demo:") ? demo_folder(base.substr(5)) : base;
  const std::vector<FolderFile> files = files_of(folder);
  const bool configured = holds(files, "config.json");
  Description description;
  if (holds(files, "manifest.json") && !configured) {
    description.json = {{"path", base}, {"kind", "export"}};
    description.text = printable(base) + ": stages that Headscope exported\n";
    add_request(read_session((fs::path(folder) / "manifest.json").string()), description);
  } else if (is_adapter_folder(folder) && model_text_of(path).adapters.empty()) {
    description = describe_adapter(folder);
  } else if (has_weights(folder)) {
    add_checkpoint(path, description);
    const std::string gguf = gguf_path_of(folder);
    const bool meta = is_meta_folder(folder);
    if (meta) description.text += "sizes of params.json and of the tensors, in a folder as Meta ships Llama\n";
    if (!gguf.empty()) {
      add_gguf(gguf, description);
    } else if (configured || meta) {
      add_config((fs::path(folder) / (configured ? "config.json" : "params.json")).string(), description);
    } else {
      description.text += "sizes as the files say them, without a config.json\n";
    }
    if (holds(files, kMapName)) add_map(folder, description);
  } else {
    std::string unknown;
    std::shared_ptr<const Tokenizer> tokenizer;
    try {
      tokenizer = load_tokenizer(folder);
      if (tokenizer == nullptr) unknown = unread_tokenizer(folder);
    } catch (const UnknownTokenizer& error) {
      unknown = error.what();
    }
    if (!configured && tokenizer == nullptr) {
      throw Error(base + ": found a folder without config.json and without weights; expected a checkpoint folder");
    }
    description.json = {{"path", base}, {"kind", "checkpoint"}, {"architecture", nullptr}};
    description.text = printable(base) + ": a checkpoint folder without weights\n";
    if (configured) add_configured_sizes((fs::path(folder) / "config.json").string(), description);
    add_tokenizer(tokenizer.get(), unknown, description);
    if (configured) add_config((fs::path(folder) / "config.json").string(), description);
  }
  Json list = Json::array();
  std::vector<std::vector<std::string>> rows = {{"file", "size"}};
  for (const auto& [name, bytes] : files) {
    list.push_back({{"name", name}, {"bytes", static_cast<std::int64_t>(bytes)}});
    rows.push_back({printable(name), size_text(bytes)});
  }
  description.json["files"] = list;
  description.text += "\n" + table_text({{}, {true}}, rows);
  return description;
}

}  // namespace headscope::cli
