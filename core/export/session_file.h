// Requests and views as JSON: session files, the recipe inside pictures, the manifest's "request".
#pragma once

#include <optional>
#include <string>

#include "core/picture/view_spec.h"
#include "core/request/request.h"

namespace headscope {

struct SessionFile {
  Request request;
  std::optional<ViewSpec> view;
  std::optional<Request> against;  // of a difference's recipe: the request of A, from which B is subtracted
  std::string theirs;              // of a difference's recipe: the file of a stage of other code; else ""
  std::string weights_sha256;      // of a picture's recipe: the weights of the picture; else ""
  std::string window;              // what the window shows besides `view`, a JSON object that it alone reads; else ""
};

// {"headscope": VERSION, "phrase": ..., "mask_order": ..., "view": {...}}: the keys of REQUEST with _ for -, only what
// differs from the defaults, values spelled as at the command line (numbers as JSON numbers). `window`: the object at
// "window"; "" for none.
std::string session_json(const Request& request, const std::optional<ViewSpec>& view, const std::string& window = "");

// The request's keys alone as a JSON object, for the manifest.
std::string request_json(const Request& request);

// A top-level "sha256", which the recipe of a picture has, changes neither request nor view; "against" is another
// request, "theirs" the name of a file. Accepts numbers as strings and lists for comma-separated values. Error names
// the unknown key, the wrong type, or the byte where the JSON is malformed; duplicate keys, a BOM, NULs and trailing
// bytes are refused. `what` names the source.
SessionFile parse_session(const std::string& json, const std::string& what);

// Reads a session file (.json) or the recipe in a picture (.png, .svg, .pdf, .html). Error when a picture has no
// recipe.
SessionFile read_session(const std::string& path);

}  // namespace headscope
