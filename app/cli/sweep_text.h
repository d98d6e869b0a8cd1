// A sweep as text for the terminal and as JSON.
#pragma once

#include <string>

#include "core/sweep/sweep.h"

namespace headscope::cli {

// {"metric", "a", "b", "cells": [{layer, head, position, stage, value}]}: what does not apply is null; a is the metric
// of the run of --against, b of the request's. With an ablation "ablation": "zero" or "mean"; with estimates
// "correlation", and "estimate" in each cell (alone: value is null); of paths "from": {layer, head} in each cell, of
// neurons "neuron".
std::string sweep_json(const Sweep& sweep, const SweepQuestion& question, SweepDirection direction);

// A table: layers by heads, positions by layers or heads, stages by layers, or stages of layers by heads, and of
// neurons a list of those that change most; one more of estimates; the cell that changes most.
std::string sweep_text(const Sweep& sweep, const SweepQuestion& question, SweepDirection direction);

}  // namespace headscope::cli
