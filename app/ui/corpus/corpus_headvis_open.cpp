// A sequence of HeadVis's folder in the microscope: on the model that is open, whose tokens they have to be.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "app/session/corpus_example.h"
#include "app/session/session.h"
#include "app/ui/corpus/corpus_panel.h"
#include "app/ui/widgets/widgets.h"
#include "core/headvis/sequence_ids.h"

namespace headscope::ui {

void find_headvis_model(Ui& ui, CorpusShown& shown) {
  shown.model = model_for(*shown.record, ui.session.draft);
  if (shown.model.empty()) return;
  const CorpusModelQuery query{shown.record, shown.model};
  const auto result = ui.session.background.corpus_models.want(query);
  if (result == nullptr || !(result->question == query)) {
    shown.has_model = AtHand::not_known_yet;
    return;
  }
  shown.has_model = result->answer ? AtHand::yes : AtHand::no;
  if (result->answer) shown.tokenizer = *result->answer;
  shown.model_problem = result->failure;
}

std::string headvis_obstacle(const CorpusShown& shown) {
  if (shown.headvis_head == nullptr) return "The file of this head is being read.";
  if (!shown.headvis_head->failure.empty()) return shown.headvis_head->failure;
  if (shown.examples->empty()) return "The folder has no sequence of this head.";
  if (shown.has_model == AtHand::yes) return "";
  if (shown.has_model == AtHand::not_known_yet) return "The model is being opened.";
  if (!shown.model_problem.empty()) return shown.model_problem;
  return fmt::format("HeadVis's folder holds no weights: open the model first, {} (File, Open folder).",
                     shown.record->facts.model);
}

void open_sequence(Ui& ui, const CorpusShown& shown) {
  const CorpusPhrase& phrase = (*shown.texts->answer)[shown.example];
  const SequenceIds found = sequence_ids(*shown.tokenizer, phrase.pieces, phrase.text);
  if (!found.problem.empty()) {
    put_notice(ui.state, {Notice::Kind::info, "Not opened.",
                          fmt::format("{} is not the model of this sequence: {}.", shown.model, found.problem),
                          "corpus/example"});
    return;
  }
  const CorpusExample& example = (*shown.examples)[shown.example];
  const HeadTable::Head& head = shown.table->heads[shown.head];
  open_in_microscope(
      ui,
      sequence_document(
          {{head.layer, head.head}, {example.query, example.key}, shown.record->facts.model, shown.model, found.ids},
          ui.session.draft, ui.session.view));
  put_notice(ui.state, {Notice::Kind::info, "Opened on " + shown.model + ".",
                        "HeadVis's folder has no digest of its model: compare a weight before you trust that they are "
                        "the same.",
                        "opened sequence"});
}

}  // namespace headscope::ui
