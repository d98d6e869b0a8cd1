// Writes HeadVis's tree, as its data_pipeline.py describes it.
#pragma once

#include <functional>
#include <string>

#include "core/headvis/headvis_tree.h"

namespace headscope {

// FOLDER/config.json, scatter_data.json and heads/L#H#.json, and what its frontend needs to run from files alone
// (server_config.json and attributions/manifest.json, both {}): all of them or none; where the process is killed in
// between, the next one that writes the tree finishes it. `head` gives the file of each head of the tree, by its place
// in config.heads. Values of metrics have the shortest form that reads back to the same double, null for NaN; weights
// and largest weights have four decimals. Returns the number of files.
std::size_t write_headvis_tree(const std::string& folder, const HeadVisTree& tree,
                               const std::function<HeadVisHead(std::size_t)>& head);

// The texts of these files.
std::string headvis_config_text(const HeadVisConfig& config);
std::string headvis_scatter_text(const HeadVisTree& tree);
std::string headvis_head_text(const HeadVisHead& head);

}  // namespace headscope
