// Reads HeadVis's tree: ours, Neuronpedia's, or what data_pipeline.py describes.
#pragma once

#include <string>
#include <string_view>

#include "core/headvis/headvis_tree.h"

namespace headscope {

// Strict where numbers would be taken for others: heads and rows that stand twice, rows of heads that config.json does
// not list, lists of unequal lengths, indices outside of a sequence, values that are no numbers (null is none, in a
// row). Keys that data_pipeline.py does not describe are passed over. A pattern of file names stays in its folder. Each
// throws Error that names the file.
HeadVisTree read_headvis_tree(const std::string& folder);
HeadVisHead read_headvis_head(const std::string& folder, const HeadVisConfig& config, std::int64_t layer,
                              std::int64_t head);

// The same of texts; `what` begins every sentence.
HeadVisConfig parse_headvis_config(std::string_view json, const std::string& what);
// One list of values a head of `config`, in its order.
std::vector<std::vector<double>> parse_headvis_scatter(std::string_view json, const HeadVisConfig& config,
                                                       const std::string& what);
HeadVisHead parse_headvis_head(std::string_view json, const HeadVisConfig& config, const std::string& what);

}  // namespace headscope
