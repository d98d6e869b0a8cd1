#include "core/corpus/capture_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/corpus/capture_digest.h"
#include "core/corpus/model_identity.h"
#include "core/io/changed_file.h"
#include "core/io/mapped_file.h"
#include "core/io/safetensors.h"
#include "core/io/sha256.h"
#include "core/model/capture.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> captures_in(const std::string& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    throw Error(folder + ": is no folder; expected one that holds captures, *.safetensors");
  }
  std::vector<std::string> paths;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with('.') || !name.ends_with(".safetensors")) continue;
    paths.push_back(entry->path().string());
  }
  if (error) throw Error(fmt::format("{}: {}", folder, error.message()));
  if (paths.empty()) throw Error(folder + ": holds no capture; expected files named *.safetensors in it");
  std::sort(paths.begin(), paths.end());
  return paths;
}

// 3 and "weights" of "layers.3.weights".
struct LayerPart {
  std::int64_t layer = 0;
  std::string_view part;
};
std::optional<LayerPart> layer_part(std::string_view name) {
  constexpr std::string_view prefix = "layers.";
  if (!name.starts_with(prefix)) return {};
  name.remove_prefix(prefix.size());
  std::int64_t layer = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), layer);
  // A leading zero would let two names mean one layer.
  if (error != std::errc() || layer < 0 || (name[0] == '0' && end != name.data() + 1)) return {};
  const std::string_view part = name.substr(static_cast<std::size_t>(end - name.data()));
  return part.starts_with('.') ? std::optional(LayerPart{layer, part.substr(1)}) : std::nullopt;
}

// Whose axis of heads says how many there are.
bool tells_heads(std::string_view part) {
  return part == "weights" || part == "query" || part == "scores";
}

void take_vector_size(const LayerPart& at, const SafetensorsEntry& entry, CaptureHeading& heading) {
  VectorSizes& sizes = heading.vectors[at.layer];
  for (const VectorKind kind : {VectorKind::query, VectorKind::key, VectorKind::value}) {
    if (at.part != vector_kind_key(kind) || entry.shape.empty()) continue;
    sizes[static_cast<std::size_t>(kind)] = entry.shape.back();
    if (kind == VectorKind::value) sizes[static_cast<std::size_t>(VectorKind::output)] = entry.shape.back();
  }
}

CaptureHeading heading_of(const SafetensorsHeader& header, const std::string& path) {
  const auto text = [&header](const char* key) {
    const auto found = header.metadata.find(key);
    return found == header.metadata.end() ? std::string() : found->second;
  };
  CaptureHeading heading{text("model"), text("model_sha256"), text("tokenizer"), {}, {}};
  for (const SafetensorsEntry& entry : header.entries) {
    const auto at = layer_part(entry.name);
    if (!at) continue;
    take_vector_size(*at, entry, heading);
    if (!tells_heads(at->part)) continue;
    const bool fits = (entry.shape.size() == 3 || entry.shape.size() == 4) && entry.begin < entry.end;
    if (!fits)
      throw Error(fmt::format("{}: {} is not [batch, heads, ...], none of them 0", path, shortened(entry.name)));
    heading.heads[at->layer] = entry.shape[entry.shape.size() - 3];
  }
  if (heading.heads.empty())
    throw Error(path + ": is no capture; expected layers.N.weights, or layers.N.query and key");
  return heading;
}

// Whether a layer of queries and keys says nothing of what they see.
bool is_unmasked(const SafetensorsHeader& header) {
  const auto holds = [&header](const std::string& name) {
    return std::any_of(header.entries.begin(), header.entries.end(),
                       [&](const SafetensorsEntry& entry) { return entry.name == name; });
  };
  if (header.metadata.contains("causal") || holds("mask")) return false;
  return std::any_of(header.entries.begin(), header.entries.end(), [&](const SafetensorsEntry& entry) {
    const auto at = layer_part(entry.name);
    if (!at || at->part != "query") return false;
    const std::string layer = fmt::format("layers.{}.", at->layer);
    return !holds(layer + "weights") && !holds(layer + "mask") && !header.metadata.contains(layer + "causal");
  });
}

