// The steps of a part of tokenizer.json. Internal to core/text.
#pragma once

#include <string_view>

#include "core/text/json_part.h"

namespace headscope {

// f(step) for `part`, or for each of a Sequence's, whose list is called `list`; nothing for a part that is not there.
template <typename F>
void each_step(const JsonPart& part, std::string_view list, F&& f) {
  if (!part.present()) return;
  if (part.at("type").text() != "Sequence") return f(part);
  for (const JsonPart& step : part.at(list).items()) each_step(step, list, f);
}

}  // namespace headscope
