// `sweep --pairs`: a sweep over many pairs of texts.
#pragma once

#include <string>

#include "app/cli/arguments.h"
#include "core/base/cancel.h"
#include "core/sweep/pair_sweep.h"

namespace headscope::cli {

// Runs and prints it. `asked` has what is patched and measured; its request is made here. UsageError for an option that
// says what the pairs say, and as pair_sweep(); Error as read_text_pairs().
void run_pair_sweep(const Arguments& given, SweepQuestion asked, const CancelToken& cancel);

// {metric, pairs, a, b, cells: [{layer, head, position, stage, mean, standard_error, same_sign, change}]}; a, b and
// change are {mean, standard_error, same_sign} too: of the runs of the clean texts, of the corrupt ones, and of what a
// patch changes. Of estimates "estimated": true; of neurons "neuron", of paths "from": {layer, head} in each cell.
std::string pair_sweep_json(const PairSweep& found, const PairQuestion& question);

// A line a cell; of very many those whose change is largest.
std::string pair_sweep_text(const PairSweep& found, const PairQuestion& question);

}  // namespace headscope::cli
