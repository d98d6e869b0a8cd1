// The files of attention alone: in whichever layout they are, packed or not, each in its own or all in one. Internal to
// core/model.
#pragma once

#include <string>
#include <vector>

#include "core/model/head_layouts.h"
#include "core/model/input_cache_state.h"
#include "core/request/mask.h"
#include "core/request/request.h"
#include "core/tensor/tensor.h"

namespace headscope {

struct HeadFiles {
  HeadArrays arrays;                             // [batch, heads, len, head_dim] each
  std::string query_path, key_path, value_path;  // how messages call them: "q.npy", "all.npz: q"
  std::vector<MaskFile> masks;        // that no term of the request names: of one file with all; of packed texts
  std::vector<std::string> readings;  // what was read in one of several ways, one sentence each
};

// Reads --query, --key and --value of a request that is attention alone. A query that names its arrays (array_file.h)
// stands for the others too, where they are not given, and for a mask, where no file of one is given. With lengths the
// texts become one batch item (packed_texts.h), in which a mask hides the keys of every other text: those of packed
// files [sum of the lengths, heads, head_dim], and the first places of every item of files with a batch. UsageError
// where a layout is not said and several fit, where none fits, or where the lengths do not add up.
HeadFiles read_head_files(const Request& request, InputCache::State& cache);

// --key-past or --value-past, `expected` [batch, kv_heads, past_len, head_dim] but for past_len: as `layout` says, or
// as alone fits, which `readings` then says.
Tensor past_file(const char* option, const std::string& path, HeadsLayout layout, const Shape& expected,
                 InputCache::State& cache, std::vector<std::string>& readings);

}  // namespace headscope
