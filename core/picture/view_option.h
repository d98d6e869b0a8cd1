// A row of the table of VIEW.
#pragma once

#include <string>

#include "core/picture/view_reach.h"
#include "core/picture/view_spec.h"

namespace headscope {

// One option of VIEW. `get` gives the value as typed on the command line, "" where nothing is chosen and no word says
// so; `set` parses it and throws UsageError, naming the option, what was found and what was expected; the view is then
// as it was.
struct ViewOption {
  enum class Json { text, whole, real, flag };  // what its value is in a session file

  const char* name;         // "heads-shown"
  std::string placeholder;  // "all|none|H[,H]"; "" for a flag
  const char* help;         // one sentence
  std::string (*get)(const ViewSpec&);
  void (*set)(ViewSpec&, const std::string& text);
  Json json = Json::text;
  bool on_command_line = true;  // else of session files alone
  ViewReach reach = {};         // where it does something
};

}  // namespace headscope
