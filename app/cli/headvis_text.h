// What `report` says of a HeadVis tree.
#pragma once

#include <string>

#include "core/base/cancel.h"

namespace headscope::cli {

// Reads the whole tree, one head's file after the other; one that is missing is an Error. Error as its readers;
// Cancelled. {format, model, layers, heads_per_layer, intervals, metrics, descriptions, heads:[{layer, head,
// metrics:{NAME: value},
//  sequences, intervals:[sequences of each], longest, max_activation, histograms:{KEY:{edges, counts}},
//  tables:{KEY:[{token, weight}]}, statistics}]}
std::string headvis_json_text(const std::string& folder, const CancelToken& cancel);
// A line a head, of config.json and scatter_data.json alone: the files of heads may be gigabytes.
std::string headvis_table_text(const std::string& folder, const CancelToken& cancel);

// Writes heads.csv into the folder `out`, which is made where it is missing: layer, head and the metrics, ours by our
// names. What heads_csv() gives of the table that the window shows. Error as read_headvis_tree(), and for files.
void write_headvis_csv(const std::string& folder, const std::string& out);

}  // namespace headscope::cli
