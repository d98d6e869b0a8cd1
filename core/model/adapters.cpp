#include "core/model/adapters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/model/adapter_tensors.h"
#include "core/model/body_prefix.h"
#include "core/model/config_reader.h"
#include "core/model/low_rank.h"
#include "core/request/model_text.h"

namespace headscope {
namespace {

using Sizes = std::vector<std::int64_t>;

// An adapter of BERT does not fit RoBERTa, though their tensors are called alike behind the family's name.
bool may_be_of(const BodyPrefix& prefix, const BodyPrefix& other) {
  return prefix.family == other.family || prefix.family.empty() || other.family.empty();
}

// The tensor of the files that training code calls `name`: it, or one whose name begins with other words that stand
// before a model's body. Empty where there is none; several are all named.
std::vector<std::string> tensors_called(const WeightFiles& files, const std::string& name) {
  if (files.find(name) != nullptr) return {name};
  std::set<std::string> found;
  for (const BodyPrefix& prefix : named_body_prefixes()) {
    if (!name.starts_with(prefix.text)) continue;
    const std::string core = name.substr(prefix.text.size());
    for (const BodyPrefix& other : named_body_prefixes()) {
      const std::string candidate = other.text + core;
      if (may_be_of(prefix, other) && files.find(candidate) != nullptr) found.insert(candidate);
    }
  }
  return {found.begin(), found.end()};
}

std::string sizes_text(const Sizes& sizes) {
  return fmt::format("[{}]", fmt::join(sizes, ", "));
}

std::int64_t count_of(const TensorEntry& entry) {
  std::int64_t count = 1;
  for (const std::int64_t size : entry.shape) count *= size;
  return count;
}

// The transposed of a matrix [rows, columns], row by row.
std::vector<float> turned(const std::vector<float>& numbers, std::int64_t rows, std::int64_t columns) {
  std::vector<float> result(numbers.size());
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      result[static_cast<std::size_t>(j * rows + i)] = numbers[static_cast<std::size_t>(i * columns + j)];
    }
  }
  return result;
}

// Which way the matrix stands in the file.
enum class Stands { out_in, in_out };

// One adapter on the files of a model.
class Putting {
 public:
  Putting(WeightFiles& files, const AdapterUse& use, const std::string& base, std::shared_ptr<MergedMemory> memory)
      : files_(files),
        use_(use),
        base_(base),
        memory_(std::move(memory)),
        adapter_(std::make_shared<const AdapterTensors>(read_adapter_tensors(use.folder))) {}

  void put_all(std::optional<bool> in_out, std::set<std::string>& changed) {
    const std::set<std::string> before = changed;
    if (use_.scale != 1.0 && !adapter_->whole.empty()) {
      throw Error(fmt::format("{}: {} was trained whole, and takes no scale. Expected the adapter without *SCALE.",
                              use_.folder, shortened(adapter_->whole.front().tensor)));
    }
    for (const AdapterTensors::Whole& each : adapter_->whole) put_whole(each, before, changed);
    for (const AdapterTensors::Factors& each : adapter_->factors) put_merged(each, in_out, changed);
    if (problems_.empty()) return;
    throw Error(fmt::format("{}: does not fit {}: {}", use_.folder, base_, first_ten(problems_, "; ")));
  }

 private:
  // The one tensor of that name; "" where there is none, which is then a problem.
  std::string tensor_called(const std::string& name) {
    const std::vector<std::string> found = tensors_called(files_, name);
    if (found.size() == 1) return found.front();
    problems_.push_back(found.empty() ? shortened(name) + " has no weight there" +
                                            (name.ends_with("lm_head.weight") ? ", where a head may be tied to the "
                                                                                "embedding and have none of its own"
                                                                              : "")
                                      : fmt::format("{} may be each of {}", shortened(name), first_ten(found)));
    return "";
  }

  void put_whole(const AdapterTensors::Whole& whole, const std::set<std::string>& before,
                 std::set<std::string>& changed) {
    const std::string name = tensor_called(whole.tensor);
    if (name.empty()) return;
    if (before.contains(name)) {
      problems_.push_back(fmt::format("{} was changed by an adapter before, and this one replaces it", name));
      return;
    }
    const TensorEntry& theirs = *files_.find(name)->entry;
    if (theirs.shape != whole.entry->shape) {
      problems_.push_back(fmt::format("{} is {}, expected {}", shortened(name), sizes_text(whole.entry->shape),
                                      sizes_text(theirs.shape)));
      return;
    }
    TensorEntry entry = *whole.entry;
    entry.name = name;
    const auto read = [adapter = adapter_, from = whole.entry](bool two_bytes) {
      return two_bytes ? adapter->file->weight(*from) : adapter->file->tensor(*from);
    };
    files_.put({std::move(entry), {name}, read});
    changed.insert(name);
  }

