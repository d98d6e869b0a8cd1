// Opens files that the user gives by argument, menu or drop.
#pragma once

#include <optional>
#include <string>

#include "app/session/document_identity.h"
#include "app/session/view_state.h"
#include "core/base/cancel.h"
#include "core/request/request.h"

namespace headscope {

struct TensorFile;

// The kind of a file, recognised by its content; by its name only when the content does not tell. Throws Error when the
// file is missing or of no known kind.
// safetensors, torch: tensors by name, safetensors or what torch.save wrote.
// page: HTML that Headscope wrote.
enum class FileKind { folder, png, jpeg, svg, pdf, page, npy, npz, safetensors, torch, gguf, json };
FileKind file_kind(const std::string& path);

struct Document {
  Request request;
  ViewState view;
  std::string title;                // for the window: "animal-street.json"
  std::optional<Request> against;   // of a picture of a difference: the other result's request; else nullopt
  std::optional<Theme> theme = {};  // of a picture or a session; nullopt: the file keeps no view
  std::string given_phrase = {};    // as DocumentIdentity::given_phrase
  DocumentIdentity identity() const { return {title, given_phrase}; }
};

// The model of the window's first start, and of a command line that names none: a shipped demo that reads any text.
inline constexpr const char* kDefaultModel = "demo:stories";

// A session (.json), a picture exported by Headscope (.png, .svg, .pdf, .html), one attention layer (.safetensors, or a
// file of torch.save; keeps `current`'s phrase), a capture (.safetensors, .npz, .pt), an .npy (becomes --input, or a
// capture when its rows add up to 1 or it has 5 axes), a text (.txt; becomes the phrase), what a scan has counted
// (.hsagg, or a folder that HeadVis shows; the request stays, the view shows the corpus), a checkpoint folder or GGUF
// model (becomes --model, with `current`'s phrase and all other options as the model was trained; so does demo:NAME),
// or "seeded" (seeded_document). What else --model takes is opened too: the name of a model in the hub's cache, and
// "MODEL with adapter DIR". A demo that has a DemoStart brings its own phrase where `current` has none, or has the
// `given_phrase` that no user typed. Throws Error.
Document open_document(const std::string& path, const Request& current, const ViewState& view,
                       const std::string& given_phrase = "");

// The JSON of a session file, or of a picture's recipe; `title` names it. Throws as parse_session() does.
Document open_session_text(const std::string& json, const std::string& title, const ViewState& view);

// A text file as the phrase of `current`, which names the tokens where that is of a capture; other inputs are
// forgotten. Throws as read_phrase_file().
Document open_phrase(const std::string& path, const Request& current, const ViewState& view);

// One layer of seeded weights on `current`'s phrase; what computes stays, all other options are the defaults.
Document seeded_document(const Request& current, const ViewState& view, const std::string& given_phrase);

// A new session: "Hola mi nombre es Alex", d_model 512, 8 heads, causal, seeded.
Document demo_document();

// The document of the first start: kDefaultModel as it opens; demo_document() when the demo is not installed.
Document first_document();

}  // namespace headscope
