#include "app/session/corpus_example.h"

#include <optional>

namespace headscope {

std::string model_for(const CorpusRecord& record, const Request& current) {
  if (record.facts.model.starts_with("demo:")) return record.facts.model;
  const bool names_files = current.model != "seeded" && !current.model.starts_with("demo:");
  return names_files ? current.model : std::string();
}

Document example_document(const CorpusRecord& record, const ExamplePlace& place, const CorpusPhrase& phrase,
                          const Request& current, const ViewState& view) {
  const HeadRecord& of = record.heads[place.head];
  const CorpusExample& example = of.top[place.example];
  Document document{Request(), view, record.facts.model, std::nullopt};
  document.request.model = place.model;
  document.request.backend = current.backend;
  document.request.threads = current.threads;
  document.request.layer = of.layer;
  if (phrase.cut) {
    document.request.token_ids = phrase.ids;
  } else {
    document.request.phrase = document.given_phrase = phrase.text;
  }
  ViewState& shown = document.view;
  shown.main_view = MainView::layer;
  shown.stage = shown.quantity = StageId::weights;
  shown.heads_show = HeadsShow::grid;
  shown.batch = 0;
  shown.head = of.head;
  shown.cell = Cell{example.query, example.key};
  shown.viewport = shown.stage_viewport = {};
  shown.lesson.clear();
  return document;
}

}  // namespace headscope
