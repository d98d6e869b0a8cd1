// The one spelling of every Request field: as command-line option, as session key (with _ for -), and back.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/request/option_reach.h"
#include "core/request/option_scope.h"
#include "core/request/request.h"

namespace headscope {

// One option of REQUEST. `get` gives the value as typed on the command line, "" when it is at its default;
// `set` parses it and throws UsageError, naming the option, what was found and what was expected; the request is then
// unchanged.
struct RequestOption {
  const char* name;         // "mask-order"
  const char* placeholder;  // "after-scale|before-scale"; "" for a flag
  const char* help;         // one sentence
  std::string (*get)(const Request&);
  void (*set)(Request&, const std::string& text);
  bool numeric = false;    // its values are numbers (some also take a word: auto, off, -inf)
  OptionReach reach = {};  // what a run may take from one with another value
  OptionScope scope = {};  // on which requests it acts
};

// Every option that is a field of Request, in the contract's order (--session and --phrase-file are not fields).
const std::vector<RequestOption>& request_options();
// The option of that name; null when there is none.
const RequestOption* find_request_option(std::string_view name);

// Whether its name alone says all on the command line: its placeholder is "", and its value, where it is given, "on".
bool is_flag(const RequestOption& option);

// True when the request differs from Request{} in this option. (An empty --key-phrase is given, though `get` is "".)
bool is_given(const RequestOption& option, const Request& request);

// Only what differs from the defaults: {"--mask", "causal", "--heads", "4", ...}, unquoted.
std::vector<std::string> command_line_of(const Request& request);

// The same as one line that a POSIX shell reads back, values quoted where needed: `command` unchanged, then the options
// that act on the request, for a command line refuses others. "headscope-cli run --phrase 'a b' --mask causal".
std::string shell_command_of(const Request& request, std::string_view command);

// One word as a POSIX shell reads it back: 'it'\''s'; unchanged when no character of it is special.
std::string shell_quoted(std::string_view word);

// "causal,padding:2", "none".
std::string mask_text(const std::vector<MaskTerm>& mask);

// "no-scale": as --variant spells it.
std::string_view variant_name(Variant variant);

}  // namespace headscope
