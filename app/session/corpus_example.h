// An example of a corpus as a document: its phrase on the model that was scanned, at its layer, head and cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "app/session/background/corpora.h"
#include "app/session/documents.h"

namespace headscope {

// Which model the examples of a record need: "demo:NAME" itself; else the one that is open, when it is a folder or a
// file of weights, or, of a record that was scanned with adapters, when it has some;
// "": none is at hand.
std::string model_for(const CorpusRecord& record, const Request& current);

// A row of record.heads[head], on the model that was scanned.
struct ExamplePlace {
  std::size_t head = 0;
  CorpusExample example;
  std::string model;  // as --model names it
};

// `phrase` is that of record.points[point]: its position is opened in that head, whose row it is.
struct PointAt {
  std::size_t head = 0, point = 0;
  std::string model;
};
Document point_document(const CorpusRecord& record, const PointAt& at, const CorpusPhrase& phrase,
                        const Request& current, const ViewState& view);

// `phrase` is that of the example. Of `current` only what computes stays. A phrase that has more tokens than were
// scanned becomes the ids that were: what follows would change the weights of models that see both ways.
Document example_document(const CorpusRecord& record, const ExamplePlace& place, const CorpusPhrase& phrase,
                          const Request& current, const ViewState& view);

// A sequence of HeadVis's folder as a document: ids of its tokens on a model that has its heads.
struct SequencePlace {
  LayerHead head;
  Cell cell;
  std::string name, model;  // of the folder's model; as --model names the one that is opened
  std::vector<std::int64_t> ids;
};
Document sequence_document(const SequencePlace& at, const Request& current, const ViewState& view);

}  // namespace headscope
