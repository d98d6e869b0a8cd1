// What the eye does: which tensor, head and cell one looks at, and how. Never reaches the engine.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/session/lesson.h"
#include "app/session/main_view.h"
#include "core/backend/pyramid.h"
#include "core/circuits/composition_kind.h"
#include "core/compare/precision_format.h"
#include "core/explain/attribution_by.h"
#include "core/explain/lens_of.h"
#include "core/generate/sampler.h"
#include "core/heads/aggregate_kind.h"
#include "core/heads/head_metric_kind.h"
#include "core/heads/sentence_pair.h"
#include "core/heads/text_weights_kind.h"
#include "core/picture/color_map.h"
#include "core/picture/heatmap.h"
#include "core/picture/palette.h"
#include "core/picture/view_spec.h"
#include "core/request/stage.h"
#include "core/sweep/sweep_patch.h"

namespace headscope {

// A (row, column) of a matrix on screen.
struct Cell {
  std::int64_t row = 0, column = 0;
  friend bool operator==(const Cell&, const Cell&) = default;
};

// The visible part of a heatmap in cells; zero sizes mean "fit".
struct Viewport {
  double row0 = 0, column0 = 0, rows = 0, columns = 0;
  bool fitted() const { return rows <= 0 || columns <= 0; }
  friend bool operator==(const Viewport&, const Viewport&) = default;
};

enum class ConcatShows { concat, output, both };
// The picked head large with what it does; maps of all; lines from queries to keys; one query's features.
enum class HeadsShow { one, grid, arcs, neurons };

// The view over all layers and heads of a model.
struct LayersView {
  std::int64_t layer = -1;             // picked; -1: that of the request
  std::optional<Aggregate> aggregate;  // nothing: every head by itself
  std::optional<HeadMetric> sort;      // nothing: by position; else the largest first
  std::optional<HeadMetric> filter;    // heads that do not pass are dimmed
  bool filter_below = false;           // pass: less than the value; else more
  double filter_value = 0.5;
  bool norms = false;  // pictures show |w (v Wo)| instead of w
  friend bool operator==(const LayersView&, const LayersView&) = default;
};

// What a sweep measures. usual: the logit of what A says, less that of what B says.
enum class SweepMeasure { usual, logit, probability, loss, kl, cell };

// The bug lab. Its switches change what is compared, never the request.
struct BugLabView {
  enum class Shows { right, wrong, side_by_side };
  std::vector<std::string> variants = {"merge-direct"};  // switched on; at most two
  StageId stage = StageId::concat;
  Shows shows = Shows::side_by_side;
  bool precision = false;            // instead: the request in other number formats
  std::string format = "f16";        // the one that is shown, as --formats has it
  Rounded rounded = Rounded::usual;  // what is rounded
  friend bool operator==(const BugLabView&, const BugLabView&) = default;
};

// Attention on the words of the text.
struct TextView {
  TextAlong along = TextAlong::row;
  HeadsCombined combined = HeadsCombined::sum;
  std::optional<std::vector<std::int64_t>> heads;  // combined; nothing: all
  friend bool operator==(const TextView&, const TextView&) = default;
};

// What a model would say after every layer, after its attention or of one head alone, and who made a logit.
struct LensView {
  static constexpr std::int64_t kLastLayer = -2;
  std::int64_t layer = kLastLayer;   // picked: the row after this layer; -1: that of the embeddings
  std::int64_t position = -1;        // picked token; -1: where the model predicts
  std::vector<std::int64_t> tokens;  // ids of the logit that is taken apart: one, or the first less the second; none:
                                     // the most probable one at the position
  AttributionBy by = AttributionBy::components;
  LensOf of = LensOf::layers;  // of heads the picked row is the selected head
  bool loss = false;           // that of the first token is taken apart, in place of its logit
  friend bool operator==(const LensView&, const LensView&) = default;
};

// Where the numbers of a sweep's patches come from: the pinned result A into the current one B, B into A, or zeros or
// means in B.
enum class SweepNumbers { a_into_b, b_into_a, zeros, means };

// A patch after the other.
struct SweepView {
  SweepPatch patch = SweepPatch::heads;
  bool into = false;  // of SweepPatch::paths: they end at `end`, else they begin there
  LayerHead end = {};
  SweepNumbers numbers = SweepNumbers::a_into_b;
  SweepEstimate estimate = SweepEstimate::none;
  SweepMeasure measure = SweepMeasure::usual;
  std::string tokens;        // of logit and probability: "A" or "A-B"
  std::string number;        // of cell: "[L/]STAGE:B,H,I,J"
  std::string list;          // of SweepNumbers::means: the file whose phrases they are taken over; "": this text alone
  std::optional<Cell> cell;  // picked; rows and columns as they are shown
  friend bool operator==(const SweepView&, const SweepView&) = default;
};

// nullopt: the numbers come from another run, the pinned one.
std::optional<Ablation> ablation_of(const SweepView& sweep);

// A metric as parse_sweep_metric() reads it; "": the usual one. nullopt: it needs a token, or a cell, that nobody
// typed.
std::optional<std::string> metric_text(SweepMeasure measure, const std::string& typed);
std::optional<std::string> metric_text(const SweepView& sweep);

// A row a head with a column a word that is looked at, or that looks; or a map a head.
enum class GradientsShow { looked_at, looking, maps };

// Gradient x weight of every head.
struct GradientsView {
  SweepMeasure measure = SweepMeasure::usual;  // usual: the logit of what the model says; not kl, not cell
  std::string tokens;                          // as in SweepView
  bool path = false;                           // integrated gradients, in `steps` runs a layer
  std::int64_t steps = 20;
  bool own_range = false;  // every head's colours end at its own largest, not at that of its layer, or of all
  std::optional<LayerHead> head = {};  // picked; nullopt: the strongest
  GradientsShow show = GradientsShow::looked_at;
  friend bool operator==(const GradientsView&, const GradientsView&) = default;
};

// Who wrote what the query and the key of the picked cell meet in.
struct ScoreView {
  AttributionBy by = AttributionBy::heads;  // not sources
  std::optional<Cell> pair;                 // picked: writers at the query and at the key; nullopt: the strongest
  friend bool operator==(const ScoreView&, const ScoreView&) = default;
};

// composition: which heads read what earlier heads write; tokens: what a head does with tokens of the vocabulary.
enum class CircuitsShow { composition, tokens, vocabulary };

// What heads can do with each other and with tokens, from weights alone.
struct CircuitsView {
  CircuitsShow show = CircuitsShow::composition;
  CompositionKind reads = CompositionKind::key;
  // Picked: the head that reads, whose tokens are shown, and the head that writes; nullopt: the pair of largest score.
  std::optional<LayerHead> reader, writer;
  std::string token;   // asked of the head; "": that of the picked cell's query
  std::string tokens;  // of the maps of a chosen set, with commas between; "": no maps
  friend bool operator==(const CircuitsView&, const CircuitsView&) = default;
};

// A head's queries and keys as points of a plane.
struct ScatterView {
  bool queries = true, keys = true, names = true;  // which are drawn
  friend bool operator==(const ScatterView&, const ScatterView&) = default;
};

// What stands beside the plane and the grid: the picked head, the list of the chosen heads, the tree of clusters,
// the points of the picked head.
enum class CorpusSide { head, chosen, tree, points };
// What the tree is made of: all heads, the chosen ones, those of the picked head's layer.
enum class ClustersOf { all, chosen, layer };

// Which rows of the picked head are examples: those with the strongest weight of their phrase, or those that were drawn
// for each tenth of the largest weight.
enum class ExamplesOf { strongest, tenths };

// What the colour of a point says.
enum class PointColor { token, position };

// The picked head's queries, keys, values or outputs on their principal axes.
struct PointsView {
  std::string vectors = "query";  // vector_kind_key()
  std::int64_t x = 0, y = 1;      // axes, from 0
  PointColor color = PointColor::token;
  std::int64_t point = 0;  // picked, in the order in which they were drawn
  friend bool operator==(const PointsView&, const PointsView&) = default;
};

// What every head does over a list of phrases. x, y, color and grid name means of heads, as HeadTable::keys does.
struct CorpusView {
  std::string file;  // .hsagg, or the folder that HeadVis shows; "": none is open
  std::string list;  // that was scanned; "": the file of the same name beside it, where there is one
  std::string x = "distance", y = "max_weight", color = "entropy", grid = "max_weight";
  std::optional<Cell> head;  // picked: layer and head; nothing: the first
  ExamplesOf examples = ExamplesOf::strongest;
  std::int64_t example = 0;            // picked, of these
  std::vector<LayerHead> chosen = {};  // by lasso, by the field or by Space: sorted by layer and head, each once
  std::string find = {};               // what was typed to find heads
  CorpusSide side = CorpusSide::head;
  ClustersOf clusters_of = ClustersOf::all;
  double cut = 0.5;  // the distance at which the tree is cut into clusters
  PointsView points = {};
  friend bool operator==(const CorpusView&, const CorpusView&) = default;
};

// The tensors of the layer's weights.
struct WeightsView {
  std::string tensor;  // by its file's name; of another layer, or none: the one at the same place of the list
  std::optional<Cell> cell;
  Viewport viewport;
  friend bool operator==(const WeightsView&, const WeightsView&) = default;
};

// The range of the colours of a stage that is no head's map: `fixed` from low to high, or `fit`.
struct RangeOfStage {
  StageId stage = StageId::output;
  RangeKind range = RangeKind::fixed;
  double low = 0, high = 1;
  friend bool operator==(const RangeOfStage&, const RangeOfStage&) = default;
};

struct ViewState {
  MainView main_view = MainView::layer;
  StageId stage = StageId::weights;     // selected in the pipeline strip, shown by the inspector
  StageId quantity = StageId::weights;  // what the heads' heatmaps show; a score-like stage
  std::int64_t batch = 0, head = 0;
  std::optional<Cell> cell;                        // picked; (query, key) or (position, feature) of `stage`
  std::optional<ColorMap> weight_map, signed_map;  // chosen by hand, for every theme; nothing: by theme
  RangeKind range = RangeKind::automatic;          // automatic, fit: one for all heads; row: each row its own
  bool range_per_head = false;
  bool range_fixed = false;
  double range_low = 0, range_high = 1;
  bool log_scale = false;
  std::optional<RangeOfStage> stage_range;  // nothing: automatic; of another stage: not used
  Pooling pooling = Pooling::max;           // what a pixel shows of the cells under it in a large map
  ConcatShows concat_shows = ConcatShows::concat;
  HeadsShow heads_show = HeadsShow::grid;
  bool arcs_chosen = false;  // heads were chosen by hand; until then lines are drawn of the selected head alone
  std::optional<std::vector<std::int64_t>> arcs_heads;  // once chosen: whose lines are drawn; nothing: all
  double arcs_hide_below = 0.05;
  SentencePair arcs_sentences = SentencePair::all;
  Viewport viewport;        // of the large head
  Viewport stage_viewport;  // of the inspector's picture of a stage that is not a head
  // Layout, in pixels at 1x; collapsed panels by name.
  float request_width = 264, inspector_width = 450, concat_height = 240;
  bool request_collapsed = false, concat_collapsed = false, inspector_collapsed = false, pipeline_collapsed = false;
  bool views_grouped = true;            // the strip has the views of one group; else all of them
  bool request_opened_by_hand = false;  // on a narrow window the rail opens by F9
  LayersView layers;
  BugLabView bug_lab;
  WeightsView weights;
  TextView text;
  LensView lens;
  SweepView sweep;
  GradientsView gradients;
  ScoreView score;
  CircuitsView circuits;
  ScatterView scatter;
  CorpusView corpus;
  Sampling sampling;                            // of the next token
  std::optional<SensitivityBy> sensitivity_by;  // nothing: usual_by() of the stage
  Lesson lesson;                                // of the document; changes of it are steps of undo
  friend bool operator==(const ViewState&, const ViewState&) = default;
};

// The text view of this state: its heads, and the token that is picked.
void set_text(ViewSpec& spec, const ViewState& view);
// `view` with the widths, heights and collapsed panels of `screen`.
ViewState with_layout_of(ViewState view, const ViewState& screen);

// The part that a picture or session file keeps, with the theme that is the window's (Settings::theme); and back, but
// for the theme.
ViewSpec view_spec_of(const ViewState& view, Theme theme);
void apply_view_spec(ViewState& view, const ViewSpec& spec);

}  // namespace headscope
