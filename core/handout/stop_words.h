// What is said of a stop in our own words. Internal to core/handout.
#pragma once

#include <string>

#include "core/base/cancel.h"
#include "core/handout/found_stop.h"
#include "core/handout/stop_map.h"

namespace headscope {

// "Layer 1, head 3." or, of one layer, "Head 3.", and what the picked row looks at; without a row the largest weight of
// the rows that have a choice, or the largest number of another stage. Numbers have three decimals; positions count
// from 0. Throws Cancelled.
std::string fact_words(const FoundStop& stop, const CancelToken& cancel = {});

// What the colours and marks of the map say, and which part of it is drawn.
std::string map_words(const FoundStop& stop, const StopMap& map);

}  // namespace headscope
