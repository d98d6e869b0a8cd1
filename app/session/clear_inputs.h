// Takes back what a request says of its inputs, when others take their place.
#pragma once

#include "core/request/request.h"

namespace headscope {

// Keys and values before the others have the sizes of what they stood before.
void clear_past(Request& request);

// What is said of a decoder is said to the model that has one.
void clear_decoder(Request& request);

// Phrases, ids, images and files, and what stands before them. The decoder's text stays.
void clear_inputs(Request& request);

}  // namespace headscope
