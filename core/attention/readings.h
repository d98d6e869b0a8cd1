// Files and options that could have been meant otherwise than they were taken: one sentence each says how they were
// read and what the other reading would be.
#pragma once

#include <string>
#include <vector>

#include "core/model/inputs.h"
#include "core/request/request.h"
#include "core/tensor/shape.h"

namespace headscope {

// Of the request's mask files: numbers of only 0 and 1 that are added to the scores, though nothing says that they are;
// an axis that may be that of batch items as well as that of queries or heads. Of masks that follow the diagonal: where
// it starts when there are not as many queries as keys.
std::vector<std::string> readings_of(const Request& request, const Inputs& inputs);

// How a mask of this shape has to be given when its first axis is that of batch items: "[2, 6] is [batch, key_len], the
// shape of a key_padding_mask: give it with --mask-kind key-keep ...; or as [2, 1, 1, 6]". "" where it is not.
// `scores`: [batch, heads, query_len, key_len].
std::string mask_of_batch_items(const Shape& mask, const Shape& scores);

}  // namespace headscope
