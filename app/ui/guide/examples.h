// The tutorials of assets/examples: what each computes, and its mistakes at the places where they are seen.
#pragma once

#include <string>
#include <vector>

#include "app/ui/guide/callout.h"

namespace headscope::ui {

struct ExampleMistake {
  std::string id;      // "merge"
  CalloutPlace place;  // where it is seen
};

struct Example {
  std::string id;  // "000-fused-projection"
  Request request;
  StageId stage{};  // shown first
  std::vector<ExampleMistake> mistakes;
};

const std::vector<Example>& all_examples();

// Where the words of one stand in a language: "examples/ID/title" and ".../about"; "examples/ID/mistakes/MISTAKE/title"
// and ".../text".
const std::string& example_text(const Language& language, const Example& example, const char* what);
const std::string& mistake_text(const Language& language, const Example& example, const ExampleMistake& mistake,
                                const char* what);

// From the text of its file. Throws Error that names `id` and what is wrong.
Example parse_example(const std::string& id, const std::string& json);

// Opens one as a document and shows its first mistake; an unknown id does nothing.
void open_example(Ui& ui, const std::string& id);

// Over the panels, until it is closed or another document is open.
void draw_example_mistakes(Ui& ui, const Rect& window);

}  // namespace headscope::ui
