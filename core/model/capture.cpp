#include "core/model/capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/file_name.h"
#include "core/base/message_text.h"
#include "core/io/npy.h"
#include "core/io/safetensors.h"
#include "core/model/capture_tokens.h"

namespace headscope {
namespace {

constexpr std::int64_t kMostLayers = 4096;
constexpr const char* kCaptureExpected =
    "layers.N.weights [batch, heads, q, k], or layers.N.query and layers.N.key [batch, heads, len, head_dim]";

// The layer and part of "layers.3.weights"; nothing for other names.
std::optional<std::pair<std::int64_t, std::string_view>> place_of(std::string_view name) {
  constexpr std::string_view prefix = "layers.";
  if (!name.starts_with(prefix)) return {};
  const std::size_t end = name.find_first_not_of("0123456789", prefix.size());
  if (end == name.npos || end == prefix.size() || name[end] != '.') return {};
  const std::string_view digits = name.substr(prefix.size(), end - prefix.size());
  // A leading zero would let two names mean one layer.
  if (digits.size() > 9 || (digits.size() > 1 && digits[0] == '0')) return {};
  return std::pair(std::int64_t{std::stoi(std::string(digits))}, name.substr(end + 1));
}

// [batch, ...] with the axes' names; a batch that was left out is 1.
Tensor four_axes(const Tensor& found, const std::string& where, const char* expected, const Axes& axes) {
  const Shape& shape = found.shape();
  const bool fits = (shape.count == 3 || shape.count == 4) && found.size() > 0;
  if (!fits) throw Error(fmt::format("{} is {}; expected {}, none of them 0", where, to_string(shape), expected));
  if (shape.count == 4) return found.reshaped(shape, axes);
  return found.reshaped({1, shape[0], shape[1], shape[2]}, axes);
}

Tensor weight_axes(const Tensor& found, const std::string& where) {
  return four_axes(found, where, "[batch, heads, q, k]", {Axis::batch, Axis::head, Axis::query, Axis::key});
}

Tensor head_axes(const Tensor& found, const std::string& where) {
  return four_axes(found, where, "[batch, heads, len, head_dim]",
                   {Axis::batch, Axis::head, Axis::position, Axis::feature});
}

// Sizes that a tensor of a layer has and others must repeat.
struct Agreement {
  const char* what;
  std::int64_t value = -1;
  std::string where;

