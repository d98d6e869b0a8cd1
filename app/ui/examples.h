// The tutorials of assets/examples: what each computes, and its mistakes at the places where they are seen.
#pragma once

#include <string>
#include <vector>

#include "app/ui/ui.h"

namespace headscope::ui {

struct ExampleMistake {
  std::string title, text;
  StageId stage{};                    // where it is seen
  std::vector<std::string> controls;  // what is pointed at, see Callout
};

struct Example {
  std::string id;  // "000-fused-projection"
  std::string title, about;
  Request request;
  StageId stage{};  // shown first
  std::vector<ExampleMistake> mistakes;
};

const std::vector<Example>& all_examples();

// From the text of its file. Throws Error that names `id` and what is wrong.
Example parse_example(const std::string& id, const std::string& json);

// Opens one as a document and shows its first mistake; an unknown id does nothing.
void open_example(Ui& ui, const std::string& id);

// Over the panels, until it is closed or another document is open.
void draw_example_mistakes(Ui& ui, const Rect& window);

}  // namespace headscope::ui
