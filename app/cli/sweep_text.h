// A sweep as text for the terminal, as JSON and as CSV.
#pragma once

#include <string>

#include "core/sweep/sweep.h"

namespace headscope::cli {

// {"metric", "a", "b", "cells": [{layer, head, position, stage, value}]}: what does not apply is null; a is the metric
// of the run of --against, b of the request's. With an ablation "ablation": "zero" or "mean"; with estimates
// "correlation", and "estimate" in each cell (alone: value is null); of paths "from": {layer, head} in each cell.
std::string sweep_json(const Sweep& sweep, const SweepQuestion& question, SweepDirection direction);

// layer,head,position,stage,value: a line a cell, empty where something does not apply; with estimates a column more,
// of paths from_layer,from_head.
std::string sweep_csv(const Sweep& sweep);

// A table: layers by heads, positions by layers, stages by layers, or stages of layers by heads; one more of estimates;
// the cell that changes most.
std::string sweep_text(const Sweep& sweep, const SweepQuestion& question, SweepDirection direction);

}  // namespace headscope::cli
