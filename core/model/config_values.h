// Values of config.json that several families read in the same way.
#pragma once

#include <cstdint>
#include <optional>

#include "core/model/architecture.h"
#include "core/model/config_reader.h"
#include "core/model/family.h"

namespace headscope {

// Above what any model has, and small enough that products of two stay far from overflow.
constexpr std::int64_t kMostLayers = 10'000;
constexpr std::int64_t kMostFeatures = 1 << 24;

// The function that an activation's name stands for; `otherwise` where the key is absent. Unknown names are a problem
// of `reader`.
Architecture::Activation activation_of(ConfigReader& reader, const char* key, Architecture::Activation otherwise);

// A softcap: a number above 0; null: none; `otherwise` where the key is absent.
std::optional<double> cap_of(ConfigReader& reader, const char* key, std::optional<double> otherwise);

// Where the key is there, and not null, its value must be one of those that are allowed: else a problem of `reader`.
void refuse_unless_allowed(ConfigReader& reader, const Refusal& refusal);

}  // namespace headscope
