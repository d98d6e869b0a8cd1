#include "core/model/named_arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/io/float8_tensor.h"
#include "core/io/npz.h"
#include "core/io/small_floats.h"
#include "core/io/tensor_file.h"
#include "core/io/tensor_formats.h"

namespace headscope {
namespace {

// A row gives a name that programs have for an array.
struct NameOfArray {
  std::string_view name;
  ArrayRole role;
};
constexpr NameOfArray kNames[] = {
    {"query", ArrayRole::query},
    {"q", ArrayRole::query},
    {"queries", ArrayRole::query},
    {"key", ArrayRole::key},
    {"k", ArrayRole::key},
    {"keys", ArrayRole::key},
    {"value", ArrayRole::value},
    {"v", ArrayRole::value},
    {"values", ArrayRole::value},
    {"mask", ArrayRole::mask},
    {"attn_mask", ArrayRole::mask},
    {"attention_mask", ArrayRole::mask},
    {"key_padding_mask", ArrayRole::mask},
    {"out", ArrayRole::out},
    {"o", ArrayRole::out},
    {"output", ArrayRole::out},
    {"attn_output", ArrayRole::out},
};
constexpr std::string_view kRoles[] = {"query", "key", "value", "mask", "out"};

void put(NamedArrays& found, NamedArray array) {
  if (const NamedArray* known = found.find(array.role)) {
    throw Error(fmt::format("{}: holds {} and {}, which both are the {}; expected one of them", found.path, known->name,
                            array.name, role_name(array.role)));
  }
  found.arrays.push_back(std::move(array));
}

void read_npz_arrays(NamedArrays& found) {
  for (const NpzEntry& entry : read_npz(found.path)) {
    const std::optional<ArrayRole> role = role_of_array(entry.name);
    if (!role || !entry.holds_numbers()) {
      found.others.push_back(shortened(entry.name));
      continue;
    }
    const NpyArray array = parse_npz_array(entry);
    NamedArray named{*role, entry.name, array.tensor.dense_copy(), array.is_boolean || array.is_integer, ""};
    if (*role != ArrayRole::mask) read_small_floats(array.header, named.tensor, named.stored_as);
    put(found, std::move(named));
  }
}

void read_tensor_arrays(NamedArrays& found) {
  const TensorFile file = open_tensor_file(found.path);
  for (const TensorEntry& entry : file.entries) {
    const std::optional<ArrayRole> role = role_of_array(entry.name);
    if (!role) {
      found.others.push_back(shortened(entry.name));
      continue;
    }
    const bool whole = entry.dtype == "BOOL" || entry.dtype.starts_with('I') || entry.dtype.starts_with('U');
    put(found, {*role, entry.name, float8_or_other(file, entry).dense_copy(), whole, ""});
  }
}

}  // namespace

std::optional<ArrayRole> role_of_array(std::string_view name) {
  const auto row =
      std::find_if(std::begin(kNames), std::end(kNames), [=](const NameOfArray& each) { return each.name == name; });
  return row == std::end(kNames) ? std::nullopt : std::optional(row->role);
}

std::string_view role_name(ArrayRole role) {
  return kRoles[static_cast<std::size_t>(role)];
}

const NamedArray* NamedArrays::find(ArrayRole role) const {
  const auto array =
      std::find_if(arrays.begin(), arrays.end(), [=](const NamedArray& each) { return each.role == role; });
  return array == arrays.end() ? nullptr : &*array;
}

NamedArrays read_named_arrays(const std::string& path) {
  NamedArrays found{path, {}, {}};
  if (path.ends_with(".npz")) {
    read_npz_arrays(found);
  } else {
    read_tensor_arrays(found);
  }
  return found;
}

void read_small_floats(const NpyHeader& header, Tensor& tensor, std::string& stored_as) {
  if (!header.descr.ends_with("u2") || !looks_like_bfloat16(tensor)) return;
  tensor = from_bits(tensor, *small_float("bf16"));
  stored_as = "bfloat16, whose bits it holds as uint16";
}

}  // namespace headscope
