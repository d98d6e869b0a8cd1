// What the corpus view asks, as services of latest_work.h: the file of a scan, its list of phrases, the model that was
// scanned, the phrases of a head's examples, heads like one, the tree of heads, a head of HeadVis's folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/session/background/work/latest_work.h"
#include "core/corpus/corpus_record.h"
#include "core/corpus/head_points.h"
#include "core/corpus/head_table.h"
#include "core/corpus/head_tree.h"
#include "core/corpus/phrase_list.h"
#include "core/headvis/headvis_tree.h"
#include "core/request/interventions.h"
#include "core/text/tokenizer.h"

namespace headscope {

struct CorpusQuery {
  std::string file;
  friend bool operator==(const CorpusQuery&, const CorpusQuery&) = default;
};
struct CorpusContents {
  std::shared_ptr<const CorpusRecord> record;  // of HeadVis's folder: the model's name and which heads there are
  std::shared_ptr<const HeadTable> table;
  std::shared_ptr<const HeadVisTree> headvis = nullptr;  // of HeadVis's folder; null: of an .hsagg
};
using Corpora = LatestWork<CorpusQuery, CorpusContents>;
// Of an .hsagg, or of the folder that HeadVis shows. Fails as read_corpus_file() and read_headvis_tree(), and where
// there is no head in it.
CorpusContents corpus_contents(const CorpusQuery& of, const CancelToken& cancel);

// Whether a list of phrases is the one that was scanned.
struct CorpusListQuery {
  std::shared_ptr<const CorpusRecord> record;
  std::string path;
  friend bool operator==(const CorpusListQuery&, const CorpusListQuery&) = default;
};
using CorpusLists = LatestWork<CorpusListQuery, std::shared_ptr<const PhraseList>>;
// The list; fails as PhraseList::open(), and says both digests when it is another one.
std::shared_ptr<const PhraseList> corpus_list(const CorpusListQuery& of, const CancelToken& cancel);

// Whether a model is the one that was scanned, by the digest of its weights and by its settings.
struct CorpusModelQuery {
  std::shared_ptr<const CorpusRecord> record;
  std::string model;  // as --model names it
  friend bool operator==(const CorpusModelQuery&, const CorpusModelQuery&) = default;
};
using CorpusModels = LatestWork<CorpusModelQuery, std::shared_ptr<const Tokenizer>>;
// Its tokenizer; reads all weights. Fails as Checkpoint::open(), and says both digests when it is another model, or
// which settings differ where the weights are the same and the file knows the settings. Of HeadVis's folder, which has
// no digest, every model will do that has the heads; its weights are not read.
std::shared_ptr<const Tokenizer> corpus_model(const CorpusModelQuery& of, const CancelToken& cancel);

// The phrases that examples stand in.
struct CorpusPhrasesQuery {
  std::shared_ptr<const CorpusRecord> record;
  std::shared_ptr<const PhraseList> list;
  std::shared_ptr<const Tokenizer> tokenizer;  // null: phrases are not split into tokens
  std::vector<CorpusExample> examples;         // places in these phrases
  friend bool operator==(const CorpusPhrasesQuery&, const CorpusPhrasesQuery&) = default;
};
struct CorpusPhrase {
  std::string text;
  std::vector<std::int64_t> ids;    // those that were scanned: the first most_tokens; none without a tokenizer
  std::vector<std::string> pieces;  // one an id
  bool cut = false;                 // the phrase has more tokens
};
using CorpusPhrases = LatestWork<CorpusPhrasesQuery, std::vector<CorpusPhrase>>;
// One an example, in their order; fails where a phrase is not the one that was counted, by its hash.
std::vector<CorpusPhrase> corpus_phrases_of(const CorpusPhrasesQuery& of, const CancelToken& cancel);

// The phrase that a point stands in.
struct CorpusPointQuery {
  std::shared_ptr<const CorpusRecord> record;
  std::shared_ptr<const PhraseList> list;
  std::shared_ptr<const Tokenizer> tokenizer;
  std::size_t point = 0;  // index in record->points
  friend bool operator==(const CorpusPointQuery&, const CorpusPointQuery&) = default;
};
using CorpusPointPhrases = LatestWork<CorpusPointQuery, CorpusPhrase>;
// Fails as corpus_phrases_of().
CorpusPhrase corpus_point_phrase(const CorpusPointQuery& of, const CancelToken& cancel);

// Where a head's points lie.
struct HeadPointsQuery {
  std::shared_ptr<const CorpusRecord> record;
  std::size_t head = 0;  // index in record->heads
  VectorKind kind = VectorKind::query;
  friend bool operator==(const HeadPointsQuery&, const HeadPointsQuery&) = default;
};
using PointsOfHead = LatestWork<HeadPointsQuery, HeadPoints>;
HeadPoints points_of_head(const HeadPointsQuery& of, const CancelToken& cancel);

struct HeadsLikeQuery {
  std::shared_ptr<const HeadTable> table;
  std::size_t head = 0, most = 0;
  friend bool operator==(const HeadsLikeQuery&, const HeadsLikeQuery&) = default;
};
struct HeadAmongOthers {
  std::vector<SimilarHead> alike;             // by their means
  std::vector<SimilarHead> alike_by_pattern;  // none where there are no patterns
  std::vector<std::int64_t> ranks;            // of HeadTable::rank(), one a mean
};
using HeadsLikeOne = LatestWork<HeadsLikeQuery, HeadAmongOthers>;
HeadAmongOthers head_among_others(const HeadsLikeQuery& of, const CancelToken& cancel);

// Which heads are alike, as a tree.
struct HeadTreeQuery {
  std::shared_ptr<const HeadTable> table;
  std::vector<std::size_t> heads;  // indices in the table, at most kMostClustered
  friend bool operator==(const HeadTreeQuery&, const HeadTreeQuery&) = default;
};
using HeadTrees = LatestWork<HeadTreeQuery, HeadTree>;
HeadTree head_tree_of(const HeadTreeQuery& of, const CancelToken& cancel);

// The file of a head in the folder that HeadVis shows.
struct HeadVisHeadQuery {
  std::shared_ptr<const HeadVisTree> tree;
  std::string folder;
  LayerHead head;
  friend bool operator==(const HeadVisHeadQuery&, const HeadVisHeadQuery&) = default;
};
using HeadVisHeads = LatestWork<HeadVisHeadQuery, HeadVisHead>;
// Fails as read_headvis_head().
HeadVisHead headvis_head(const HeadVisHeadQuery& of, const CancelToken& cancel);

// A list of phrases with the name of the .hsagg and an ending of lists, in the same folder; "": there is none.
std::string list_beside(const std::string& file);

// The corpus that is shown first: stories.hsagg, of demo:stories; "" where it is not installed.
std::string shipped_corpus();

}  // namespace headscope
