// What `report` says of a HeadVis tree.
#pragma once

#include <string>

#include "core/base/cancel.h"

namespace headscope::cli {

// Reads the whole tree, one head's file after the other. Error as its readers; Cancelled.
// {format, model, layers, heads_per_layer, intervals, metrics, descriptions, heads:[{layer, head, metrics:{NAME:
// value},
//  sequences, intervals:[sequences of each], longest, max_activation, histograms:{KEY:{edges, counts}},
//  tables:{KEY:[{token, weight}]}, statistics}]}
std::string headvis_json_text(const std::string& folder, const CancelToken& cancel);
// A line a head.
std::string headvis_table_text(const std::string& folder, const CancelToken& cancel);

}  // namespace headscope::cli
