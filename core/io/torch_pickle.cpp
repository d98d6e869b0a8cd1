#include "core/io/torch_pickle.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/base/utf8.h"
#include "core/io/bytes.h"
#include "core/io/stored_numbers.h"
#include "core/io/torch_attention.h"
#include "core/io/torch_globals.h"

namespace headscope {
namespace {

using Kind = PickleValue::Kind;

using Gives = TorchGlobal::Gives;

// Keys under which training code keeps the state_dict beside other things.
constexpr std::array<std::string_view, 4> kStateDicts = {"state_dict", "model_state_dict", "model", "module"};

constexpr std::int64_t kMostNumbers = std::int64_t{1} << 60;
constexpr std::size_t kMostTensorAxes = 64;
// Of a tensor whose numbers lie over each other (an expanded one), beyond what its storage has: it is copied to be
// used.
constexpr std::int64_t kMostRepeated = 1 << 20;

class TorchPickle {
 public:
  TorchPickle(const Pickle& pickle, const std::string& what) : pickle_(pickle), what_(what) {}

  TorchStorage storage_of(const PickleValue& stored) const;
  // Nothing where `value` is no tensor.
  std::optional<TorchTensor> tensor_of(const PickleValue& value, const std::string& name) const;
  const PickleValue& state_dict() const;
  std::vector<TorchTensor> tensors_of(const PickleValue& dict) const;
  std::vector<TorchTensor> unnamed_tensors() const;

  [[noreturn]] void fail(const std::string& detail) const { throw Error(what_ + ": " + detail); }

 private:
  const TorchGlobal& global_of(const PickleValue& value) const {
    return torch_global_rows()[static_cast<std::size_t>(value.whole)];
  }
  std::string shown(const PickleValue& value) const { return shown_pickle_value(pickle_, value, torch_globals()); }
  std::int64_t whole(const PickleValue& value, const char* of) const;
  std::vector<std::int64_t> sizes(const PickleValue& value, const char* of) const;
  void place(TorchTensor& tensor) const;
  // `single`: also where all of them are one number each.
  bool has_tensors(const PickleValue& dict, bool single = true) const;
  TorchTensor rebuilt(const TorchGlobal& function, std::span<const PickleRef> arguments, const std::string& name) const;

