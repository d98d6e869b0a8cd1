// Opens files that the user gives by argument, menu or drop.
#pragma once

#include <optional>
#include <string>

#include "app/session/view_state.h"
#include "core/request/request.h"

namespace headscope {

class SafetensorsFile;

// The kind of a file, recognised by its content; by its name only when the content does not tell. Throws Error when the
// file is missing or of no known kind.
enum class FileKind { folder, png, svg, npy, safetensors, json };
FileKind file_kind(const std::string& path);

// Whether the file holds layers.N.weights or layers.N.query: attention that another program computed.
bool is_capture(const SafetensorsFile& file);

struct Document {
  Request request;
  ViewState view;
  std::string title;                // for the window: "animal-street.json"
  std::optional<Request> against;   // of a picture of a difference: the other result's request; else nullopt
  std::optional<Theme> theme = {};  // of a picture or a session; nullopt: the file keeps no view
};

// The model of a request that names none, at the first start and on the command line: a shipped demo.
inline constexpr const char* kDefaultModel = "demo:pronouns";

// A session (.json), a picture exported by Headscope (.png), one attention layer (.safetensors; keeps `current`'s
// phrase), a capture (.safetensors), an .npy (becomes --input, or a capture when its rows add up to 1), a checkpoint
// folder (becomes --model, with `current`'s phrase and all other options as the model was trained; so does demo:NAME).
// Throws Error.
Document open_document(const std::string& path, const Request& current, const ViewState& view);

// A text file as the phrase of `current`; other inputs are forgotten. Throws as read_phrase_file().
Document open_phrase(const std::string& path, const Request& current, const ViewState& view);

// A new session: "Hola mi nombre es Alex", d_model 512, 8 heads, causal, seeded.
Document demo_document();

// The document of the first start: kDefaultModel on a text where 'it' attends to the noun that it stands for;
// demo_document() when the demo is not installed.
Document first_document();

}  // namespace headscope
