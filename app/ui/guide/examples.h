// The examples of assets/examples: tutorials with their mistakes and the places where these are visible, and demos.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/guide/callout.h"

namespace headscope::ui {

struct ExampleMistake {
  std::string id;      // "merge"
  CalloutPlace place;  // where it is visible
};

struct Example {
  std::string id;  // "000-fused-projection"
  Request request;
  StageId stage{};  // shown first
  std::int64_t head = 0;
  std::optional<Cell> cell = {};         // picked first
  std::optional<ViewState> view = {};    // its main view, and what that view is asked; nullopt: one layer
  std::vector<ExampleMistake> mistakes;  // of a tutorial; a demo has none
};

const std::vector<Example>& all_examples();

// The example that is open.
struct ExampleState {
  std::string id;                      // "": none
  std::string title;                   // of the document, as it was opened
  std::optional<std::size_t> mistake;  // index of the one that is shown; nullopt: the first one still has to be
};

// The texts of an example in a language, by the keys "examples/ID/title" and ".../about";
// "examples/ID/mistakes/MISTAKE/title" and ".../text".
const std::string& example_text(const Language& language, const Example& example, const char* what);
const std::string& mistake_text(const Language& language, const Example& example, const ExampleMistake& mistake,
                                const char* what);

// An example from the text of its file. Throws Error that names `id` and what is wrong.
Example parse_example(const std::string& id, const std::string& json);

// Opens an example as a document and shows its first mistake; does nothing for an unknown id.
void open_example(Ui& ui, const std::string& id);

// Draws the callout of the mistakes over the panels, until the user closes it or opens another document.
void draw_example_mistakes(Ui& ui, const Rect& window);

}  // namespace headscope::ui
