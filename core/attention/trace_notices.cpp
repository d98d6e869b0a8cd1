#include "core/attention/trace_notices.h"

#include <utility>

#include "core/attention/hidden_weight.h"
#include "core/attention/patches.h"
#include "core/model/checkpoint.h"
#include "core/model/checkpoint_readings.h"

namespace headscope {

std::vector<TraceNotice> trace_notices(const Trace& trace) {
  std::vector<TraceNotice> notices;
  const auto add = [&](const char* key, std::string sentence) {
    if (!sentence.empty()) notices.push_back({key, std::move(sentence)});
  };
  add("backend", trace.notice);
  const Inputs& inputs = *trace.inputs;
  const std::string unknown = inputs.checkpoint == nullptr ? "" : inputs.checkpoint->unknown_tokenizer();
  if (!unknown.empty()) add("tokenizer", "the model has no tokenizer that can be used: " + unknown);
  if (inputs.patches != nullptr) add("patch", inputs.patches->notice);
  for (const std::string& reading : trace.readings) add("reading", reading);
  if (inputs.checkpoint != nullptr) {
    for (const std::string& reading : checkpoint_readings(*inputs.checkpoint)) add("left_out", reading);
  }
  add("hidden_weight", hidden_weight_sentence(trace));
  return notices;
}

}  // namespace headscope
