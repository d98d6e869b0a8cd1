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

// The tensors of one layer against each other, and its batch against the other layers'.
void check_layer(const CapturedLayer& layer, const std::string& where, Agreement& batch) {
  if (layer.query.empty() != layer.key.empty()) {
    throw Error(
        fmt::format("{} has {} alone; expected query and key together", where, layer.query.empty() ? "key" : "query"));
  }
  if (!layer.captured()) throw Error(where + " has value alone; expected weights, scores, or query and key, too");
  if (!layer.query.empty() && !layer.scores.empty()) {
    throw Error(where + " has scores beside query and key; expected one of them");
  }
  Agreement heads{"heads", -1, {}}, key_heads{"key heads", -1, {}}, features{"features a head", -1, {}};
  Agreement query_len{"queries", -1, {}}, key_len{"keys", -1, {}};
  for (const auto& [tensor, part] : {std::pair(&layer.weights, ".weights"), std::pair(&layer.scores, ".scores")}) {
    if (tensor->empty()) continue;
    const std::string place = where + part;
    batch.with(tensor->dim(0), place);
    heads.with(tensor->dim(1), place);
    query_len.with(tensor->dim(2), place);
    key_len.with(tensor->dim(3), place);
  }
  if (!layer.query.empty()) {
    const std::string place = where + ".query";
    batch.with(layer.query.dim(0), place);
    heads.with(layer.query.dim(1), place);
    query_len.with(layer.query.dim(2), place);
    features.with(layer.query.dim(3), place);
    features.with(layer.key.dim(3), where + ".key");
  }
  for (const auto& [tensor, part] : {std::pair(&layer.key, ".key"), std::pair(&layer.value, ".value")}) {
    if (tensor->empty()) continue;
    const std::string place = where + part;
    batch.with(tensor->dim(0), place);
    key_heads.with(tensor->dim(1), place);
    key_len.with(tensor->dim(2), place);
    if (heads.value % tensor->dim(1) != 0) {
      throw Error(fmt::format("{} has {} heads, but {} has {}; expected as many, or a divisor", place, tensor->dim(1),
                              heads.where, heads.value));
    }
  }
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
  LayerFacts facts;
  read_capture_file(path, capture, facts);
  Agreement batch{"batch items", -1, {}};
  for (std::size_t number = 0; number < capture.layers.size(); ++number) {
    const CapturedLayer& layer = capture.layers[number];
    if (layer.captured() || !layer.value.empty() || !layer.key.empty()) {
      check_layer(layer, fmt::format("{}: layers.{}", path, number), batch);
    }
  }
  capture.batch = batch.value;
  capture.query_len = capture.layers.back().query_len();
  capture.key_len = capture.layers.back().key_len();
  CaptureTokens& tokens = facts.all.tokens;
  const std::string beside = tokens.queries || tokens.keys ? "" : capture_tokens_path(path);
  if (!beside.empty()) tokens = read_token_file(beside);
  settle_facts(capture, facts, beside.empty() ? path : beside);
  return capture;
}

}  // namespace headscope
