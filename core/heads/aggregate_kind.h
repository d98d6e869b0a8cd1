// The ways to combine many heads into one matrix, by name.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace headscope {

enum class Aggregate { mean, max, rollout, flow };

const std::array<Aggregate, 4>& all_aggregates();

// "rollout": in options and on screen.
std::string_view aggregate_name(Aggregate aggregate);
// nullopt for another name.
std::optional<Aggregate> aggregate_named(std::string_view name);

// The formula, its meaning and its source, for the screen.
std::string_view aggregate_formula(Aggregate aggregate);

}  // namespace headscope
