// The settings of a headscope-map.json, and what follows from the shapes of the tensors that it names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/io/json_text.h"
#include "core/model/family.h"
#include "core/model/weight_files.h"

namespace headscope {

// The tensors of a map, which the files know under our names as well: "word.weight", "layers.0.query.weight".
class MappedTensors {
 public:
  // `tensors` is the map's object; both must outlive this.
  MappedTensors(const JsonValue& tensors, const WeightFiles& files) : tensors_(tensors), files_(files) {}

  bool named(const std::string& part, const char* which) const;
  bool names(const std::string& part) const { return named(part, "weight") || named(part, "bias"); }
  // Of the part's weight, of layers the first one's; empty where no file has it.
  std::vector<std::int64_t> shape(const std::string& part) const;
  // A size of it; 0 where it has fewer axes.
  std::int64_t dim(const std::string& part, std::size_t axis) const;

 private:
  const JsonValue& tensors_;
  const WeightFiles& files_;
};

// Whether `architecture` of a map may have that key.
bool is_map_setting(const std::string& key);
std::vector<std::string> map_settings();  // all of them

// Sets family.fixed from `settings`, the map's object `architecture`, and from the tensors: sizes, biases, which MLP
// and norms there are. Returns what does not fit, a sentence each: settings that are missing, of another type or of
// another model, sizes that do not divide, parts that a norm_place asks for or does not have.
std::vector<std::string> read_map_settings(const JsonValue& settings, const MappedTensors& tensors, Family& family);

}  // namespace headscope
