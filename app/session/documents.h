// Opening what a user hands over: by argument, menu or drop.
#pragma once

#include <optional>
#include <string>

#include "app/session/view_state.h"
#include "core/request/request.h"

namespace headscope {

class SafetensorsFile;

// What a path holds, by its content; by its name only when the content says nothing. Throws Error when it is missing
// or none of these.
enum class FileKind { folder, png, svg, npy, safetensors, json };
FileKind file_kind(const std::string& path);

// Whether it holds layers.N.weights or layers.N.query: another engine's attention.
bool is_capture(const SafetensorsFile& file);

struct Document {
  Request request;
  ViewState view;
  std::string title;               // for the window: "animal-street.json"
  std::optional<Request> against;  // of a picture of a difference: the other result's
};

// What a request runs that says nothing of its model: the shipped demo (the first start, and the command line).
inline constexpr const char* kDefaultModel = "demo:pronouns";

// A session (.json), a picture exported by Headscope (.png), one attention layer (.safetensors; keeps `current`'s
// phrase), a capture (.safetensors), an .npy (becomes --input, or a capture when its rows add up to 1), a checkpoint
// folder (becomes --model, with `current`'s phrase and everything else as the model was trained; so does demo:NAME).
Document open_document(const std::string& path, const Request& current, const ViewState& view);

// A text file as the phrase of `current`; other inputs are forgotten. Throws as read_phrase_file().
Document open_phrase(const std::string& path, const Request& current, const ViewState& view);

// What a new session is: "Hola mi nombre es Alex", d_model 512, 8 heads, causal, seeded.
Document demo_document();

// What the first start shows: kDefaultModel with 'it' going to the noun that it stands for; where the demo was not
// installed, demo_document().
Document first_document();

}  // namespace headscope
