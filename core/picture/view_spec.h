// How a result is shown: a plain value that session files save beside the Request. Its text form: view_options.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/heads/aggregate_kind.h"
#include "core/heads/sentence_pair.h"
#include "core/heads/text_weights_kind.h"
#include "core/picture/color_map.h"
#include "core/picture/model_question.h"
#include "core/picture/palette.h"
#include "core/picture/paper_spec.h"
#include "core/request/stage.h"

namespace headscope {

// layers: all layers and heads of a model; difference: one result less another; sensitivity: a cell's derivatives;
// text: attention on the words themselves; explanation: where one number comes from; lens: what a model would say after
// every layer; attribution: who made a logit; sweep: a metric after patches; scatter: a head's queries and keys as
// points; composition: which heads read what earlier heads write; score: who wrote what a query and a key meet in.
enum class ViewKind {
  heads,
  head,
  stage,
  concat,
  arcs,
  neurons,
  layers,
  difference,
  sensitivity,
  text,
  explanation,
  lens,
  attribution,
  sweep,
  scatter,
  composition,
  score
};
// fit: from the 1st to the 99th percentile of the visible values.
enum class RangeKind { automatic, row, fixed, fit };
enum class SensitivityBy { weights, scores };

struct ViewSpec {
  ViewKind view = ViewKind::heads;
  StageId stage = StageId::weights;  // the stage that the heatmaps show
  std::int64_t batch = 0, head = 0;
  std::optional<ColorMap> colormap;  // nullopt: by stage and theme
  RangeKind range = RangeKind::automatic;
  double range_low = 0, range_high = 1;  // of RangeKind::fixed
  bool log_scale = false;
  std::optional<int> cell;  // pixels a cell; nullopt: the largest that fit `width`, or 34
  bool labels = true;
  bool color_bar = true;
  Theme theme = Theme::dark;
  std::optional<int> width;  // pixels of the whole picture; nullopt: as wide as its content, or paper.width
  double scale = 1;          // 1x, 2x, 4x: of fonts, lines and cells
  // arcs: the query that stands out; nullopt: none. neurons: the query that is shown; nullopt: 0. text: the query of a
  // row, the key of a column; nullopt: the last one.
  std::optional<std::int64_t> token;
  std::optional<std::vector<std::int64_t>> heads_shown;  // of heads, arcs and text; nullopt: all
  double hide_below = 0.05;                              // smaller weights are not drawn
  SentencePair sentences = SentencePair::all;
  std::optional<Aggregate> aggregate;  // layers: one map made of all heads; nullopt: a map of each
  // Of sensitivity and explanation: the cell of `stage`, in the stage's own axes; of attribution and sweep one number,
  // the position; of score two, the query and the key. What derivatives are taken by; nullopt: usual_by(stage).
  std::vector<std::int64_t> at;
  std::optional<SensitivityBy> by;
  PaperSpec paper;
  // Of text: `heads_shown` are combined.
  TextAlong along = TextAlong::row;
  HeadsCombined combined = HeadsCombined::sum;
  ModelQuestion question;  // of attribution, lens, sweep and composition
  friend bool operator==(const ViewSpec&, const ViewSpec&) = default;
};

std::string_view view_kind_name(ViewKind kind);  // "heads", as --view spells it

// Whether a view is of two results, the request's own and that of --against.
bool takes_another_result(ViewKind kind);

// Whether a view of `stage` has the colours of weights, from 0 up; else it has those of signed numbers, around zero.
bool has_weight_colors(ViewKind kind, StageId stage);

// Of an attribution or a sweep: the position that `at` names; nullopt: none. UsageError for a cell of several numbers.
std::optional<std::int64_t> position_asked(const ViewSpec& view);

// The derivatives that are most useful for a cell of this stage: by scores for score-like stages (of all weights a
// weight depends on itself alone), else by weights.
SensitivityBy usual_by(StageId stage);
std::string_view sensitivity_by_name(SensitivityBy by);        // "weights", "scores"
std::string_view composition_kind_name(CompositionKind kind);  // "query", "key", "value"
std::string_view attribution_by_name(AttributionBy by);        // "components", "heads", "sources"

}  // namespace headscope
