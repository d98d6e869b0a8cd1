// Captures, and the lists of tokens beside them.
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <sstream>
#include <vector>

#include "core/io/npy.h"
#include "core/io/safetensors.h"
#include "core/model/capture.h"
#include "tests/core/io/io_helpers.h"
#include "tests/core/io/npz_files.h"
#include "tests/faults/readers.h"

namespace headscope::test {

namespace {

using Files = std::vector<std::pair<std::string, std::string>>;

std::string captures_itself(const std::string& json) {
  return json;
}

std::string npy_of(const Tensor& tensor) {
  std::ostringstream out;
  write_npy(out, tensor);
  return out.str();
}

// Two heads whose rows add up to 1.
Tensor small_weights() {
  return Tensor::of({1, 2, 2, 2}, {Axis::batch, Axis::head, Axis::query, Axis::key},
                    {1, 0, 0.25F, 0.75F, 1, 0, 0.5F, 0.5F});
}

std::string small_capture() {
  std::ostringstream out;
  const Tensor weights = small_weights();
  write_safetensors(out, {{"layers.0.weights", &weights}}, {{"tokens", R"(["the","cat"])"}});
  return out.str();
}

// What a capture says of its layers, beside their numbers.
std::map<std::string, std::string> small_facts() {
  return {{"tokens", R"(["the","cat"])"},
          {"key_tokens", R"(["a","b"])"},
          {"scale", "0.25"},
          {"layers.0.causal", "true"},
          {"grid", "[1,2]"},
          {"layers.0.key_grid", "[2,1]"}};
}

std::string capture_of_scores() {
  std::ostringstream out;
  const Tensor scores = small_weights();
  const Tensor mask = Tensor::of({1, 2}, {Axis::query, Axis::key}, {0, -0.5F});
  write_safetensors(out, {{"layers.0.scores", &scores}, {"mask", &mask}}, small_facts());
  return out.str();
}

std::string npz_of_scores() {
  const auto numbers = [](const std::vector<float>& values) {
    Tensor tensor = Tensor::zeros({static_cast<std::int64_t>(values.size())}, {Axis::feature});
    std::copy(values.begin(), values.end(), tensor.mutable_data());
    return npy_of(tensor);
  };
  return zip_of({{"layers.0.scores.npy", npy_of(small_weights()), true},
                 {"layers.0.mask.npy", npy_of(Tensor::of({1, 2}, {Axis::query, Axis::key}, {0, -0.5F})), true},
                 {"layers.0.scale.npy", numbers({0.25F}), true},
                 {"causal.npy", numbers({1}), true},
                 {"grid.npy", numbers({1, 2}), true}});
}

std::string small_npz() {
  return zip_of({{"arr_0.npy", npy_of(small_weights()), true}});
}

std::string read_whole_capture(const std::string& path) {
  const Capture capture = read_capture(path);
  std::string text;
  for (const CapturedLayer& layer : capture.layers) {
    text += text_of(layer.weights) + text_of(layer.query) + text_of(layer.scores) + text_of(layer.mask.values) + "\n";
    text += fmt::format("{} {} {}\n", layer.mask.is_whole, layer.scale.value_or(-1),
                        layer.causal ? (*layer.causal ? "causal" : "not causal") : "not said");
    for (const auto& grid : {layer.grid, layer.key_grid}) {
      if (grid) text += fmt::format("{} x {}\n", grid->rows, grid->columns);
    }
  }
  for (const std::string& token : capture.tokens) text += token + "|";
  for (const std::string& token : capture.key_tokens) text += token + "|";
  return text;
}

// The capture that lies beside a file of tokens.
std::string read_tokens(const std::string& path) {
  return read_whole_capture((std::filesystem::path(path).parent_path() / "x.npy").string());
}

Files beside_tokens() {
  return {{"x.npy", npy_of(small_weights())}};
}

const std::vector<Reader> kCapturesRows = {
    {.name = "capture",
     .covers = "read_capture read_capture_file",
     .file = "x.safetensors",
     .small = small_capture,
     .read = read_whole_capture,
     .fuzz = "capture_files"},
    {.name = "capture_facts",
     .covers = "read_capture read_capture_file",
     .file = "x.safetensors",
     .small = capture_of_scores,
     .read = read_whole_capture,
     .fuzz = "capture_files"},
    {.name = "capture_facts_npz",
     .covers = "read_capture",
     .file = "x.npz",
     .small = npz_of_scores,
     .read = read_whole_capture,
     .fuzz = "capture_facts",
     .reads = "npz"},
    {.name = "capture_npy",
     .covers = "read_capture",
     .file = "x.npy",
     .small = [] { return npy_of(small_weights()); },
     .read = read_whole_capture,
     .fuzz = "capture_files"},
    {.name = "capture_npz",
     .covers = "read_capture",
     .file = "x.npz",
     .small = small_npz,
     .read = read_whole_capture,
     .fuzz = "capture_files",
     .reads = "npz"},
    {.name = "tokens_json",
     .covers = "read_capture read_token_file parse_token_list core/model/capture_tokens.cpp",
     .file = "x.tokens.json",
     .small = [] { return std::string(R"({"tokens":["the","cat"]})"); },
     .read = read_tokens,
     .fuzz = "token_names capture_files",
     .beside = beside_tokens,
     .of_json = captures_itself,
     .small_json = [] { return std::string(R"({"tokens":["the","cat"]})"); }},
    {.name = "tokens_text",
     .covers = "read_capture read_token_file",
     .file = "x.tokens.txt",
     .small = [] { return std::string("the\ncat\n"); },
     .read = read_tokens,
     .fuzz = "token_names capture_files",
     .beside = beside_tokens,
     .cut_unseen = "a word may end after any letter",
     .any_text = "a token a line"},
};

}  // namespace

std::vector<Reader> capture_readers() {
  return kCapturesRows;
}

}  // namespace headscope::test
