// Golden models and random maps for the tests of circuits.
#pragma once

#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/circuits/head_maps.h"
#include "core/model/checkpoint.h"

namespace headscope {

inline std::shared_ptr<const Checkpoint> circuits_model(const std::string& name) {
  const bool demo = name.starts_with("demo:");
  return Checkpoint::open(demo ? name : std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/" + name);
}

struct MapSizes {
  std::int64_t heads = 4, groups = 2, features = 3, value_features = 5, d_model = 12;
};

inline Tensor random_stack(std::int64_t matrices, std::int64_t rows, std::int64_t columns, std::mt19937_64& draw) {
  std::normal_distribution<float> normal;
  std::vector<float> values(static_cast<std::size_t>(matrices * rows * columns));
  for (float& value : values) value = normal(draw);
  return Tensor::of({matrices, rows, columns}, {Axis::head, Axis::position, Axis::feature}, std::move(values));
}

inline HeadMaps random_maps(const MapSizes& of, std::mt19937_64& draw) {
  HeadMaps maps;
  maps.query = random_stack(of.heads, of.features, of.d_model, draw);
  maps.key = random_stack(of.groups, of.features, of.d_model, draw);
  maps.value = random_stack(of.groups, of.value_features, of.d_model, draw);
  maps.output = random_stack(of.heads, of.value_features, of.d_model, draw);
  maps.dimensions = of.d_model;
  return maps;
}

}  // namespace headscope
