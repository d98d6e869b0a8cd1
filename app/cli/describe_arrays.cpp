#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <new>
#include <span>
#include <vector>

#include "app/cli/describe.h"
#include "app/cli/output.h"
#include "app/session/capture_kind.h"
#include "app/session/documents.h"
#include "core/corpus/corpus_file.h"
#include "core/io/json_text.h"
#include "core/io/npy.h"
#include "core/io/npz.h"
#include "core/io/tensor_formats.h"
#include "core/io/torch_file.h"
#include "core/model/config_reader.h"
#include "core/model/layer_prefix.h"
#include "core/model/layer_schemes.h"
#include "core/model/layer_weights.h"
#include "core/model/weights_sha256.h"
#include "core/tensor/statistics.h"

namespace headscope::cli {

namespace {

using Json = nlohmann::ordered_json;

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

// "float32", as NumPy calls it, of "<f4".
std::string dtype_name(const std::string& descr) {
  if (descr.size() < 2) return descr;
  const char kind = descr[descr.size() >= 3 ? 1 : 0];
  const std::string bytes = descr.substr(descr.find_first_of("0123456789"));
  const int bits = std::atoi(bytes.c_str()) * 8;
  if (kind == 'b') return "bool";
  return fmt::format("{}{}", kind == 'f' ? "float" : kind == 'u' ? "uint" : "int", bits);
}

std::vector<std::string> prefixes_of(const TensorFile& file) {
  std::vector<std::string> names;
  for (const TensorEntry& entry : file.entries) names.push_back(entry.name);
  return layer_prefixes(names);
}

// Which row of the table of attention layers the names behind `prefix` are, with what that says about the numbers; ""
// for none.
std::string convention_of(const TensorFile& file, const std::string& prefix) {
  const auto has = [&](const std::string& name) { return has_names(file) && file.find(prefix + name) != nullptr; };
  for (const NameScheme& scheme : layer_schemes()) {
    if (has(required_names(scheme).front())) return scheme.about;
  }
  return "";
}

// Beyond it a layer's hash is left out: it takes seconds, and longer than all the rest.
constexpr double kMostHashed = 4e9;
// Bytes of float32 beyond which an array of another type is not asked whether it is a capture.
constexpr double kMostConverted = 1e9;

double bytes_of(const LayerWeights& weights) {
  double bytes = 0;
  for (const Linear* linear : {&weights.qkv, &weights.query, &weights.key, &weights.value, &weights.output}) {
    bytes += sizeof(float) * static_cast<double>(linear->weight.size());
  }
  return bytes;
}

void add_zeros(std::int64_t count, StatisticsSum& sum) {
  static constexpr std::array<float, 4096> zeros{};
  for (const auto most = static_cast<std::int64_t>(zeros.size()); count > 0; count -= most) {
    sum.add(std::span(zeros).first(static_cast<std::size_t>(std::min(count, most))));
  }
}

std::string lower_case(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return text;
}

// A prefix without its dot, for the terminal.
std::string inside(const std::string& prefix) {
  return printable(prefix.substr(0, prefix.size() - 1));
}

std::string several_layers_text(const std::vector<std::string>& prefixes) {
  std::vector<std::string> shown;
  for (const std::string& prefix : prefixes) shown.push_back(inside(prefix));
  return fmt::format("{} attention layers in it, of which one alone would open as --weights: {}\n", shown.size(),
                     first_ten(shown));
}

void describe_layer(const std::string& path, const std::string& convention, const CancelToken& cancel,
                    Description& description) {
  Json layer = {{"convention", convention}};
  description.text += "attention layer: " + convention + "\n";
  try {
    const LayerWeights weights = read_layer_weights(path, QkvLayout::automatic);
    const Linear& first = weights.fused() ? weights.qkv : weights.query;
    const std::int64_t rows = first.weight.dim(0);
    const std::int64_t width = !weights.fused() ? rows : rows - 2 * weights.fused_key_rows.value_or(rows / 3);
    layer["input_dim"] = first.weight.dim(1);
    layer["d_model"] = width;
    layer["num_heads"] = weights.num_heads ? Json(*weights.num_heads) : Json(nullptr);
    layer["bias"] = !first.bias.empty();
    layer["output_projection"] = !weights.output.empty();
    layer["sha256"] = bytes_of(weights) <= kMostHashed ? Json(sha256_of(weights, cancel)) : Json(nullptr);
    description.text += fmt::format(
        "  input_dim {}, d_model {}, {}, {}, {}\n", first.weight.dim(1), width,
        weights.num_heads ? counted(*weights.num_heads, "head") : "heads not said (give --heads)",
        first.bias.empty() ? "no bias" : "bias", weights.output.empty() ? "no output projection" : "output projection");
  } catch (const Cancelled&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    layer["unusable"] = error.what();
    description.text += "  not usable: " + printable(error.what()) + "\n";
  }
  description.json["kind"] = "attention_layer";
  description.json["layer"] = layer;
}

}  // namespace

Description describe_npy(const std::string& path, const Reading& reading) {
  StatisticsSum sum;
  const NpyHeader header = visit_npy(path,
                                     {.values = [&sum](std::span<const float> values) { sum.add(values); },
                                      .zeros = [&sum](std::int64_t count) { add_zeros(count, sum); },
                                      .progress = reading.progress},
                                     reading.cancel);
  const Statistics numbers = sum.result();
  const std::vector<std::int64_t> shape(header.shape.begin(), header.shape.end());
  const std::string order = header.fortran_order ? "fortran" : "c";
  Description description;
  description.json = {{"path", path},
                      {"kind", "npy"},
                      {"dtype", dtype_name(header.descr)},
                      {"descr", header.descr},
                      {"shape", shape},
                      {"order", order},
                      {"min", json_number(numbers.min)},
                      {"max", json_number(numbers.max)},
                      {"mean", json_number(numbers.mean)},
                      {"std", json_number(numbers.std)},
                      {"nan_count", numbers.nan_count},
                      {"inf_count", numbers.inf_count}};
  description.text = fmt::format(
      "{}: NumPy array\n"
      "dtype {} ({}), shape {}, {} order\n"
      "min {}, max {}, mean {}, std {}\n"
      "{}, {} nan, {} infinite\n",
      printable(path), dtype_name(header.descr), printable(header.descr), shape_text(shape), order,
      short_number(numbers.min), short_number(numbers.max), short_number(numbers.mean), short_number(numbers.std),
      counted(numbers.count, "value"), numbers.nan_count, numbers.inf_count);
  // One that is not stored as it is used is converted whole for the question.
  const bool fits = header.descr == "<f4" || static_cast<double>(numbers.count) * sizeof(float) <= kMostConverted;
  if (fits && holds_weights(path, reading.cancel)) add_capture(path, reading.cancel, description);
  return description;
}

Description describe_npz(const std::string& path, const Reading& reading) {
  const std::vector<NpzEntry> entries = read_npz(path);
  Description description;
  description.json = {{"path", path}, {"kind", "capture"}};
  description.text =
      printable(path) + ": NumPy archive, " + counted(static_cast<std::int64_t>(entries.size()), "array") + "\n";
  add_capture(path, reading.cancel, description);
  Json arrays = Json::array();
  std::vector<std::vector<std::string>> rows = {{"array", "dtype", "shape"}};
  for (const NpzEntry& entry : entries) {
    const std::string dtype = entry.holds_numbers() ? dtype_name(entry.descr) : entry.descr;
    const std::vector<std::int64_t> shape(entry.shape.begin(), entry.shape.end());
    arrays.push_back({{"name", entry.name}, {"dtype", dtype}, {"shape", shape}});
    rows.push_back({printable(entry.name), printable(dtype), shape_text(shape)});
  }
  description.json["arrays"] = arrays;
  description.text += '\n' + table_text({{}, {}, {}}, rows);
  return description;
}

Description describe_tensors(const std::string& path, const Reading& reading) {
  const TensorFile file = open_tensor_file(path);
  Description description;
  description.json = {{"path", path}, {"kind", lower_case(file.format)}};
  description.text = fmt::format("{}: {}, {}\n", printable(path), file.format,
                                 counted(static_cast<std::int64_t>(file.entries.size()), "tensor"));
  const std::vector<std::string> layers = prefixes_of(file);
  const std::string prefix = layers.empty() ? "" : layers.front();
  const std::string convention = convention_of(file, prefix);
  if (is_capture(file)) {
    description.json["kind"] = "capture";
    add_capture(path, reading.cancel, description);
  } else if (is_corpus(file.metadata)) {
    description.json["kind"] = "corpus";
    add_corpus(path, description);
  } else if (!prefix.empty() && layers.size() > 1) {
    description.text += several_layers_text(layers);
  } else if (!convention.empty()) {
    if (!prefix.empty()) description.text += "one attention layer in it, " + inside(prefix) + "\n";
    describe_layer(path, convention, reading.cancel, description);
  } else {
    description.text += has_names(file)
                            ? "no attention layer: none of qkv_layer.weight, in_proj_weight, q_proj_weight, "
                              "queries.weight, Wq, q_proj.weight, "
                              "wq.weight, W_Q\n"
                            : "tensors without names; they are no attention weights, whose rows add up to 1\n";
  }
  Json tensors = Json::array();
  std::vector<std::vector<std::string>> rows = {{"tensor", "dtype", "shape", "size"}};
  for (const TensorEntry& entry : file.entries) {
    const std::size_t bytes = entry.bytes;
    tensors.push_back({{"name", entry.name}, {"dtype", entry.dtype}, {"shape", entry.shape}, {"bytes", bytes}});
    rows.push_back({printable(entry.name), printable(entry.dtype), shape_text(entry.shape),
                    size_text(static_cast<double>(bytes))});
  }
  Json metadata = Json::object();
  for (const auto& [key, value] : file.metadata) {
    metadata[key] = value;
    description.text += "metadata " + printable(key) + ": " + printable(value) + "\n";
  }
  description.json["tensors"] = tensors;
  description.json["metadata"] = metadata;
  description.text += '\n' + table_text({{}, {}, {}, {true}}, rows);
  return description;
}

}  // namespace headscope::cli
