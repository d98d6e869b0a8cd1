// The sentences of terms below tooltips: the room of the guide knows them, and every control shows them.
#pragma once

#include <string>
#include <string_view>

namespace headscope::ui {

struct Ui;

// Filled in once by the shell, for interact_mouse().
struct TermTips {
  // The sentence that explains the term for which a control of this name stands; "" for none.
  std::string (*sentence_of)(const Ui& ui, std::string_view control) = nullptr;
};

}  // namespace headscope::ui
