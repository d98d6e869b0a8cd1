// Where to find the checkpoints that Headscope ships.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headscope {

// The folder of "demo:NAME"'s NAME: share/headscope/demos/NAME of the installation that this program belongs to, or
// assets/demos/NAME of the source tree that it was built from. UsageError that lists the demos for an unknown name.
std::string demo_folder(std::string_view name);

// Names of the shipped demos, sorted.
std::vector<std::string> demo_names();

}  // namespace headscope
