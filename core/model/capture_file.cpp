#include "core/model/capture_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/file_name.h"
#include "core/base/message_text.h"
#include "core/io/npy.h"
#include "core/io/npz.h"
#include "core/io/tensor_file.h"
#include "core/io/tensor_formats.h"
#include "core/io/torch_file.h"
#include "core/io/torch_pickle.h"
#include "core/model/numbered_tensors.h"
#include "core/model/unread_tensors.h"

namespace headscope {
namespace {

constexpr std::int64_t kMostLayers = 4096;
constexpr const char* kCaptureExpected =
    "layers.N.weights or layers.N.scores [batch, heads, q, k], or layers.N.query and layers.N.key [batch, heads, len, "
    "head_dim]";
constexpr const char* kArrayExpected = "[heads, q, k], [layers, heads, q, k] or [layers, batch, heads, q, k]";
const Axes kFourAxes = {Axis::batch, Axis::head, Axis::query, Axis::key};

// [batch, ...] with the axes' names; a batch that was left out is 1.
Tensor four_axes(const Tensor& found, const std::string& where, const char* expected, const Axes& axes) {
  const Shape& shape = found.shape();
  const bool fits = (shape.count == 3 || shape.count == 4) && found.size() > 0;
  if (!fits) throw Error(fmt::format("{} is {}; expected {}, none of them 0", where, to_string(shape), expected));
  if (shape.count == 4) return found.reshaped(shape, axes);
  return found.reshaped({1, shape[0], shape[1], shape[2]}, axes);
}

Tensor weight_axes(const Tensor& found, const std::string& where) {
  return four_axes(found, where, "[batch, heads, q, k]", kFourAxes);
}

Tensor head_axes(const Tensor& found, const std::string& where) {
  return four_axes(found, where, "[batch, heads, len, head_dim]",
                   {Axis::batch, Axis::head, Axis::position, Axis::feature});
}

// The tensors of a layer by their names, and which axes they have.
struct PartOfLayer {
  std::string_view name;
  Tensor CapturedLayer::*tensor;
  Tensor (*axes)(const Tensor& found, const std::string& where);
};
constexpr PartOfLayer kParts[] = {
    {"weights", &CapturedLayer::weights, weight_axes}, {"scores", &CapturedLayer::scores, weight_axes},
    {"query", &CapturedLayer::query, head_axes},       {"key", &CapturedLayer::key, head_axes},
    {"value", &CapturedLayer::value, head_axes},
};

void check_number(std::int64_t number, const std::string& path, const std::string& name) {
  if (number < kMostLayers) return;
  throw Error(
      fmt::format("{}: {} is of layer {}; expected a layer below {}", path, shortened(name), number, kMostLayers));
}

// Puts what the file calls `name` where it belongs; false for names that are no tensor of a layer.
bool put_part(Capture& capture, const std::string& path, const std::string& name, const auto& read) {
  const auto place = layer_part_of(name);
  if (!place) return false;
  const auto [number, word] = *place;
  const auto part = std::find_if(std::begin(kParts), std::end(kParts),
                                 [&, word = word](const PartOfLayer& each) { return each.name == word; });
  if (part == std::end(kParts)) return false;
  check_number(number, path, name);
  const auto at = static_cast<std::size_t>(number);
  if (at >= capture.layers.size()) capture.layers.resize(at + 1);
  capture.layers[at].*part->tensor = part->axes(read(), path + ": " + shortened(name));
  return true;
}

std::string counted_layers(std::int64_t count) {
  return fmt::format("{} {}", count, count == 1 ? "layer" : "layers");
}

// How the first axes of an array of 4 or 5 are read, where they may be others. One layer, or one item, is the same.
std::string reading_of(const Shape& shape, const std::string& where) {
  if (shape.count == 5 && shape[1] > 1) {
    return fmt::format(
        "{} is {}, read as [layers, batch, heads, q, k]: {} of {} batch items; [batch, layers, heads, q, k] would be "
        "transposed first, numpy.swapaxes(a, 0, 1)",
        where, to_string(shape), counted_layers(shape[0]), shape[1]);
  }
  if (shape.count == 4 && shape[0] > 1) {
    return fmt::format(
        "{} is {}, read as [layers, heads, q, k]: {}; [batch, heads, q, k] of one layer would be given as a[None]",
        where, to_string(shape), counted_layers(shape[0]));
  }
  return "";
}

// All layers in one array: [heads, q, k], [layers, heads, q, k] or [layers, batch, heads, q, k].
void read_array(const Tensor& array, const std::string& where, Capture& capture) {
  if (array.rank() == 3) {
    capture.layers.emplace_back().weights = weight_axes(array, where);
    return;
  }
  if (array.rank() < 4 || array.size() == 0) {
    throw Error(
        fmt::format("{} is {}; expected weights {}, none of them 0", where, to_string(array.shape()), kArrayExpected));
  }
  if (array.dim(0) > kMostLayers) {
    throw Error(fmt::format("{} is {}; expected at most {} layers", where, to_string(array.shape()), kMostLayers));
  }
  capture.reading = reading_of(array.shape(), where);
  for (std::int64_t number = 0; number < array.dim(0); ++number) {
    const Tensor layer = array.sliced(0, number, number + 1);
    const Shape& shape = layer.shape();
    // Without the axis of layers, where one of batch items follows it.
    const bool batched = shape.count == 5;
    const Tensor whole = batched ? layer.reshaped({shape[1], shape[2], shape[3], shape[4]}, kFourAxes) : layer;
    capture.layers.emplace_back().weights = weight_axes(whole, where);
  }
}

// The number at the end of "arr_3" with what stands before it; nullopt without one.
std::optional<std::pair<std::string_view, std::int64_t>> numbered_name(std::string_view name) {
  const std::size_t begin = name.find_last_not_of("0123456789") + 1;  // npos + 1 is 0
  std::int64_t number = 0;
  const char* end = name.data() + name.size();
  const auto [next, error] = std::from_chars(name.data() + begin, end, number);
  if (begin == name.size() || error != std::errc() || next != end) return {};
  return std::pair(name.substr(0, begin), number);
}

// Several arrays of an archive are layers when their names differ by a number alone: arr_0, arr_1, ...
void read_numbered_arrays(const std::vector<const NpzEntry*>& arrays, const std::string& path, Capture& capture) {
  std::vector<std::string> names;
  for (const NpzEntry* entry : arrays) names.push_back(shortened(entry->name));
  const auto first = numbered_name(arrays.front()->name);
  for (const NpzEntry* entry : arrays) {
    const auto name = numbered_name(entry->name);
    if (!name || name->first != first->first) {
      throw Error(
          fmt::format("{}: holds the arrays {}; expected one of weights, one for each layer "
                      "(arr_0, arr_1, ...), or layers.N.weights",
                      path, shortened(fmt::format("{}", fmt::join(names, ", ")))));
    }
    if (name->second >= kMostLayers) {
      throw Error(fmt::format("{} is of layer {}; expected a layer below {}", entry->what, name->second, kMostLayers));
    }
    const std::string part = fmt::format("layers.{}.weights", name->second);
    const auto at = static_cast<std::size_t>(name->second);
    if (at < capture.layers.size() && capture.layers[at].captured()) {
      throw Error(fmt::format("{}: two arrays are of layer {}; expected one", path, at));
    }
    put_part(capture, path, part, [&] { return parse_npz_array(*entry).tensor; });
  }
}

void read_npz_capture(const std::string& path, Capture& capture, LayerFacts& facts) {
  const std::vector<NpzEntry> entries = read_npz(path);
  std::vector<const NpzEntry*> arrays;
  std::vector<std::string> unread;
  for (const NpzEntry& entry : entries) {
    if (put_part(capture, path, entry.name, [&] { return parse_npz_array(entry).tensor; })) continue;
    if (put_fact(facts, entry)) continue;
    if (is_mask(entry.name)) {
      const NpyArray mask = parse_npz_array(entry);
      put_mask(facts, entry.name, entry.what, mask.tensor, mask.is_boolean || mask.is_integer);
      continue;
    }
    unread.push_back(entry.name);
    if (entry.holds_numbers() && entry.shape.size() >= 3) arrays.push_back(&entry);
  }
  if (!capture.layers.empty()) {
    capture.reading = unread_tensors_sentence(path, unread);
    return;
  }
  if (arrays.empty()) {
    throw Error(fmt::format("{} is no capture: none of its {} has 3 to 5 axes of numbers; expected weights {}", path,
                            entries.size() == 1 ? "arrays" : fmt::format("{} arrays", entries.size()), kArrayExpected));
  }
  if (arrays.size() > 1) return read_numbered_arrays(arrays, path, capture);
  read_array(parse_npz_array(*arrays.front()).tensor, arrays.front()->what, capture);
}

// What torch.save wrote without names is one array, or a list of one for each layer.
void read_unnamed_tensors(const TensorFile& file, Capture& capture) {
  if (file.entries.size() == 1 && file.entries[0].name == kOnlyTensor) {
    return read_array(file.tensor(file.entries[0]), file.path, capture);
  }
  for (const TensorEntry& entry : file.entries) {
    put_part(capture, file.path, fmt::format("layers.{}.weights", entry.name), [&] { return file.tensor(entry); });
  }
}

// Takes what a file says of its layers. torch.save keeps whatever a program has: what is of another type there is left
// out, and capture.reading says so.
void put_facts(const TensorFile& file, LayerFacts& facts, Capture& capture) {
  for (const auto& [name, json] : file.metadata) {
    try {
      put_fact(facts, file.path, name, json);
    } catch (const Error&) {
      if (file.format != std::string_view("PyTorch")) throw;
      capture.reading += fmt::format("{}{}: {} is not what a capture has under that name, and is not read",
                                     capture.reading.empty() ? "" : "; ", file.path, shortened(name));
    }
  }
}

void read_tensors_capture(const std::string& path, Capture& capture, LayerFacts& facts) {
  const TensorFile file = open_tensor_file(path);
  if (!has_names(file)) {
    read_unnamed_tensors(file, capture);
    return put_facts(file, facts, capture);
  }
  std::vector<std::string> unread;
  for (const TensorEntry& entry : file.entries) {
    if (put_part(capture, path, entry.name, [&] { return file.tensor(entry); })) continue;
    if (!is_mask(entry.name)) {
      unread.push_back(entry.name);
      continue;
    }
    const bool is_whole = entry.dtype == "BOOL" || entry.dtype.starts_with('I') || entry.dtype.starts_with('U');
    put_mask(facts, entry.name, path + ": " + shortened(entry.name), file.tensor(entry), is_whole);
  }
  const std::vector<const TensorEntry*> numbered = capture.layers.empty() && file.format == std::string_view("PyTorch")
                                                       ? numbered_tensors(file)
                                                       : std::vector<const TensorEntry*>();
  for (std::size_t layer = 0; layer < numbered.size(); ++layer) {
    const TensorEntry& entry = *numbered[layer];
    put_part(capture, path, fmt::format("layers.{}.weights", layer), [&] { return file.tensor(entry); });
  }
  if (!numbered.empty()) unread.clear();
  if (capture.layers.empty()) {
    throw Error(fmt::format("{} is no capture; expected {}{}", path, kCaptureExpected,
                            unread.empty() ? "" : "; found " + unread_names(unread)));
  }
  capture.reading = unread_tensors_sentence(path, unread);
  put_facts(file, facts, capture);
}

}  // namespace

void read_capture_file(const std::string& path, Capture& capture, LayerFacts& facts) {
  if (has_ending(path, ".npy")) return read_array(read_npy(path).tensor, path, capture);
  if (has_ending(path, ".npz")) return read_npz_capture(path, capture, facts);
  read_tensors_capture(path, capture, facts);
}

}  // namespace headscope
