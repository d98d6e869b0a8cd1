#include "core/model/weight_lookup.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <set>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/io/gguf_types.h"
#include "core/model/config_reader.h"
#include "core/model/harmless_tensors.h"
#include "core/tensor/tensor.h"

namespace headscope {

using Place = WeightFiles::Place;

WeightLookup::WeightLookup(const WeightFiles& files, const PlannedTensor& word) : files_(&files) {
  for (const std::string_view prefix : body_prefixes()) {
    const bool older = !word.older_name.empty() && files.find(std::string(prefix) + word.older_name) != nullptr;
    if (!older && files.find(std::string(prefix) + word.name) == nullptr) continue;
    prefix_ = prefix;
    break;
  }
  // A wrapper's part of the prefix stands before the head as well: "_orig_mod." of "_orig_mod.transformer.".
  head_prefixes_ = {""};
  for (std::size_t dot = prefix_.find('.'); dot != prefix_.npos; dot = prefix_.find('.', dot + 1)) {
    head_prefixes_.push_back(prefix_.substr(0, dot + 1));
  }
}

const Place* WeightLookup::find_named(const std::string& name, bool in_head) const {
  if (name.empty()) return nullptr;
  if (!in_head) return files_->find(prefix_ + name);
  for (const std::string& prefix : head_prefixes_) {
    if (const Place* place = files_->find(prefix + name)) return place;
  }
  return nullptr;
}

const Place* WeightLookup::find(const PlannedTensor& tensor) const {
  const Place* place = find_named(tensor.name, tensor.in_head);
  return place != nullptr ? place : find_older(tensor);
}

const Place* WeightLookup::find_older(const PlannedTensor& tensor) const {
  return find_named(tensor.older_name, tensor.in_head);
}

namespace {

bool is_gguf(const TensorFile& file) {
  return std::string_view(file.format) == "GGUF";
}

bool can_be_weight(const TensorFile& file, const TensorEntry& entry) {
  if (is_gguf(file)) return is_read_gguf_type(entry.dtype);
  return entry.dtype == "F32" || entry.dtype == "F16" || entry.dtype == "BF16";
}

class Accountant {
 public:
  explicit Accountant(const WeightLookup& lookup) : lookup_(lookup) {}

  WeightAccount account;
  std::set<std::string> used;
  std::vector<std::string> problems;
  bool missing = false;

  void check(const PlannedTensor& tensor) {
    if (!checked_.insert(tensor.name).second) return;  // layers may share their weights
    const std::string shape = fmt::format("[{}]", fmt::join(tensor.shape, ", "));
    const Place* place = lookup_.find(tensor);
    if (place == nullptr) {
      problems.push_back(fmt::format("{}{} {} is missing", tensor.in_head ? "" : lookup_.prefix(), tensor.name, shape));
      missing = true;
      return;
    }
    const TensorEntry& entry = *place->entry;
    // A model with a map has names of its own.
    const bool as_planned =
        entry.name.ends_with(tensor.name) || (!tensor.older_name.empty() && entry.name.ends_with(tensor.older_name));
    const std::string named = shortened(entry.name) + (as_planned ? "" : fmt::format(" ({})", tensor.name));
    if (entry.shape != tensor.shape) {
      problems.push_back(fmt::format("{} is [{}], expected {}", named, fmt::join(entry.shape, ", "), shape));
    } else if (!can_be_weight(*place->file, entry)) {
      problems.push_back(fmt::format("{} is {}, expected {}", named, entry.dtype,
                                     is_gguf(*place->file) ? read_gguf_types() : "F32, F16 or BF16"));
    }
    if (used.insert(entry.name).second) count(entry);
    account.used.insert(entry.name);
    if (const Place* copy = lookup_.find_older(tensor)) used.insert(copy->entry->name);
  }

 private:
  void count(const TensorEntry& entry) {
    if (entry.bytes == 0) return;  // numbers that no file holds
    account.bytes += static_cast<std::int64_t>(entry.bytes);
    std::int64_t numbers = 1;
    for (const std::int64_t size : entry.shape) numbers *= size;
    account.parameters += numbers;
    const auto at = std::lower_bound(account.dtypes.begin(), account.dtypes.end(), entry.dtype);
    if (at == account.dtypes.end() || *at != entry.dtype) account.dtypes.insert(at, entry.dtype);
  }

