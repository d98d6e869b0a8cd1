// REQUEST on the command line: a saved session as the start, options over it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/cli/arguments.h"
#include "core/picture/view_spec.h"
#include "core/request/request.h"

namespace headscope::cli {

// Every option of REQUEST, from request_options(), plus --session, --phrase-file and --stage-memory.
OptionGroup request_group();

// --stage-memory MIB in bytes, or what the engine keeps by default. Throws UsageError.
std::int64_t stage_memory_of(const Arguments& arguments);

struct GivenRequest {
  Request request;
  std::optional<ViewSpec> view;    // of the session
  std::optional<Request> against;  // of a difference's recipe
};

// The session is the start wherever it stands in the line; an option that names another source of the same thing
// (--input over a saved phrase, --weights over a saved model) replaces it. Throws UsageError, and Error for files.
GivenRequest given_request(const Arguments& arguments);

// The other request that is held against this one: of the session or picture that --against names, or of this one's
// recipe. UsageError when there is none (`expected` says what is missing) or it cannot run.
Request request_against(const Arguments& arguments, const GivenRequest& request, const std::string& expected);

}  // namespace headscope::cli