  void put_merged(const AdapterTensors::Factors& factors, std::optional<bool> in_out, std::set<std::string>& changed) {
    const std::string name = tensor_called(factors.module + ".weight");
    if (name.empty()) return;
    const WeightFiles::Place place = *files_.find(name);
    const bool mlx = adapter_->config.kind == AdapterConfig::Kind::mlx;
    const std::int64_t rank = factors.a->shape[mlx ? 1 : 0], in = factors.a->shape[mlx ? 0 : 1],
                       out = factors.b->shape[mlx ? 1 : 0], rank_of_b = factors.b->shape[mlx ? 0 : 1];
    const Sizes &shape = place.entry->shape, straight{out, in}, other{in, out};
    const bool columns_are_outputs =
        factors.embedding ||
        (shape == other && (shape != straight || in_out.value_or(adapter_->config.fan_in_fan_out)));
    if (rank != rank_of_b || shape != (columns_are_outputs ? other : straight)) {
      problems_.push_back(fmt::format("{} is {}, and its change B A is {} {}", shortened(name), sizes_text(shape),
                                      sizes_text({out, rank_of_b}), sizes_text({rank, in})));
      return;
    }
    if (factors.magnitude != nullptr && count_of(*factors.magnitude) != out) {
      problems_.push_back(fmt::format("{} has {} outputs, and its magnitudes are {}", shortened(name), out,
                                      sizes_text(factors.magnitude->shape)));
      return;
    }
    const double scale = use_.scale * adapter_scaling(adapter_->config, factors.module, rank, adapter_->file->path);
    const auto kept = std::make_shared<Kept>();
    const auto read = [=, adapter = adapter_, memory = memory_](bool) {
      const std::lock_guard lock(kept->mutex);
      if (kept->merged.empty()) {
        LowRankChange change = change_of(*adapter, factors, columns_are_outputs ? Stands::in_out : Stands::out_in);
        change.scale = scale;
        kept->merged = merged_matrix(place.file->weight(*place.entry), std::move(change), *memory);
      }
      return kept->merged;
    };
    files_.put({*place.entry, {name}, read});
    changed.insert(name);
  }

  // Made on the first read.
  struct Kept {
    std::mutex mutex;
    Tensor merged;
  };

  static LowRankChange change_of(const AdapterTensors& adapter, const AdapterTensors::Factors& factors, Stands stands) {
    const bool mlx = adapter.config.kind == AdapterConfig::Kind::mlx;
    LowRankChange change;
    change.rank = factors.a->shape[mlx ? 1 : 0];
    const std::int64_t in = factors.a->shape[mlx ? 0 : 1], out = factors.b->shape[mlx ? 1 : 0];
    std::vector<float> a = adapter.file->tensor(*factors.a).values(), b = adapter.file->tensor(*factors.b).values();
    if (mlx) {
      a = turned(a, in, change.rank);
      b = turned(b, change.rank, out);
    }
    const bool straight = stands == Stands::out_in;
    change.rows = straight ? out : in;
    change.columns = straight ? in : out;
    if (straight) {
      change.left = std::move(b);
      change.right = std::move(a);
    } else {
      change.left = turned(a, change.rank, in);
      change.right = turned(b, out, change.rank);
    }
    change.outputs_are_columns = !straight;
    if (factors.magnitude != nullptr) change.magnitudes = adapter.file->tensor(*factors.magnitude).values();
    return change;
  }

  WeightFiles& files_;
  const AdapterUse& use_;
  const std::string& base_;
  const std::shared_ptr<MergedMemory> memory_;
  const std::shared_ptr<const AdapterTensors> adapter_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> put_adapters(WeightFiles& files, const std::string& model, std::optional<bool> in_out) {
  const std::string base = base_of_model(model);
  const auto memory = std::make_shared<MergedMemory>();
  std::set<std::string> changed;
  for (const AdapterUse& use : acting_adapters(model)) Putting(files, use, base, memory).put_all(in_out, changed);
  return {changed.begin(), changed.end()};
}

void refuse_adapters(const std::string& model, const std::string& why) {
  const std::vector<AdapterUse> adapters = acting_adapters(model);
  if (adapters.empty()) return;
  throw Error(fmt::format(
      "{}: is for the tensors of a model's own folder, and {} {}. Expected the folder with config.json and safetensors "
      "that it was trained on.",
      adapters.front().folder, base_of_model(model), why));
}

AdapterFacts adapter_facts(const std::string& folder) {
  const AdapterTensors adapter = read_adapter_tensors(folder);
  const bool mlx = adapter.config.kind == AdapterConfig::Kind::mlx;
  AdapterFacts facts;
  facts.folder = folder;
  facts.base = adapter.config.base;
  facts.kind = adapter.config.dora ? "DoRA" : "LoRA";
  for (const AdapterTensors::Factors& each : adapter.factors) {
    const std::int64_t rank = each.a->shape[mlx ? 1 : 0];
    const double scaling = adapter_scaling(adapter.config, each.module, rank, adapter.file->path);
    const bool first = facts.modules++ == 0;
    facts.least_rank = first ? rank : std::min(facts.least_rank, rank);
    facts.largest_rank = std::max(facts.largest_rank, rank);
    facts.least_scaling = first ? scaling : std::min(facts.least_scaling, scaling);
    facts.largest_scaling = std::max(facts.largest_scaling, scaling);
    facts.changed += each.a->shape[mlx ? 0 : 1] * each.b->shape[mlx ? 1 : 0];
  }
  for (const AdapterTensors::Whole& each : adapter.whole) facts.changed += count_of(*each.entry);
  facts.whole = static_cast<std::int64_t>(adapter.whole.size());
  for (const TensorEntry& entry : adapter.file->entries) facts.parameters += count_of(entry);
  return facts;
}

}  // namespace headscope
