// REQUEST on the command line: a saved session as the start, options over it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/cli/arguments.h"
#include "core/export/session_file.h"
#include "core/picture/view_spec.h"
#include "core/request/request.h"

namespace headscope::cli {

// Every option of REQUEST, from request_options(), plus --session, --phrase-file and --stage-memory.
OptionGroup request_group();

// --stage-memory MIB in bytes; the engine's default when not given. Throws UsageError.
std::int64_t stage_memory_of(const Arguments& arguments);

struct GivenRequest {
  Request request;
  std::optional<ViewSpec> view;    // of the session; nullopt when it has none
  std::optional<Request> against;  // of a difference's recipe, else nullopt
};

// Starts from the session, wherever --session is in the line; options replace its values, and an option that names
// another source replaces the saved one (--input a saved phrase, --weights a saved model). Throws UsageError, also for
// an option of the command line that does nothing for this request, ProblemError, and Error for files. A picture of the
// heads of a corpus is no session to start from: UsageError.
GivenRequest given_request(const Arguments& arguments);
// The same from a session that has been read; nullopt: there is none.
GivenRequest given_request(const Arguments& arguments, std::optional<SessionFile> session);

// The other request that this one is compared with: from the session or picture that --against names, or from this
// one's recipe. UsageError when there is none (`expected` says what is missing) or it cannot run.
Request request_against(const Arguments& arguments, const GivenRequest& request, const std::string& expected);

}  // namespace headscope::cli
