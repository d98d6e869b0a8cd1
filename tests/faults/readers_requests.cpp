// Files that a request names, through what reads them for a computation; and those that results are compared with.
#include <sstream>

#include "core/export/external_stages.h"
#include "core/io/npy.h"
#include "core/io/safetensors.h"
#include "core/model/input_cache.h"
#include "core/model/layer_weights.h"
#include "core/model/load_inputs.h"
#include "core/model/named_arrays.h"
#include "tests/core/export/small_export.h"
#include "tests/core/io/npz_files.h"
#include "tests/core/io/pickle_files.h"
#include "tests/core/model/model_files.h"
#include "tests/faults/readers.h"

namespace headscope::test {

namespace {

std::string npy_of(const Shape& shape, float first = 0.001F) {
  std::ostringstream out;
  write_npy(out, counted(shape, first));
  return out.str();
}

std::string loaded(const Request& request) {
  InputCache cache;
  const Inputs inputs = load_inputs(request, cache);
  std::string text;
  for (const Tensor* each :
       {&inputs.x, &inputs.key_x, &inputs.value_x, &inputs.query, &inputs.key, &inputs.value, &inputs.dropout_mask}) {
    text += text_of(*each) + "\n";
  }
  for (const MaskFile& mask : inputs.mask_files) text += text_of(mask.values) + "\n";
  return text + (inputs.weights.empty() ? "" : sha256_of(inputs.weights));
}

// Three words, two heads of two features.
Request words() {
  Request request;
  request.phrase = "a b c";
  request.d_model = 4;
  request.heads = 2;
  return request;
}

std::string read_input(const std::string& path) {
  Request request = words();
  request.phrase.clear();
  request.input = path;
  return loaded(request);
}

std::string read_key_input(const std::string& path) {
  Request request = words();
  request.key_input = path;
  request.input_dim = 4;
  return loaded(request);
}

std::string read_heads(const std::string& path) {
  Request request;
  request.query = request.key = request.value = path;
  return loaded(request);
}

std::string read_mask_term(const std::string& path) {
  Request request = words();
  request.mask = {{MaskTerm::Kind::file, 0, path}};
  return loaded(request);
}

std::string read_dropout_mask(const std::string& path) {
  Request request = words();
  request.dropout_mask = path;
  return loaded(request);
}

std::string small_layer() {
  const Tensor fused = counted({12, 4}), output = counted({4, 4}, 0.5F);
  std::ostringstream out;
  write_safetensors(out, {{"qkv_layer.weight", &fused}, {"linear_layer.weight", &output}}, {{"num_heads", "2"}});
  return out.str();
}

std::string read_layer(const std::string& path) {
  return sha256_of(read_layer_weights(path, QkvLayout::automatic));
}

const Trace& small_trace() {
  static const auto trace = trace_of(words());
  return *trace;
}

std::string small_stages() {
  std::ostringstream out;
  write_safetensors(out, {{"weights", &small_trace().tensor(StageId::weights)}}, {});
  return out.str();
}

std::string read_stages(const std::string& path) {
  std::string text;
  for (const ExternalStage& each : read_external_stages(small_trace(), path)) {
    text += std::string(stage_name(each.stage)) + text_of(each.tensor);
  }
  return text;
}

std::string read_arrays(const std::string& path) {
  std::string text;
  for (const NamedArray& each : read_named_arrays(path).arrays) {
    text += std::string(role_name(each.role)) + each.name + text_of(each.tensor);
  }
  return text;
}

const std::vector<Reader> kRequestsRows = {
    {.name = "input",
     .covers = "load_inputs",
     .file = "x.npy",
     .small =
         [] {
           return npy_of({2, 3, 4});
         },
     .read = read_input,
     .fuzz = "request_files",
     .reads = "npy"},
    {.name = "key_input",
     .covers = "load_inputs",
     .file = "x.npy",
     .small =
         [] {
           return npy_of({1, 3, 4});
         },
     .read = read_key_input,
     .fuzz = "request_files"},
    {.name = "heads",
     .covers = "load_inputs",
     .file = "q.npy",
     .small =
         [] {
           return npy_of({1, 2, 3, 2});
         },
     .read = read_heads,
     .fuzz = "request_files"},
    {.name = "mask_term",
     .covers = "load_inputs",
     .file = "mask.csv",
     .small = [] { return std::string("0,1,1\n0,0,1\n0,0,0\n"); },
     .read = read_mask_term,
     .fuzz = "request_files",
     .reads = "csv",
     .cut_unseen = "one row of keys is a mask for all queries"},
    {.name = "dropout_mask",
     .covers = "load_inputs",
     .file = "kept.npy",
     .small =
         [] {
           std::ostringstream out;
           write_boolean_npy(out, Tensor::of({3, 3}, {Axis::query, Axis::key}, {1, 0, 1, 1, 1, 0, 0, 1, 1}));
           return out.str();
         },
     .read = read_dropout_mask,
     .fuzz = "request_files"},
    {.name = "layer_weights",
     .covers = "read_layer_weights",
     .file = "layer.safetensors",
     .small = small_layer,
     .read = read_layer,
     .fuzz = "request_files",
     .reads = "zip"},
    {.name = "stages_of_other_code",
     .covers = "read_external_stages core/io/float8_tensor.cpp core/io/beyond_float32.cpp",
     .file = "mine.safetensors",
     .small = small_stages,
     .read = read_stages,
     .fuzz = "request_files"},
    {.name = "stage_of_other_code",
     .covers = "read_external_stages",
     .file = "my_weights.npy",
     .small =
         [] {
           return npy_of({1, 2, 3, 3});
         },
     .read = read_stages,
     .fuzz = "request_files",
     .reads = "npy"},
    {.name = "stages_in_npz",
     .covers = "read_external_stages",
     .file = "mine.npz",
     .small =
         [] {
           return zip_of({{"attn_weights.npy", npy_of({1, 2, 3, 3}), true}});
         },
     .read = read_stages,
     .fuzz = "request_files",
     .reads = "npz"},
    {.name = "named_arrays",
     .covers = "read_named_arrays",
     .file = "all.npz",
     .small =
         [] {
           return zip_of({{"q.npy", npy_of({1, 2, 3, 2}), true}, {"attn_mask.npy", npy_of({3, 3}), false}});
         },
     .read = read_arrays,
     .fuzz = "request_files",
     .reads = "npz"},
    {.name = "stages_of_torch",
     .covers = "read_external_stages",
     .file = "mine.pt",
     .small =
         [] {
           const std::string state = pickled_dict({{"weights", pickled_tensor({{1, 2, 3, 3}, {18, 9, 3, 1}, 0, 18})}});
           return torch_archive(pickled(state), {{"0", std::string(72, '\x3f')}});
         },
     .read = read_stages,
     .fuzz = "request_files",
     .reads = "zip"},
};

}  // namespace

std::vector<Reader> request_readers() {
  return kRequestsRows;
}

}  // namespace headscope::test
