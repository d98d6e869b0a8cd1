#include "core/export/external_stages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/io/beyond_float32.h"
#include "core/io/float8_tensor.h"
#include "core/io/npy.h"
#include "core/io/npz.h"
#include "core/io/small_floats.h"
#include "core/io/tensor_file.h"
#include "core/io/tensor_formats.h"
#include "core/request/array_file.h"

namespace headscope {
namespace {

// With an axis of batch in front where only that is missing.
Tensor with_batch(const Tensor& tensor, const Tensor& own) {
  if (tensor.rank() + 1 != own.rank() || own.dim(0) != 1) return tensor;
  Shape shape{1};
  for (const std::int64_t size : tensor.shape()) shape.push_back(size);
  // [len, heads, features] of one text has that shape too, where both are as many: what reads layouts tries both.
  const bool open = own.rank() == 4 && own.dim(1) == own.dim(2);
  return shape == own.shape() && !open ? tensor.reshaped(shape, own.axes()) : tensor;
}

// The tensor, or the numbers whose bits it holds: `bits` of a whole number without a sign, 0 for other types.
Tensor numbers_of(Tensor tensor, int bits, const std::string& what, const StoredFormat& stored) {
  const SmallFloat* format = small_float(stored.format);
  if (format != nullptr && format->bits != bits) format = nullptr;
  if (format == nullptr && bits == 16 && looks_like_bfloat16(tensor)) format = small_float("bf16");
  if (format == nullptr) return tensor;
  if (stored.sentences != nullptr) {
    stored.sentences->push_back(
        fmt::format("{} is read as {}, whose bits it holds as uint{}", what, format->name, bits));
  }
  return from_bits(tensor, *format);
}

int bits_of_whole(std::string_view type) {
  if (type.ends_with("u2") || type == "U16") return 16;
  return type.ends_with("u1") || type == "U8" ? 8 : 0;
}

Tensor numbers_of(const NpyArray& array, const std::string& what, const StoredFormat& stored) {
  return numbers_of(array.tensor, bits_of_whole(array.header.descr), what, stored);
}

std::string stages_text(const Trace& ours) {
  std::vector<std::string_view> names;
  for (const Stage& stage : ours.stages) names.push_back(stage_name(stage.id));
  return fmt::format("{}", fmt::join(names, ", "));
}

// The stage whose name the file's ends with; the longest.
std::optional<StageId> stage_of_name(const Trace& ours, const std::string& path) {
  std::string name = path.substr(path.find_last_of('/') + 1);
  name = name.substr(0, name.find_last_of('.'));
  std::optional<StageId> best;
  for (const Stage& stage : ours.stages) {
    const std::string_view word = stage_name(stage.id);
    if (name.ends_with(word) && (!best || word.size() > stage_name(*best).size())) best = stage.id;
  }
  return best;
}

std::optional<StageId> stage_of_shape(const Trace& ours, const Tensor& tensor) {
  for (auto stage = ours.stages.rbegin(); stage != ours.stages.rend(); ++stage) {
    if (with_batch(tensor, stage->tensor).shape() == stage->tensor.shape()) return stage->id;
  }
  return std::nullopt;
}

// A row gives a name that other programs have for a stage.
struct StageAlias {
  std::string_view name;
  StageId stage;
};
constexpr StageAlias kAliases[] = {{"q", StageId::query},
                                   {"k", StageId::key},
                                   {"v", StageId::value},
                                   {"attn_scores", StageId::scores},
                                   {"attn", StageId::weights},
                                   {"attn_weights", StageId::weights},
                                   {"attention_weights", StageId::weights},
                                   {"o", StageId::output},
                                   {"out", StageId::output},
                                   {"attn_output", StageId::output}};

std::optional<StageId> stage_called(std::string_view name) {
  if (const std::optional<StageId> id = stage_named(name)) return id;
  const auto alias =
      std::find_if(std::begin(kAliases), std::end(kAliases), [=](const StageAlias& each) { return each.name == name; });
  return alias == std::end(kAliases) ? std::nullopt : std::optional(alias->stage);
}

const Tensor& own_stage(const Trace& ours, StageId stage) {
  const Stage* found = ours.find(stage);
  if (found == nullptr) {
    throw UsageError("stage", fmt::format("this request has no {}", stage_name(stage)),
                     fmt::format("one of {}", stages_text(ours)));
  }
  return found->tensor;
}

// An array of a file: its numbers, and the one that float32 does not reach.
struct OfferedArray {
  std::size_t axes = 0;
  std::function<Tensor()> numbers;
  std::function<std::optional<double>()> beyond;
  std::string format = {};  // ExternalStage::format
};

// The format that a type of a file is; "": the numbers tell.
std::string format_of_type(std::string_view type) {
  constexpr std::pair<std::string_view, const char*> kTypes[] = {
      {"<f2", "f16"}, {">f2", "f16"}, {"F16", "f16"}, {"BF16", "bf16"}, {"F8_E4M3", "f8e4m3"}, {"F8_E5M2", "f8e5m2"}};
  const auto found =
      std::find_if(std::begin(kTypes), std::end(kTypes), [=](const auto& each) { return each.first == type; });
  return found == std::end(kTypes) ? "" : found->second;
}

// Its numbers as `own`, our stage `id`. Throws UsageError where it has no axes, Error for numbers that float32 does not
// reach.
Tensor taken_as(StageId id, const Tensor& own, const OfferedArray& array, const std::string& what) {
  if (array.axes == 0) {
    throw UsageError("theirs", fmt::format("{} is a single number, an array without axes", what),
                     fmt::format("{} {}", stage_name(id), to_string(own.shape())));
  }
  if (const std::optional<double> beyond = array.beyond()) {
    throw Error(fmt::format("{}: holds {:g}, which no float32 number reaches; expected {}", what, *beyond,
                            *beyond < 0 ? "-inf, or at least -3.4e38" : "inf, or at most 3.4e38"));
  }
  return with_batch(array.numbers(), own);
}

OfferedArray npy_file(const std::string& path, const std::string& what, const StoredFormat& stored) {
  auto read = std::make_shared<const NpyArray>(read_npy(path));
  const auto axes = static_cast<std::size_t>(read->header.shape.count);
  return {axes, [read, what, &stored] { return numbers_of(*read, what, stored); },
          [path] { return beyond_float32_of_npy_file(path); }, format_of_type(read->header.descr)};
}

// Gathers the tensors of a file that are named like one of our stages, each stage once.
class NamedStages {
 public:
  NamedStages(const Trace& ours, std::string path, std::optional<StageId> wanted, const StoredFormat& stored)
      : ours_(ours), path_(std::move(path)), wanted_(wanted), stored_(stored) {}
  const StoredFormat& stored() const { return stored_; }
  std::string called(std::string_view name) const { return fmt::format("{}: {}", path_, name); }