  const Pickle& pickle_;
  const std::string& what_;
};

std::int64_t TorchPickle::whole(const PickleValue& value, const char* of) const {
  if (value.kind == Kind::whole && value.whole >= 0 && value.whole <= kMostNumbers) return value.whole;
  fail(fmt::format("{} is {}; expected a whole number from 0 on", of, shown(value)));
}

std::vector<std::int64_t> TorchPickle::sizes(const PickleValue& value, const char* of) const {
  if (value.kind != Kind::tuple) fail(fmt::format("{} is {}; expected a tuple of numbers", of, shown(value)));
  const std::span<const PickleRef> items = pickle_.items(value);
  if (items.size() > kMostTensorAxes) fail(fmt::format("{} has {} axes", of, items.size()));
  std::vector<std::int64_t> all;
  for (const PickleRef item : items) all.push_back(whole(pickle_[item], of));
  return all;
}

TorchStorage TorchPickle::storage_of(const PickleValue& stored) const {
  const PickleValue& id = pickle_[pickle_.items(stored)[0]];
  const std::span<const PickleRef> parts = id.kind == Kind::tuple ? pickle_.items(id) : std::span<const PickleRef>();
  const auto is_text = [&](std::size_t k) { return pickle_[parts[k]].kind == Kind::text; };
  if (parts.size() < 5 || parts.size() > 6 || !is_text(0) || pickle_[parts[0]].text != "storage" || !is_text(2)) {
    fail("something that lies outside of the pickle is no storage; expected tensors by name (a state_dict)");
  }
  TorchStorage storage;
  storage.key = pickle_[parts[2]].text;
  const PickleValue& type = pickle_[parts[1]];
  if (type.kind == Kind::global) storage.dtype = global_of(type).dtype;
  if (*storage.dtype == '\0') fail(fmt::format("a storage has the type {}", shown(type)));
  storage.end = storage.numbers = whole(pickle_[parts[4]], "the size of a storage");
  if (parts.size() == 5 || pickle_[parts[5]].kind == Kind::none) return storage;
  const PickleValue& view = pickle_[parts[5]];
  if (view.kind != Kind::tuple || pickle_.items(view).size() != 3) fail("a view of a storage has not three parts");
  storage.begin = whole(pickle_[pickle_.items(view)[1]], "the begin of a view");
  const std::int64_t count = whole(pickle_[pickle_.items(view)[2]], "the size of a view");
  if (storage.begin > storage.numbers || count > storage.numbers - storage.begin) {
    fail(fmt::format("a view ends at number {} of its storage, which has {}", storage.begin + count, storage.numbers));
  }
  storage.end = storage.begin + count;
  return storage;
}

// Whether every number of the tensor lies in its storage.
void TorchPickle::place(TorchTensor& tensor) const {
  const std::int64_t bits = dtype_bits(tensor.dtype), storage_bits = dtype_bits(tensor.storage.dtype);
  const auto of = [&] { return fmt::format("tensor {}", in_quotes(tensor.name)); };
  if (tensor.shape.size() != tensor.strides.size()) {
    fail(fmt::format("{} has {} sizes and {} strides", of(), tensor.shape.size(), tensor.strides.size()));
  }
  const auto bytes = checked_product(tensor.storage.numbers, storage_bits / 8);
  const auto count = checked_count(tensor.shape);
  if (!bytes || !count || !checked_product(*count, bits / 8)) {
    fail(fmt::format("{} of [{}] is too large", of(), fmt::join(tensor.shape, ", ")));
  }
  const std::int64_t begin = tensor.storage.begin * (storage_bits / 8) / (bits / 8);
  const std::int64_t end = tensor.storage.end * (storage_bits / 8) / (bits / 8);
  std::int64_t last = tensor.offset;
  for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
    const auto reach = checked_product(tensor.shape[axis] - (tensor.shape[axis] > 0 ? 1 : 0), tensor.strides[axis]);
    if (!reach || *reach > kMostNumbers || last > kMostNumbers) {
      fail(fmt::format("{} reaches beyond its storage", of()));
    }
    last += *reach;
  }
  if (*count > 0 && last >= end - begin) {
    fail(fmt::format("{} of [{}] from number {} on reaches to number {} of its storage, which has {}", of(),
                     fmt::join(tensor.shape, ", "), tensor.offset, last + 1, end - begin));
  }
  if (*count > end - begin && *count > kMostRepeated) {
    fail(fmt::format("{} of [{}] repeats the {} numbers of its storage; at most {} are read of such a tensor", of(),
                     fmt::join(tensor.shape, ", "), end - begin, kMostRepeated));
  }
  tensor.offset = *count > 0 ? tensor.offset + begin : 0;
}

TorchTensor TorchPickle::rebuilt(const TorchGlobal& function, std::span<const PickleRef> arguments,
                                 const std::string& name) const {
  const bool with_dtype = function.gives == Gives::tensor3;
  if (arguments.size() < (with_dtype ? 7U : 4U)) {
    fail(fmt::format("tensor {}: {} has {} arguments", in_quotes(name), function.global.name, arguments.size()));
  }
  const PickleValue& storage = pickle_[arguments[0]];
  if (storage.kind != Kind::stored) {
    fail(fmt::format("tensor {}: its numbers are {}; expected a storage", in_quotes(name), shown(storage)));
  }
  TorchTensor tensor;
  tensor.name = name;
  tensor.storage = storage_of(storage);
  tensor.dtype = tensor.storage.dtype;
  if (with_dtype) {
    const PickleValue& dtype = pickle_[arguments[6]];
    tensor.dtype = dtype.kind == Kind::global ? global_of(dtype).dtype : "";
    if (tensor.dtype.empty()) fail(fmt::format("tensor {}: its dtype is {}", in_quotes(name), shown(dtype)));
  }
  tensor.offset = whole(pickle_[arguments[1]], "the offset of a tensor");
  tensor.shape = sizes(pickle_[arguments[2]], "the shape of a tensor");
  tensor.strides = sizes(pickle_[arguments[3]], "the strides of a tensor");
  place(tensor);
  return tensor;
}

std::optional<TorchTensor> TorchPickle::tensor_of(const PickleValue& value, const std::string& name) const {
  constexpr int kMostWraps = 8;
  const PickleValue* at = &value;
  for (int wraps = 0; wraps < kMostWraps; ++wraps) {
    if (at->kind != Kind::call) break;
    const TorchGlobal* function = &global_of(pickle_[pickle_.items(*at)[0]]);
    std::span<const PickleRef> arguments = pickle_.items(pickle_[pickle_.items(*at)[1]]);
    if (function->gives == Gives::applied) {
      if (arguments.size() < 3 || pickle_[arguments[0]].kind != Kind::global ||
          pickle_[arguments[2]].kind != Kind::tuple) {
        fail(fmt::format("tensor {}: the arguments of {} are none", in_quotes(name), function->global.name));
      }
      function = &global_of(pickle_[arguments[0]]);
      arguments = pickle_.items(pickle_[arguments[2]]);
    }
    if (function->gives == Gives::tensor || function->gives == Gives::tensor3) {
      return rebuilt(*function, arguments, name);
    }
    if (function->gives != Gives::first || arguments.empty()) break;
    at = &pickle_[arguments[0]];
    if (at->kind != Kind::call) {
      fail(fmt::format("tensor {}: a parameter is {}; expected a tensor", in_quotes(name), shown(*at)));
    }
  }
  return {};
}

bool TorchPickle::has_tensors(const PickleValue& dict, bool single) const {
  if (dict.kind != Kind::dict) return false;
  const std::span<const PickleRef> items = pickle_.items(dict);
  for (std::size_t k = 1; k < items.size(); k += 2) {
    const PickleValue& value = pickle_[items[k]];
    if (value.kind != Kind::call || global_of(pickle_[pickle_.items(value)[0]]).gives == Gives::nothing) continue;
    if (single) return true;
    const std::optional<TorchTensor> tensor = tensor_of(value, "");
    const auto more = [](std::int64_t size) { return size != 1; };
    if (tensor && std::any_of(tensor->shape.begin(), tensor->shape.end(), more)) return true;
  }
  return false;
}

const PickleValue& TorchPickle::state_dict() const {
  const PickleValue& root = pickle_.root();
  // Beside a state_dict numbers of the training may be tensors, too (nanoGPT's best_val_loss).
  if (has_tensors(root, false)) return root;
  if (root.kind != Kind::dict) fail(fmt::format("it holds {}; expected tensors by name (a state_dict)", shown(root)));
  const PickleValue* found = nullptr;
  std::string_view found_key;
  for (const std::string_view key : kStateDicts) {
    const PickleValue* const value = pickle_.find(root, key);
    if (value == nullptr || !has_tensors(*value)) continue;
    if (found != nullptr) fail(fmt::format("it holds two models, {} and {}; expected one state_dict", found_key, key));
    found = value;
    found_key = key;
  }
  if (found != nullptr) return *found;
  if (has_tensors(root)) return root;
  std::vector<std::string> keys;
  const std::span<const PickleRef> items = pickle_.items(root);
  for (std::size_t k = 0; k < std::min<std::size_t>(items.size(), 16); k += 2) keys.push_back(shown(pickle_[items[k]]));
  fail(
      fmt::format("it holds a dictionary of {}; expected tensors by name (a state_dict), or such a dictionary under {}",
                  keys.empty() ? "nothing" : fmt::format("{}", fmt::join(keys, ", ")), fmt::join(kStateDicts, ", ")));
}

std::vector<TorchTensor> TorchPickle::tensors_of(const PickleValue& dict) const {
  std::vector<TorchTensor> tensors;
  const std::span<const PickleRef> items = pickle_.items(dict);
  for (std::size_t k = 0; k + 1 < items.size(); k += 2) {
    const PickleValue &key = pickle_[items[k]], &value = pickle_[items[k + 1]];
    if (key.kind != Kind::text) continue;
    std::optional<TorchTensor> tensor = tensor_of(value, std::string(key.text));
    if (!tensor) continue;
    if (!is_valid_utf8(key.text)) fail(fmt::format("the name {} is no UTF-8", in_quotes(key.text)));
    tensors.push_back(std::move(*tensor));
  }
  std::sort(tensors.begin(), tensors.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  const auto twice =
      std::adjacent_find(tensors.begin(), tensors.end(), [](const auto& a, const auto& b) { return a.name == b.name; });
  if (twice != tensors.end()) fail(fmt::format("tensor {}: the name stands twice", in_quotes(twice->name)));
  return tensors;
}

std::vector<TorchTensor> TorchPickle::unnamed_tensors() const {
  const PickleValue* const list = attention_list(pickle_);
  const PickleValue& root = list == nullptr ? pickle_.root() : *list;
  if (std::optional<TorchTensor> only = tensor_of(root, kOnlyTensor)) return {std::move(*only)};
  const bool numbered = root.kind == Kind::dict;
  if (root.kind != Kind::list && root.kind != Kind::tuple && !numbered) return {};
  std::vector<TorchTensor> tensors;
  const std::span<const PickleRef> items = pickle_.items(root);
  for (std::size_t k = 0; k < items.size(); ++k) {
    // A dictionary of layers by their numbers holds them in order, {0: ..., 1: ...}.
    const auto number = static_cast<std::int64_t>(tensors.size());
    if (numbered && (pickle_[items[k]].kind != Kind::whole || pickle_[items[k]].whole != number)) return {};
    if (numbered) ++k;
    std::optional<TorchTensor> tensor = tensor_of(pickle_[items[k]], std::to_string(number));
    if (!tensor) return {};
    tensors.push_back(std::move(*tensor));
  }
  std::sort(tensors.begin(), tensors.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return tensors;
}

}  // namespace

std::vector<TorchTensor> unnamed_torch_tensors(const Pickle& pickle, const std::string& what) {
  return TorchPickle(pickle, what).unnamed_tensors();
}

std::vector<TorchTensor> torch_tensors(const Pickle& pickle, const std::string& what) {
  const TorchPickle reader(pickle, what);
  return reader.tensors_of(reader.state_dict());
}

std::vector<TorchStorage> torch_storages(const Pickle& pickle, const std::string& what) {
  const TorchPickle reader(pickle, what);
  std::vector<TorchStorage> storages;
  for (const PickleValue& value : pickle.values()) {
    if (value.kind == Kind::stored) storages.push_back(reader.storage_of(value));
  }
  return storages;
}

}  // namespace headscope
