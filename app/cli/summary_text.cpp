#include "app/cli/summary_text.h"

#include <fmt/format.h>

#include "app/cli/output.h"
#include "core/heads/head_words.h"
#include "core/heads/shown_weights.h"

namespace headscope::cli {

std::string summary_text(const Trace& computed, const CancelToken& cancel) {
  const AsShown shown(computed, HiddenColumns::zero);
  const Trace& trace = shown.trace();
  const Inputs& inputs = *trace.inputs;
  std::string text;
  for (std::int64_t batch = 0; batch < inputs.batch; ++batch) {
    if (inputs.batch > 1) text += fmt::format("batch {}\n", batch);
    for (std::int64_t head = 0; head < inputs.num_heads; ++head) {
      const HeadWords words = head_words(trace, batch, head, cancel);
      text += printable(words.head) + '\n';
      for (const std::string& row : words.rows) text += "  " + printable(row) + '\n';
    }
  }
  return text;
}

}  // namespace headscope::cli
