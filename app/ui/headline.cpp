#include "app/ui/headline.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/session/session.h"
#include "app/ui/head_effect.h"
#include "app/ui/panel_data.h"
#include "app/ui/request/head_changes.h"
#include "app/ui/stage_facts.h"
#include "app/ui/view_head.h"
#include "core/attention/model_trace.h"
#include "core/heads/look_sentence.h"
#include "core/model/checkpoint.h"

namespace headscope::ui {
namespace {

// A sentence that grows, with the words of it that can be clicked.
struct Sentence {
  std::string words;
  std::vector<FindingLink> links = {};

  void add(const std::string& text) { words += text; }
  void add_link(const std::string& text, FindingLink link) {
    link.at = words.size();
    link.length = text.size();
    words += text;
    links.push_back(std::move(link));
  }
};

void show_cell(Ui& ui, const Cell& cell) {
  select_stage(ui.session.view, StageId::weights);
  ui.session.view.cell = cell;
}

// Where the head looks: its words pick the cell of their tokens.
void add_look(Sentence& sentence, const std::vector<LookPiece>& pieces, const Cell& cell) {
  using Role = LookPiece::Role;
  using Ink = FindingLink::Ink;
  int keys = 0;
  for (const LookPiece& piece : pieces) {
    const auto link = [&](const char* name, Ink ink, const char* tooltip, const Cell& to) {
      sentence.add_link(piece.text,
                        {.name = name, .ink = ink, .is_said = piece.is_said, .tooltip = tooltip, .go = [to](Ui& ui) {
                           show_cell(ui, to);
                         }});
    };
    switch (piece.role) {
      case Role::words:
        sentence.add(piece.text);
        break;
      case Role::query:
        link("query", Ink::query, "The word that looks: its row. A click picks the cell of this sentence.", cell);
        break;
      case Role::key:
        link(keys++ == 0 ? "key" : "key_again", Ink::key,
             "The word that is looked at: its column. A click picks the cell of this sentence.", cell);
        break;
      case Role::earlier:
        link("earlier", Ink::word, "A click picks the cell of the same row at this word.", {cell.row, piece.at});
        break;
      case Role::share:
        link("share", Ink::number, "This weight. A click picks its cell, and the inspector says where it comes from.",
             cell);
        break;
    }
  }
}

std::string percent(double probability) {
  return fmt::format("{:.0f}", 100 * probability);
}

// " The model goes on with book, 87 %; without this head 80 %."; nothing where no model says a word, or it is not known
// yet.
void add_goes_on(Ui& ui, Sentence& sentence, const Selection& selection) {
  const std::shared_ptr<const HeadEffect> effect = head_effect(ui);
  if (effect == nullptr || !effect->next_token) return;
  const TokenProbability& first = effect->top.front();
  sentence.add(fmt::format(" The model goes on with {}, ", without_blanks(first.piece)));
  sentence.add_link(percent(first.probability),
                    {.name = "goes_on",
                     .tooltip = "The probability of this word. A click opens the lens, which says who made it.",
                     .go = [](Ui& to) { to.push(CommandId::toggle_lens); }});
  sentence.add(" %");
  if (!effect->without.empty() && std::isfinite(effect->without.front())) {
    sentence.add("; without this head ");
    const LayerHead place{shown_layer(ui), selection.head};
    sentence.add_link(percent(effect->without.front()),
                      {.name = "without",
                       .tooltip = "Its probability when this head alone is switched off. A click switches it off.",
                       .go = [place](Ui& to) { switch_head(to, place); }});
    sentence.add(" %");
  }
  sentence.add(".");
}

}  // namespace

void say_headline(Ui& ui) {
  PanelData* data = panel_data(ui);
  if (data == nullptr) return say_finding(ui, MainView::layer, "");
  const std::shared_ptr<const Trace>& trace = data->shared_trace();
  const Selection selection = selection_of(ui.session.view, *trace);
  const std::optional<Cell> cell = looked_at(*data, selection);
  Sentence sentence;
  if (cell) {
    add_look(sentence, look_pieces(*trace, selection.batch, selection.head, cell->row, cell->column), *cell);
  }
  if (sentence.words.empty()) return say_finding(ui, MainView::layer, "");
  const std::string heading = trace->model != nullptr
                                  ? fmt::format("Layer {}, head {}:", trace->inputs->layer, selection.head)
                                  : fmt::format("Head {}:", selection.head);
  add_goes_on(ui, sentence, selection);
  const bool projects = trace->find(StageId::qkv) != nullptr || trace->find(StageId::query_proj) != nullptr;
  const bool random = projects && trace->inputs->checkpoint == nullptr && trace->request.weights.empty() &&
                      trace->request.model == "seeded";
  if (random) sentence.add(" The weights are random: this shows how it is computed, not what a model learned.");
  say_finding(ui, MainView::layer, sentence.words, heading, std::move(sentence.links));
}

}  // namespace headscope::ui
