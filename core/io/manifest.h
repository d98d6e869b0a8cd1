// manifest.json: what a run computed and where each number was written.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/attention/trace.h"

namespace headscope {

// request, version, tokens, key_tokens, backend, fully_masked_rows, weights_sha256, seconds, and for every stage its
// name, shape, dtype ("float32"), operation, files, min, max, mean, std, l2_norm, nan_count, inf_count, seconds.
// `files` lists the file names by stage; a stage without any has an empty list. Numbers that are not finite are the
// strings "nan", "inf", "-inf".
std::string manifest_json(const Trace& trace, const std::map<StageId, std::vector<std::string>>& files);

}  // namespace headscope
