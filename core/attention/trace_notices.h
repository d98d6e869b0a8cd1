// What a result has to say of itself besides its numbers, one line each: what was computed, read or taken in another
// way than the request may have meant.
#pragma once

#include <string>
#include <vector>

#include "core/attention/trace.h"

namespace headscope {

struct TraceNotice {
  std::string key;       // names the kind: "backend", "tokenizer", "patch", "reading", "left_out", "hidden_weight"
  std::string sentence;  // without a full stop
};

// In this order: that another backend computed; that no tokenizer of the model can be used; which positions a patch
// left alone; how each file was read that could have been read otherwise; what a model's files hold and is not used;
// the weight that hidden cells hold.
std::vector<TraceNotice> trace_notices(const Trace& trace);

}  // namespace headscope
