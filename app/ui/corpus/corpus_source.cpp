// Above the examples: which rows are listed, and where the words of their phrases come from.
#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "app/session/session.h"
#include "app/ui/corpus/corpus_panel.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {

float draw_examples_source(Ui& ui, const CorpusShown& shown, const Rect& area) {
  Rect line{area.min, {area.max.x, area.min.y + ui.px(size::control_height)}};
  if (shown.headvis != nullptr) {
    const std::string words = fmt::format("sequences of the folder, in {} intervals", shown.headvis->config.intervals);
    text_in(ui, line, Type::words12, ui.colors.text2, words);
    ui.mark("corpus/source: " + words, line);
    return line.max.y + ui.px(6);
  }
  if (button(
          ui, "corpus/list", take_right(line, ui.px(92), ui.px(8)), "Open list...",
          {true, false, "The list of phrases that was scanned: a file or a folder. Its digest says whether it is."})) {
    ui.push(CommandId::corpus_list);
  }
  int of = static_cast<int>(ui.session.view.corpus.examples);
  if (combo(
          ui, "corpus/examples_of", take_right(line, ui.px(104), ui.px(8)), {"strongest", "by tenths"}, of,
          {{true, false,
            "The strongest weight of a phrase, or rows that were drawn by chance for each tenth of the largest weight: "
            "what is extreme, or what is usual."},
           Type::words12})) {
    ui.session.view.corpus.examples = static_cast<ExamplesOf>(of);
    ui.session.view.corpus.example = 0;
  }
  const std::string file = std::filesystem::path(shown.list).filename().string();
  std::string words = "no list is open: examples have places and no words";
  Rgba ink = ui.colors.warn;
  if (shown.has_list == AtHand::yes) {
    words = "phrases of " + file;
    ink = ui.colors.text2;
  } else if (shown.has_list == AtHand::not_known_yet) {
    words = "reading " + file + " \u2026";
    ink = ui.colors.text2;
  } else if (!shown.list.empty()) {
    words = file + " is not the list that was scanned";
  }
  text_in(ui, line, Type::words12, ink, words);
  ui.mark("corpus/source: " + words, line);
  return line.max.y + ui.px(6);
}

}  // namespace headscope::ui