  // Whether the tensor of that name is looked for.
  std::optional<StageId> wanted(std::string_view name) const {
    std::optional<StageId> id = stage_called(name);
    // What attention alone gives has no projection behind it.
    if (id == StageId::output && ours_.find(*id) == nullptr) {
      id = wanted_ == StageId::concat ? StageId::concat : StageId::context;
    }
    return id && ours_.find(*id) != nullptr && (!wanted_ || *wanted_ == *id) ? id : std::nullopt;
  }
  // The next array of the file.
  void offer(const std::string& name, std::function<OfferedArray()> open) {
    ++offered_;
    if (const std::optional<StageId> id = wanted(name)) {
      add(*id, open(), called(name));
    } else if (!stage_named(name)) {
      other_ = std::move(open);
    }
  }
  // What was found; else the only array of the file, where one stage is asked for.
  std::vector<ExternalStage> taken(bool by_name_alone) {
    if (!found_.empty()) return std::move(found_);
    if (wanted_) own_stage(ours_, *wanted_);
    if (wanted_ && !by_name_alone && offered_ == 1 && other_) {
      add(*wanted_, other_(), path_);
      return std::move(found_);
    }
    std::error_code ignored;
    const bool is_folder = std::filesystem::is_directory(path_, ignored);
    throw Error(fmt::format("{}: {} named like a stage; expected {}", path_,
                            is_folder ? "is a folder that holds no .npy file" : "holds no tensor",
                            wanted_ ? std::string(stage_name(*wanted_)) : "one or more of " + stages_text(ours_)));
  }

