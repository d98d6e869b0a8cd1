// The one spelling of every Request field: as command-line option, as session key (with _ for -), and back.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/attention/request.h"
#include "core/error.h"

namespace headscope {

// One option of REQUEST. `get` gives the value as typed on the command line, "" when it is at its default;
// `set` parses it and throws UsageError, naming the option, what was found and what was expected.
struct RequestOption {
  const char* name;         // "mask-order"
  const char* placeholder;  // "after-scale|before-scale"
  const char* help;         // one sentence
  std::string (*get)(const Request&);
  void (*set)(Request&, const std::string& text);
};

// Every option that is a field of Request, in the contract's order (--session and --phrase-file are not fields).
const std::vector<RequestOption>& request_options();
const RequestOption* find_request_option(std::string_view name);

// Only what differs from the defaults: {"--mask", "causal", "--heads", "4", ...}, unquoted.
std::vector<std::string> command_line_of(const Request& request);

// The same as one line that a POSIX shell reads back, values quoted where needed.
std::string shell_command_of(const Request& request, std::string_view command);

// "causal,padding:2", "none".
std::string mask_text(const std::vector<MaskTerm>& mask);

}  // namespace headscope
