#include "app/cli/torch_trace.h"

#include <fmt/format.h>

namespace headscope::cli {

std::string torch_trace_text(const Trace& trace) {
  const auto size = [&trace](StageId stage) { return "torch.Size(" + to_string(trace.tensor(stage).shape()) + ")"; };
  const auto line = [&](const char* name, StageId stage) {
    return trace.find(stage) == nullptr ? "" : fmt::format("{}.size(): {}\n", name, size(stage));
  };
  std::string text = line("x", StageId::input);
  for (const StageId stage : {StageId::qkv, StageId::qkv_split, StageId::qkv_heads}) text += line("qkv", stage);
  text += fmt::format("q size: {}, k size: {}, v size: {}, \n", size(StageId::query), size(StageId::key),
                      size(StageId::value));
  text += fmt::format("values.size(): {}, attention.size:{} \n", size(StageId::context), size(StageId::weights));
  text += line("values", StageId::concat);
  text += line("out", StageId::output);
  return text;
}

}  // namespace headscope::cli
