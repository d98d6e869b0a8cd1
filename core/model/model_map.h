// headscope-map.json: how a model that is in no table of families is opened. It gives our names of a model's parts the
// names of its tensors, and says what tensors do not tell.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/model/family.h"
#include "core/model/model_config.h"
#include "core/model/weight_files.h"

namespace headscope {

inline constexpr const char* kMapName = "headscope-map.json";

// A part of a model: a module with a weight and, where it has one, a bias.
struct MapPart {
  const char* key;                 // "query": the map's "query.weight" and "query.bias"
  const char* TensorNames::*name;  // its place in a family's names
  bool in_layer = false;           // every layer has one: the tensor's name holds {layer}, the layer's number
  enum class Shape {
    table,
    matrix,
    norm,
    vector
  } shape = Shape::matrix;  // a vector has no bias beside it, nor a table
  const char* about = "";
  bool has_bias() const { return shape == Shape::matrix || shape == Shape::norm; }
  bool one_axis() const { return shape == Shape::norm || shape == Shape::vector; }
};

std::span<const MapPart> map_parts();

// The model that a map describes, `what` in errors, with the tensors of `files`, which then find them under our names
// as well: "layers.3.query.weight". Sizes, biases, and whether there is an MLP, a gate, a final norm or a decoder of
// its own follow from the tensors. Throws Error that begins with `what` and names every key that is wrong (the first
// ten): unknown keys, names that no file has, settings that are missing or do not fit the shapes.
ModelConfig model_map_of(const JsonValue& map, const std::string& what, WeightFiles& files);

// The names of tensors that a map ignores: patterns, see fits_pattern(). Throws Error for what is no list of names, and
// for names that fit no tensor of the files.
std::vector<std::string> ignored_of(const JsonValue& map, const std::string& what, const WeightFiles& files);

// Whether a map says nothing but which tensors are ignored: the model is then its family's.
bool only_ignores(const JsonValue& map);

// What a map says that its writer is not sure of, a sentence each; it changes nothing.
std::vector<std::string> unsure_of(const JsonValue& map);

// The JSON of such a file. Throws Error.
JsonValue read_model_map(const std::string& path);

}  // namespace headscope
