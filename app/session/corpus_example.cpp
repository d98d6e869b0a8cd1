#include "app/session/corpus_example.h"

#include <optional>

#include "core/request/model_text.h"

namespace headscope {

std::string model_for(const CorpusRecord& record, const Request& current) {
  const std::string& name = record.facts.model;
  // A record names the folders of its adapters, and does not say where they lie.
  const bool with_adapters = !model_text_of(name).adapters.empty();
  if (name.starts_with("demo:") && !with_adapters) return name;
  const bool names_files = current.model != "seeded" && !current.model.starts_with("demo:");
  return names_files || (with_adapters && !acting_adapters(current.model).empty()) ? current.model : std::string();
}

namespace {

// A cell of a head's weights, on a model of that name.
struct OpenedCell {
  LayerHead head;
  Cell cell;
  std::string name, model;
};

Document document_at(const OpenedCell& at, const CorpusPhrase& phrase, const Request& current, const ViewState& view) {
  Document document{Request(), view, at.name, std::nullopt};
  document.request.model = at.model;
  document.request.backend = current.backend;
  document.request.threads = current.threads;
  document.request.layer = at.head.layer;
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
  shown.head = at.head.head;
  shown.cell = at.cell;
  shown.viewport = shown.stage_viewport = {};
  shown.lesson.clear();
  return document;
}

}  // namespace

Document example_document(const CorpusRecord& record, const ExamplePlace& place, const CorpusPhrase& phrase,
                          const Request& current, const ViewState& view) {
  const HeadRecord& of = record.heads[place.head];
  const OpenedCell at{{of.layer, of.head}, {place.example.query, place.example.key}, record.facts.model, place.model};
  return document_at(at, phrase, current, view);
}

Document point_document(const CorpusRecord& record, const PointAt& at, const CorpusPhrase& phrase,
                        const Request& current, const ViewState& view) {
  const HeadRecord& of = record.heads[at.head];
  const std::int64_t position = record.points[at.point].position;
  return document_at({{of.layer, of.head}, {position, position}, record.facts.model, at.model}, phrase, current, view);
}

Document sequence_document(const SequencePlace& at, const Request& current, const ViewState& view) {
  CorpusPhrase phrase;
  phrase.ids = at.ids;
  phrase.cut = true;  // opened by its ids
  return document_at({at.head, at.cell, at.name, at.model}, phrase, current, view);
}

}  // namespace headscope
