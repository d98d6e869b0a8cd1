#include "app/ui/widgets/fitting_words.h"

#include <cstddef>

#include "app/ui/widgets/widgets.h"
#include "core/base/utf8.h"

namespace headscope::ui {

std::string fitting_words(Ui& ui, Type type, float width, std::initializer_list<std::string> ways) {
  for (const std::string& way : ways) {
    if (text_width(ui, type, given(said(ui, type, way, width))) <= width) return way;
  }
  return ways.size() > 0 ? *(ways.end() - 1) : std::string();
}

std::string ending_of(Ui& ui, Type type, std::string_view name, float width) {
  if (text_width(ui, type, given(name)) <= width) return std::string(name);
  std::string ending = "…";
  for (std::size_t at = next_grapheme(name, 0); at < name.size(); at = next_grapheme(name, at)) {
    ending = "…" + std::string(name.substr(at));
    if (text_width(ui, type, given(ending)) <= width) break;
  }
  return ending;
}

}  // namespace headscope::ui
