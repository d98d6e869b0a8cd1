#include "core/model/draft_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/base/message_text.h"
#include "core/model/harmless_tensors.h"
#include "core/model/layer_names.h"
#include "core/model/map_names.h"
#include "core/model/tensor_names.h"

namespace headscope {

std::int64_t DraftParts::dim(const std::string& key, std::size_t axis) const {
  const auto at = found.find(key);
  return at == found.end() || axis >= at->second.entry->shape.size() ? 0 : at->second.entry->shape[axis];
}

bool DraftParts::in_out() const {
  const std::int64_t width = dim("word.weight", 1);
  for (const char* key : {"up.weight", "gate_up.weight", "qkv.weight", "key.weight"}) {
    const std::int64_t rows = dim(key, 0), columns = dim(key, 1);
    if (rows != columns && rows > 0) return rows == width;
  }
  return false;
}

namespace {

class PartsFinder {
 public:
  explicit PartsFinder(const WeightFiles& files) : files_(files) {}

  DraftParts find(const Family* asked) {
    find_layers();
    parts_.like = asked;
    if (asked == nullptr) {
      parts_.others = families_by_names(names_of_layer());
      if (!parts_.others.empty()) {
        parts_.like = parts_.others.front();
        parts_.others.erase(parts_.others.begin());
      }
    }
    find_prefix();
    std::vector<const TensorEntry*> entries;
    for (const auto& [name, place] : files_.all()) entries.push_back(place.entry);
    // What only sounds like a part has no place where a name of the family is.
    std::stable_partition(entries.begin(), entries.end(), [this](const TensorEntry* entry) {
      const Own own = own_name(entry->name);
      return family_part(module_name(own.name).module, own.in_layer) != nullptr;
    });
    for (const TensorEntry* entry : entries) add(entry->name, *entry);
    settle_gate();
    settle_decoder_bias();
    return std::move(parts_);
  }

 private:
  void find_layers();
  std::set<std::string> names_of_layer() const;
  void find_prefix();
  void add(const std::string& name, const TensorEntry& entry);
  std::string key_of(const std::string& name, const std::string& own, bool in_layer, const TensorEntry& entry) const;
  // A name as its place has it: in a layer, of the layer's list alone, without what stands before.
  struct Own {
    std::string name;
    bool in_layer = false;
    long layer = -1;
  };
  Own own_name(const std::string& name) const;
  const MapPart* family_part(const std::string& module, bool in_layer) const;
  const MapPart* part_of(const std::string& name, const std::string& module, bool in_layer, std::size_t axes) const;
  void settle_gate();
  void settle_decoder_bias();

