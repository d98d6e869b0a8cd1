#include "core/model/capture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/model/capture_file.h"
#include "core/model/capture_tokens.h"

namespace headscope {
namespace {

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
    if (std::filesystem::exists(std::filesystem::symlink_status(stem + ending, error))) return stem + ending;
  }
  return "";
}

std::vector<std::int64_t> missing_layers(const Capture& capture) {
  std::vector<std::int64_t> missing;
  for (std::size_t number = 0; number < capture.layers.size(); ++number) {
    if (!capture.layers[number].captured()) missing.push_back(static_cast<std::int64_t>(number));
  }
  return missing;
}

std::string missing_layers_text(const std::vector<std::int64_t>& missing) {
  if (missing.empty()) return "";
  if (missing.size() == 1) return fmt::format("layer {} was not captured", missing[0]);
  constexpr std::size_t most_named = 8;
  if (missing.size() > most_named) {
    return fmt::format("{} layers were not captured, the first is {}", missing.size(), missing[0]);
  }
  const std::vector<std::int64_t> but_last(missing.begin(), missing.end() - 1);
  return fmt::format("layers {} and {} were not captured", fmt::join(but_last, ", "), missing.back());
}

Capture read_capture(const std::string& path) {
  Capture capture;
  capture.path = path;
  CaptureTokens tokens;
  read_capture_file(path, capture, tokens);
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
  capture.named_keys = tokens.keys.has_value();
  if (tokens.queries) check_count(*tokens.queries, capture.query_len, "tokens", path, told_by);
  if (tokens.keys) check_count(*tokens.keys, capture.key_len, "key_tokens", path, told_by);
  if (tokens.queries && !tokens.keys && capture.query_len == capture.key_len) tokens.keys = tokens.queries;
  capture.tokens = tokens.queries ? std::move(*tokens.queries) : numbered(capture.query_len);
  capture.key_tokens = tokens.keys ? std::move(*tokens.keys) : numbered(capture.key_len);
  return capture;
}

}  // namespace headscope