 private:
  void add(StageId id, const OfferedArray& array, const std::string& what) {
    for (const ExternalStage& each : found_) {
      if (each.stage == id) throw Error(fmt::format("{}: holds {} twice", path_, stage_name(id)));
    }
    found_.push_back({id, taken_as(id, ours_.tensor(id), array, what), false, array.format});
  }

  const Trace& ours_;
  std::string path_;
  std::optional<StageId> wanted_;
  const StoredFormat& stored_;
  std::vector<ExternalStage> found_;
  int offered_ = 0;
  std::function<OfferedArray()> other_;  // of a name that is no stage's
};

void offer_folder(const std::string& path, NamedStages& found) {
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    if (entry.path().extension() != ".npy") continue;
    const std::string name = entry.path().stem().string(), file = entry.path().string();
    found.offer(name,
                [file, what = found.called(name), &stored = found.stored()] { return npy_file(file, what, stored); });
  }
}

void offer_npz(const std::string& path, NamedStages& found) {
  for (const NpzEntry& entry : read_npz(path)) {
    if (!entry.holds_numbers()) continue;
    found.offer(entry.name, [entry, what = found.called(entry.name), &stored = found.stored()]() -> OfferedArray {
      return {entry.shape.size(), [=, &stored] { return numbers_of(parse_npz_array(entry), what, stored); },
              [entry] { return beyond_float32_of_npy(entry.bytes, entry.what); }, format_of_type(entry.descr)};
    });
  }
}

void offer_tensor_file(const std::string& path, NamedStages& found) {
  const auto file = std::make_shared<const TensorFile>(open_tensor_file(path));
  for (const TensorEntry& entry : file->entries) {
    found.offer(
        entry.name, [file, &entry, what = found.called(entry.name), &stored = found.stored()]() -> OfferedArray {
          return {entry.shape.size(),
                  [=, &entry, &stored] {
                    return numbers_of(float8_or_other(*file, entry), bits_of_whole(entry.dtype), what, stored);
                  },
                  [file, &entry] { return beyond_float32_of_tensor(*file, entry); }, format_of_type(entry.dtype)};
        });
  }
}

}  // namespace

bool names_its_stages(const std::string& path) {
  std::error_code ignored;
  return names_arrays(path) || std::filesystem::is_directory(path, ignored);
}

std::vector<ExternalStage> read_external_stages(const Trace& ours, const std::string& path,
                                                std::optional<StageId> stage, const StoredFormat& stored,
                                                bool by_name_alone) {
  std::error_code ignored;
  if (names_its_stages(path)) {
    NamedStages found(ours, path, stage, stored);
    if (std::filesystem::is_directory(path, ignored)) {
      offer_folder(path, found);
    } else if (path.ends_with(".npz")) {
      offer_npz(path, found);
    } else {
      offer_tensor_file(path, found);
    }
    return found.taken(by_name_alone);
  }
  OfferedArray array = npy_file(path, path, stored);
  array.numbers = [numbers = array.numbers()] { return numbers; };  // what was taken so is said once
  if (!stage) stage = stage_of_name(ours, path);
  if (!stage && array.axes > 0) stage = stage_of_shape(ours, array.numbers());
  if (!stage) {
    throw Error(fmt::format("{}: found {}; no stage has that shape, and the name ends with none of {}", path,
                            array.axes == 0 ? "[]" : to_string(array.numbers().shape()), stages_text(ours)));
  }
  return {{*stage, taken_as(*stage, own_stage(ours, *stage), array, path), false, array.format}};
}

}  // namespace headscope