  const WeightLookup& lookup_;
  std::set<std::string> checked_;
};

OutputHead::Kind head_of(const WeightLookup& lookup, const PlannedHead& planned, const Architecture& architecture) {
  const bool by_tie = planned.transform.weight.empty() ? architecture.tied_embeddings
                                                       : lookup.find(planned.transform.weight) != nullptr;
  if (!by_tie && lookup.find(planned.decoder.weight) == nullptr) return OutputHead::Kind::none;
  return architecture.causal || architecture.of_decoder() ? OutputHead::Kind::next_token : OutputHead::Kind::masked;
}

// Whether two tables differ in their shape or in some of their rows: so few that opening a model stays quick, spread
// over all of them. False where one of them cannot be read here.
bool differ(const Place& copy, const Place* word) {
  constexpr std::int64_t kMostRows = 64;
  if (word == nullptr || copy.entry == word->entry) return false;
  if (copy.entry->shape != word->entry->shape) return true;
  if (copy.entry->shape.size() != 2 || !can_be_weight(*copy.file, *copy.entry) ||
      !can_be_weight(*word->file, *word->entry)) {
    return false;
  }
  const Tensor a = copy.file->tensor(*copy.entry), b = word->file->tensor(*word->entry);
  const std::int64_t rows = a.dim(0), columns = a.dim(1);
  const std::int64_t count = std::min(rows, kMostRows);
  std::vector<float> of_a(static_cast<std::size_t>(columns)), of_b(of_a.size());
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t row = count == 1 ? 0 : k * (rows - 1) / (count - 1);
    a.read({{row, row + 1}, {0, columns}}, of_a);
    b.read({{row, row + 1}, {0, columns}}, of_b);
    if (std::memcmp(of_a.data(), of_b.data(), of_a.size() * sizeof(float)) != 0) return true;
  }
  return false;
}

// Whether a tensor belongs to a part that the family leaves out.
bool is_left_out(std::string_view name, const WeightLookup& lookup, const Family& family) {
  if (name.starts_with(lookup.prefix())) name.remove_prefix(lookup.prefix().size());
  return std::any_of(family.left_out.begin(), family.left_out.end(),
                     [name](std::string_view beginning) { return name.starts_with(beginning); });
}

[[noreturn]] void refuse(const Accountant& checks, const Architecture& architecture, const std::string& what,
                         const char* described_by) {
  const bool one = checks.problems.size() == 1;
  std::string sentence =
      fmt::format("{}: {} not as the {} model of {} needs {}: {}", what,
                  one ? "1 tensor is" : fmt::format("{} tensors are", checks.problems.size()), architecture.family,
                  described_by, one ? "it" : "them", first_ten(checks.problems, "; "));
  if (checks.missing && !checks.account.unexpected.empty()) {
    std::vector<std::string> shown;
    for (const std::string& name : checks.account.unexpected) shown.push_back(shortened(name));
    sentence += "; found and not known: " + first_ten(shown);
  }
  throw Error(sentence);
}

}  // namespace

WeightAccount checked_weights(const WeightFiles& files, const WeightLookup& lookup, const Architecture& architecture,
                              const Family& family, const std::string& what) {
  Accountant checks(lookup);
  for (const PlannedTensor& tensor : planned_body(architecture, family).tensors()) checks.check(tensor);
  for (std::int64_t layer = 0; layer < architecture.num_layers; ++layer) {
    for (const PlannedTensor& tensor : planned_block(architecture, family, layer).tensors()) checks.check(tensor);
  }
  const PlannedHead head = planned_head(architecture, family);
  checks.account.head = head_of(lookup, head, architecture);
  // Beside a tied decoder a copy of the embedding may stand; one that differs is left out, and said.
  const Place* copy = architecture.tied_embeddings ? lookup.find(head.decoder.weight) : nullptr;
  if (copy != nullptr && !differ(*copy, lookup.find(planned_body(architecture, family).word))) {
    checks.used.insert(copy->entry->name);
  }
  if (checks.account.head != OutputHead::Kind::none) {
    for (const PlannedTensor& tensor : head.tensors()) {
      if (tensor.name != head.decoder.weight.name || !architecture.tied_embeddings) checks.check(tensor);
    }
  }
  for (const auto& [name, place] : files.all()) {
    if (checks.used.contains(name) || is_harmless(*place.entry) || is_left_out(name, lookup, family)) continue;
    checks.account.unexpected.push_back(name);
  }
  if (!checks.problems.empty()) {
    const bool metadata = !files.all().empty() && is_gguf(*files.all().begin()->second.file);
    refuse(checks, architecture, what, metadata ? "its metadata" : "config.json");
  }
  return checks.account;
}

}  // namespace headscope
