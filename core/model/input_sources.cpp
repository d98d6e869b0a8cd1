#include "core/model/input_sources.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/file_name.h"
#include "core/base/utf8.h"
#include "core/text/tokenizer.h"

namespace headscope {
namespace {

[[noreturn]] void refuse_shape(const std::string& option, const std::string& path, const Shape& found,
                               const char* expected) {
  throw UsageError(option, fmt::format("{} is {}", path, to_string(found)), expected);
}

bool broadcasts_to(const Shape& from, const Shape& to) {
  if (from.count > to.count) return false;
  for (int back = 1; back <= from.count; ++back) {
    const std::int64_t size = from[from.count - back];
    if (size != 1 && size != to[to.count - back]) return false;
  }
  return true;
}

}  // namespace

std::vector<std::string> position_names(std::int64_t count) {
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < count; ++i) names.push_back(std::to_string(i));
  return names;
}

void check_agreement(std::string_view option, const std::optional<std::int64_t>& given, std::int64_t found,
                     const std::string& where) {
  if (given && *given != found) {
    throw UsageError(option, fmt::format("{} was given, but {} is {}; leave the option out, or make both agree", *given,
                                         where, found));
  }
}

TokenSource phrase_source(const std::string& option, const std::string& phrase) {
  const std::size_t invalid = first_invalid_byte(phrase);
  if (invalid != std::string::npos) {
    throw UsageError(
        option,
        fmt::format("byte 0x{:02X} at position {} is not UTF-8", static_cast<unsigned char>(phrase[invalid]), invalid),
        "text in UTF-8");
  }
  Tokens words = make_word_tokenizer()->tokenize(phrase);
  if (words.pieces.empty()) {
    throw UsageError(option, "found no word", "at least one");
  }
  TokenSource source;
  source.option = option;
  source.tokens = std::move(words.pieces);
  source.offsets = std::move(words.offsets);
  return source;
}

TokenSource vector_file(const std::string& option, const std::string& path, InputCache::State& cache) {
  const Tensor& file = cache.npy(path).tensor;
  const int rank = file.rank();
  if ((rank != 2 && rank != 3) || file.size() == 0) {
    refuse_shape(option, path, file.shape(), "[batch, len, input_dim] or [len, input_dim], none of them 0");
  }
  const Shape shape{rank == 3 ? file.dim(0) : 1, file.dim(rank - 2), file.dim(rank - 1)};
  TokenSource source;
  source.option = option;
  source.path = path;
  source.vectors = file.reshaped(shape, {Axis::batch, Axis::position, Axis::feature});
  source.tokens = position_names(shape[1]);
  return source;
}

MaskFile mask_file(const std::string& path, InputCache::State& cache) {
  MaskFile mask;
  mask.path = path;
  if (has_ending(path, ".csv")) {
    mask.values = cache.csv(path);
  } else {
    const NpyArray& file = cache.npy(path);
    mask.values = file.tensor;
    mask.is_whole = file.is_boolean || file.is_integer;
  }
  const Shape& shape = mask.values.shape();
  if (shape.count < 1 || shape.count > 4 || mask.values.size() == 0) {
    refuse_shape("mask", path, shape, "a shape that broadcasts to [batch, heads, query_len, key_len]");
  }
  return mask;
}

Tensor dropout_mask_file(const std::string& path, const Shape& weights_shape, InputCache::State& cache) {
  const Tensor& mask = cache.npy(path).tensor;
  if (mask.rank() < 1 || !broadcasts_to(mask.shape(), weights_shape)) {
    throw UsageError("dropout-mask", fmt::format("{} is {}", path, to_string(mask.shape())),
                     fmt::format("a shape that broadcasts to the weights' {}", to_string(weights_shape)));
  }
  for (const float value : mask.values()) {
    if (value != 0.0f && value != 1.0f) {
      throw UsageError("dropout-mask", fmt::format("{} holds {}", path, value),
                       "1 where a weight is kept and 0 where it is dropped");
    }
  }
  return mask;
}

Sources read_sources(const Request& request, InputCache::State& cache) {
  if (!request.token_ids.empty()) {
    throw UsageError("token-ids", "seeded weights and single layers have no vocabulary", "--phrase or --input");
  }
  Sources sources;
  if (!request.input.empty()) {
    sources.query = vector_file("input", request.input, cache);
  } else {
    sources.query = phrase_source("phrase", request.phrase);
  }
  if (!request.key_input.empty()) {
    sources.key = vector_file("key-input", request.key_input, cache);
  } else if (request.key_phrase) {
    sources.key = phrase_source("key-phrase", *request.key_phrase);
  }
  if (!request.value_input.empty()) {
    if (!sources.key || !sources.key->from_file()) {
      throw UsageError("value-input", "--key-input is missing", "both");
    }
    sources.value = vector_file("value-input", request.value_input, cache);
    if (sources.value->len() != sources.key->len()) {
      throw UsageError("value-input",
                       fmt::format("{} has {} positions, but --key-input {} has {}", sources.value->path,
                                   sources.value->len(), sources.key->path, sources.key->len()),
                       "as many");
    }
  }
  return sources;
}

}  // namespace headscope