  const WeightFiles& files_;
  DraftParts parts_;
  std::string body_prefix_;                           // before the names of the family's body
  std::map<std::string, const TensorEntry*> biases_;  // without a part, of no layer
};

// The list with the most tensors is that of the layers.
void PartsFinder::find_layers() {
  std::map<std::string, std::pair<std::size_t, long>> lists;  // tensors, largest number
  for (const auto& [name, place] : files_.all()) {
    const LayeredName parts = layered_name(name);
    if (parts.layer < 0) continue;
    auto& [count, largest] = lists[parts.before];
    ++count;
    largest = std::max(largest, parts.layer);
  }
  std::size_t most = 0;
  for (const auto& [prefix, list] : lists) {
    if (list.first <= most) continue;
    most = list.first;
    parts_.layer_prefix = prefix;
    parts_.num_layers = list.second + 1;
  }
}

std::set<std::string> PartsFinder::names_of_layer() const {
  std::set<std::string> names;
  for (const auto& [name, place] : files_.all()) {
    const LayeredName parts = layered_name(name);
    if (parts.layer < 0 || parts.before != parts_.layer_prefix || is_harmless(*place.entry)) continue;
    names.insert(parts.after.substr(1));
  }
  return names;
}

void PartsFinder::find_prefix() {
  if (parts_.like == nullptr) return;
  for (const std::string_view prefix : body_prefixes()) {
    if (files_.find(fmt::format("{}{}.weight", prefix, parts_.like->names.word)) == nullptr) continue;
    body_prefix_ = prefix;
    return;
  }
}

PartsFinder::Own PartsFinder::own_name(const std::string& name) const {
  const LayeredName parts = layered_name(name);
  const bool in_layer = parts_.num_layers > 0 && parts.layer >= 0 && parts.before == parts_.layer_prefix;
  return in_layer ? Own{parts.after.substr(1), true, parts.layer} : Own{name};
}

const MapPart* PartsFinder::family_part(const std::string& module, bool in_layer) const {
  if (parts_.like == nullptr) return nullptr;
  const std::string body = !in_layer && module.starts_with(body_prefix_) ? module.substr(body_prefix_.size()) : module;
  for (const MapPart& part : map_parts()) {
    const std::string_view theirs = parts_.like->names.*part.name;
    if (part.in_layer == in_layer && !theirs.empty() && (theirs == module || theirs == body)) return &part;
  }
  return nullptr;
}

// As the family calls it, or else as its name sounds.
const MapPart* PartsFinder::part_of(const std::string& name, const std::string& module, bool in_layer,
                                    std::size_t axes) const {
  if (const MapPart* part = family_part(module, in_layer)) return part;
  const MapPart* part = guessed_part(module, in_layer, axes);
  // A bias is of the part that its weight is.
  if (!name.ends_with("bias")) return part;
  const auto weight = files_.all().find(name.substr(0, name.size() - 4) + "weight");
  if (weight == files_.all().end()) return part;
  return guessed_part(module, in_layer, weight->second.entry->shape.size());
}

std::string PartsFinder::key_of(const std::string& name, const std::string& own, bool in_layer,
                                const TensorEntry& entry) const {
  const Family* like = parts_.like;
  if (like != nullptr && !in_layer && *like->names.decoder_bias && own == like->names.decoder_bias) {
    return "decoder.bias";
  }
  const ModuleName module = module_name(own);
  const MapPart* part = part_of(name, module.module, in_layer, entry.shape.size());
  if (part == nullptr || (module.bias && !part->has_bias())) return "";
  return fmt::format("{}.{}", part->key, module.bias ? "bias" : "weight");
}

void PartsFinder::add(const std::string& name, const TensorEntry& entry) {
  if (is_harmless(entry)) return;
  // A matrix of one of many would pass for the layer's own.
  const bool expert = name.find("experts.") != name.npos;
  parts_.experts = parts_.experts || expert;
  if (expert) return;
  const Own own = own_name(name);
  if (own.in_layer && own.layer != 0) return;
  const std::string after = name.substr(own.in_layer ? parts_.layer_prefix.size() + 1 : 0);
  const std::string pattern = own.in_layer ? parts_.layer_prefix + "{layer}" + after : name;
  const std::string key = key_of(name, own.name, own.in_layer, entry);
  if (!key.empty() && parts_.found.try_emplace(key, DraftParts::Found{pattern, &entry}).second) return;
  if (key.empty() && !own.in_layer && name.ends_with("bias")) biases_[name] = &entry;
  parts_.left.push_back(key.empty() ? shortened(pattern)
                                    : fmt::format("{} (as {} seems to be {})", shortened(pattern),
                                                  shortened(parts_.found.at(key).pattern), key));
}

// The first matrix of an MLP without a gate may be called as a gate is.
void PartsFinder::settle_gate() {
  if (parts_.has("up.weight")) return;
  for (const char* which : {"weight", "bias"}) {
    const std::string gate = fmt::format("gate.{}", which), up = fmt::format("up.{}", which);
    if (!parts_.has(gate)) continue;
    auto node = parts_.found.extract(gate);
    node.key() = up;
    parts_.found.insert(std::move(node));
  }
}

// One number a word, beside no matrix.
void PartsFinder::settle_decoder_bias() {
  for (const auto& [name, entry] : biases_) {
    if (entry->shape != std::vector<std::int64_t>{parts_.dim("word.weight", 0)}) continue;
    if (!parts_.found.try_emplace("decoder.bias", DraftParts::Found{name, entry}).second) return;
    std::erase(parts_.left, shortened(name));
  }
}

}  // namespace

DraftParts draft_parts(const WeightFiles& files, const Family* asked) {
  return PartsFinder(files).find(asked);
}

}  // namespace headscope
