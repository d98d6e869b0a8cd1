// The one spelling of every ViewSpec field: as command-line option, as key of session files (with _ for -), and back.
#pragma once

#include <string>
#include <string_view>
#include <vector>

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
};

// Every field of ViewSpec, in the order of session files (--against is not a field).
const std::vector<ViewOption>& view_options();
const ViewOption* find_view_option(std::string_view name);

// True when the view does not differ from ViewSpec{} in this option.
bool is_default(const ViewOption& option, const ViewSpec& view);

// JSON of the session file's "view": one key an option, only what differs from ViewSpec{}.
std::string view_json(const ViewSpec& view);

// One key of it, its value spelled as at the command line ("colormap", "magma"; "range", "-1,1"; "log", "on").
// Returns false for an unknown key; throws UsageError for a value that cannot be.
bool set_view_value(ViewSpec& view, std::string_view key, const std::string& text);

}  // namespace headscope