std::string heads_text(const std::map<std::int64_t, std::int64_t>& heads) {
  std::string text;
  std::size_t named = 0;
  for (const auto& [layer, count] : heads) {
    if (++named > 4) return fmt::format("{}, ... ({} layers)", text, heads.size());
    text += fmt::format("{}{} in layer {}", text.empty() ? "" : ", ", count, layer);
  }
  return text;
}

// Why two captures are not of one model: "the model is A, there B"; "" when they are.
std::string difference_of(const CaptureHeading& a, const CaptureHeading& b) {
  const auto said = [](const char* what, const std::string& x, const std::string& y) {
    return x == y ? std::string() : fmt::format("{} '{}', there '{}'", what, x, y);
  };
  for (const std::string& difference :
       {said("the model is", a.model, b.model), said("its sha256 is", a.sha256, b.sha256),
        said("the tokenizer is", a.tokenizer, b.tokenizer)}) {
    if (!difference.empty()) return difference;
  }
  if (a.heads == b.heads) return "";
  return fmt::format("the heads are {}, there {}", heads_text(a.heads), heads_text(b.heads));
}

// Two captures that are not of one model; files of one layer each, as an engine may write them, are told apart.
UsageError unlike_error(const std::string& first, const std::string& other, const std::string& difference,
                        bool layer_in_common) {
  if (layer_in_common) {
    return {"captures", fmt::format("{} and {} are not of one model: {}", first, other, difference),
            "captures of one model, of the same layers and heads"};
  }
  return {"captures", fmt::format("{} and {} have no layer in common: {}", first, other, difference),
          "all layers of a phrase in one file; the guide's chapter on corpora joins files of one layer each"};
}

}  // namespace

CaptureList CaptureList::open(const std::string& folder, const CancelToken& cancel) {
  CaptureList list;
  for (std::string& path : captures_in(folder)) list.files_.push_back({std::move(path), {}, "", "", {}});
  list.look_at_headers(cancel);
  if (list.heading_.model.empty()) list.heading_.model = model_name(folder);
  return list;
}

void CaptureList::look_at_headers(const CancelToken& cancel) {
  Sha256 sha;
  const File* first = nullptr;
  for (File& file : files_) {
    cancel.check();
    file.stamp = file_stamp(file.path);
    sha.add(fmt::format("{}\n", file.stamp.size));
    CaptureHeading heading;
    try {
      const auto mapped = MappedFile::open(file.path);
      const auto bytes = mapped->bytes();
      const SafetensorsHeader header = parse_safetensors_header(bytes, file.path);
      add_capture(sha, bytes, header);
      look_beside(file, header, sha);
      heading = heading_of(header, file.path);
      mapped->check_unchanged();
      if (is_unmasked(header)) ++unmasked_;
    } catch (const Error& error) {
      file.problem = error.what();
      continue;
    }
    if (first == nullptr) {
      first = &file;
      heading_ = std::move(heading);
    } else if (const std::string other = difference_of(heading_, heading); !other.empty()) {
      const bool common = std::any_of(heading.heads.begin(), heading.heads.end(),
                                      [&](const auto& layer) { return heading_.heads.contains(layer.first); });
      throw unlike_error(first->path, file.path, other, common);
    }
  }
  if (first == nullptr) {
    throw Error(fmt::format("none of the {} files can be read: {}", files_.size(), files_.front().problem));
  }
  sha256_ = sha.hex();
}

void CaptureList::look_beside(File& file, const SafetensorsHeader& header, Sha256& sha) {
  if (header.metadata.contains("tokens") || header.metadata.contains("key_tokens")) return;
  file.beside = capture_tokens_path(file.path);
  if (file.beside.empty()) return;
  file.beside_stamp = file_stamp(file.beside);
  const auto mapped = MappedFile::open(file.beside);
  sha.add(fmt::format("{}\n", mapped->bytes().size()));
  sha.add(mapped->bytes().data(), mapped->bytes().size());
  mapped->check_unchanged();
}

void CaptureList::check_unchanged(std::int64_t index) const {
  const File& file = files_[static_cast<std::size_t>(index)];
  if (file_stamp(file.path) != file.stamp) throw changed_file_error(file.path);
  if (file.beside.empty()) return;
  if (file_stamp(file.beside) != file.beside_stamp) throw changed_file_error(file.beside);
}

}  // namespace headscope