  void with(std::int64_t found, const std::string& place) {
    if (value < 0) {
      value = found;
      where = place;
    } else if (found != value) {
      throw Error(fmt::format("{} has {} {}, but {} has {}; expected the same", place, found, what, where, value));
    }
  }
};

struct Agreements {
  Agreement batch{"batch items", -1, {}}, query_len{"queries", -1, {}}, key_len{"keys", -1, {}};
};

// The tensors of one layer against each other and against the other layers.
void check_layer(const CapturedLayer& layer, const std::string& where, Agreements& sizes) {
  if (layer.query.empty() != layer.key.empty()) {
    throw Error(
        fmt::format("{} has {} alone; expected query and key together", where, layer.query.empty() ? "key" : "query"));
  }
  if (!layer.captured()) throw Error(where + " has value alone; expected weights, or query and key, too");
  Agreement heads{"heads", -1, {}}, key_heads{"key heads", -1, {}}, features{"features a head", -1, {}};
  if (!layer.weights.empty()) {
    const std::string place = where + ".weights";
    sizes.batch.with(layer.weights.dim(0), place);
    heads.with(layer.weights.dim(1), place);
    sizes.query_len.with(layer.weights.dim(2), place);
    sizes.key_len.with(layer.weights.dim(3), place);
  }
  if (!layer.query.empty()) {
    const std::string place = where + ".query";
    sizes.batch.with(layer.query.dim(0), place);
    heads.with(layer.query.dim(1), place);
    sizes.query_len.with(layer.query.dim(2), place);
    features.with(layer.query.dim(3), place);
    features.with(layer.key.dim(3), where + ".key");
  }
  for (const auto& [tensor, part] : {std::pair(&layer.key, ".key"), std::pair(&layer.value, ".value")}) {
    if (tensor->empty()) continue;
    const std::string place = where + part;
    sizes.batch.with(tensor->dim(0), place);
    key_heads.with(tensor->dim(1), place);
    sizes.key_len.with(tensor->dim(2), place);
    if (heads.value % tensor->dim(1) != 0) {
      throw Error(fmt::format("{} has {} heads, but {} has {}; expected as many, or a divisor", place, tensor->dim(1),
                              heads.where, heads.value));
    }
  }
}

void read_safetensors_capture(const std::string& path, Capture& capture, CaptureTokens& tokens) {
  const SafetensorsFile file = SafetensorsFile::open(path);
  for (const SafetensorsEntry& entry : file.entries()) {
    const auto place = place_of(entry.name);
    if (!place) continue;
    const auto& [number, part] = *place;
    if (part != "weights" && part != "query" && part != "key" && part != "value") continue;
    if (number >= kMostLayers) {
      throw Error(fmt::format("{}: {} is of layer {}; expected a layer below {}", path, shortened(entry.name), number,
                              kMostLayers));
    }
    if (number >= static_cast<std::int64_t>(capture.layers.size())) {
      capture.layers.resize(static_cast<std::size_t>(number) + 1);
    }
    CapturedLayer& layer = capture.layers[static_cast<std::size_t>(number)];
    const std::string where = path + ": " + shortened(entry.name);
    const Tensor found = file.tensor(entry);
    if (part == "weights") layer.weights = weight_axes(found, where);
    if (part == "query") layer.query = head_axes(found, where);
    if (part == "key") layer.key = head_axes(found, where);
    if (part == "value") layer.value = head_axes(found, where);
  }
  if (capture.layers.empty()) throw Error(fmt::format("{} is no capture; expected {}", path, kCaptureExpected));
  const auto named = [&](const char* key) -> std::optional<std::vector<std::string>> {
    const auto found = file.metadata().find(key);
    if (found == file.metadata().end()) return {};
    return parse_token_list(found->second, fmt::format("{}: metadata {}", path, key));
  };
  tokens.queries = named("tokens");
  tokens.keys = named("key_tokens");
}

void read_npy_capture(const std::string& path, Capture& capture) {
  const Tensor array = read_npy(path).tensor;
  if (array.rank() == 3) {
    capture.layers.push_back({weight_axes(array, path), {}, {}, {}});
    return;
  }
  if (array.rank() != 4 || array.size() == 0) {
    throw Error(fmt::format("{} is {}; expected weights [heads, q, k] or [layers, heads, q, k], none of them 0", path,
                            to_string(array.shape())));
  }
  if (array.dim(0) > kMostLayers) {
    throw Error(fmt::format("{} is {}; expected at most {} layers", path, to_string(array.shape()), kMostLayers));
  }
  for (std::int64_t layer = 0; layer < array.dim(0); ++layer) {
    capture.layers.push_back({weight_axes(array.sliced(0, layer, layer + 1), path), {}, {}, {}});
  }
}

std::vector<std::string> numbered(std::int64_t count) {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) names.push_back(std::to_string(i));
  return names;
}

void check_count(const std::vector<std::string>& names, std::int64_t count, const char* what, const std::string& where,
                 const std::string& tokens_path) {
  if (static_cast<std::int64_t>(names.size()) == count) return;
  throw Error(fmt::format("{}: {} {} for the {} {} of {}; expected as many", tokens_path, names.size(), what, count,
                          std::string_view(what) == "tokens" ? "queries" : "keys", where));
}

}  // namespace

std::string capture_tokens_path(const std::string& path) {
  const std::string stem = path.substr(0, path.find_last_of('.'));
  for (const char* ending : {".tokens.json", ".tokens.txt"}) {
    std::error_code error;
    if (std::filesystem::is_regular_file(stem + ending, error)) return stem + ending;
  }
  return "";
}

Capture read_capture(const std::string& path) {
  Capture capture;
  capture.path = path;
  CaptureTokens tokens;
  if (has_ending(path, ".npy")) {
    read_npy_capture(path, capture);
  } else {
    read_safetensors_capture(path, capture, tokens);
  }
  Agreements sizes;
  for (std::size_t number = 0; number < capture.layers.size(); ++number) {
    const CapturedLayer& layer = capture.layers[number];
    if (layer.captured() || !layer.value.empty() || !layer.key.empty()) {
      check_layer(layer, fmt::format("{}: layers.{}", path, number), sizes);
    }
  }
  capture.batch = sizes.batch.value;
  capture.query_len = sizes.query_len.value;
  capture.key_len = sizes.key_len.value;
  const std::string beside = tokens.queries || tokens.keys ? "" : capture_tokens_path(path);
  if (!beside.empty()) tokens = read_token_file(beside);
  const std::string& told_by = beside.empty() ? path : beside;
  capture.named_tokens = tokens.queries.has_value();
  if (tokens.queries) check_count(*tokens.queries, capture.query_len, "tokens", path, told_by);
  if (tokens.keys) check_count(*tokens.keys, capture.key_len, "key_tokens", path, told_by);
  if (tokens.queries && !tokens.keys && capture.query_len == capture.key_len) tokens.keys = tokens.queries;
  capture.tokens = tokens.queries ? std::move(*tokens.queries) : numbered(capture.query_len);
  capture.key_tokens = tokens.keys ? std::move(*tokens.keys) : numbered(capture.key_len);
  return capture;
}

RowSums row_sums_of(const Tensor& weights, const CancelToken& cancel) {
  constexpr std::int64_t kBlock = std::int64_t{1} << 18;  // numbers read at once
  RowSums sums;
  const std::int64_t keys = weights.dim(3);
  const std::int64_t block = std::clamp<std::int64_t>(kBlock / keys, 1, weights.dim(2));
  std::vector<float> values;
  for (std::int64_t b = 0; b < weights.dim(0); ++b) {
    for (std::int64_t h = 0; h < weights.dim(1); ++h) {
      for (std::int64_t first = 0; first < weights.dim(2); first += block) {
        cancel.check();
        const std::int64_t last = std::min(first + block, weights.dim(2));
        values.resize(static_cast<std::size_t>((last - first) * keys));
        weights.read({{b, b + 1}, {h, h + 1}, {first, last}, {0, keys}}, values);
        for (std::int64_t i = first; i < last; ++i) {
          const float* row = values.data() + (i - first) * keys;
          double sum = 0;
          for (std::int64_t j = 0; j < keys; ++j) sum += static_cast<double>(row[j]);
          ++sums.rows;
          const double error = std::abs(sum - 1);
          if (std::isnan(error)) {
            ++sums.nan_rows;
            continue;
          }
          sums.off += error > kRowSumTolerance ? 1 : 0;
          if (error > sums.largest_error) {
            sums.largest_error = error;
            sums.batch = b;
            sums.head = h;
            sums.query = i;
          }
        }
      }
    }
  }
  return sums;
}

std::string row_sums_text(const RowSums& sums) {
  std::string text;
  if (sums.off > 0) {
    text = fmt::format("{} of {} rows do not add up to 1 within {:g}", sums.off, sums.rows, kRowSumTolerance);
  } else if (sums.nan_rows == sums.rows) {
    return fmt::format("all {} rows hold NaN", sums.rows);
  } else {
    text = fmt::format("{} of {} rows add up to 1", sums.rows - sums.nan_rows, sums.rows);
  }
  text += fmt::format("; the largest |sum - 1| is {:.3g}", sums.largest_error);
  if (sums.off > 0) text += fmt::format(" (batch {}, head {}, query {})", sums.batch, sums.head, sums.query);
  if (sums.nan_rows > 0)
    text += fmt::format("; {} {} NaN", sums.nan_rows, sums.nan_rows == 1 ? "row holds" : "rows hold");
  return text;
}

}  // namespace headscope
