// manifest.json: what a run computed and where each number was written.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/attention/output_head.h"
#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/tensor/statistics.h"

namespace headscope {

struct CostReport;
struct LogitLens;

// request, version, tokens, key_tokens, backend, fully_masked_rows, notices (a list of sentences: those of the
// contents, then trace_notices()), weights_sha256 ("" without weights), seconds, and "stages": an object from each
// stage's name, in order, to its shape, dtype ("float32"), operation, files, min, max, mean, std, l2_norm, nan_count,
// inf_count, seconds. Statistics are of the whole stage, over its finite values. Numbers that are not finite are the
// strings "nan", "inf", "-inf". Of a checkpoint also "model": its name, architecture, layer and num_layers; and with
// predictions an object of that name: "kind" ("next-token" or "masked"), "positions" (position, token, and "top": id,
// piece, logit, probability each; with interventions also probability_without, and beside "top" their effect on the
// token that is most probable without them: "first", {id, piece, probability_without, probability, alone: {TERM:
// probability}}), "token_loss" (in nats, one a token, null where it is not predicted) and "mean_loss" (with
// interventions also "mean_loss_without"). With a logit lens "lens": "kind", "of" ("layers", "attention" or "heads")
// and "layers", a row each: of what enters layer 0 ("layer" null, "after" "embeddings") and of every layer ("after"
// "layer 0", of attention "attention 0"), or of every head of one layer
// ("layer", "head"), its "positions": position, at (the token there), and the most probable token: token, id, logit,
// probability. With costs "cost", as core/cost/cost_json.h has it. With a key of bias_k,
// key_tokens has "bias_k" last. `render --session manifest.json` reads the request back.
//
// Stages whose weights are shown otherwise than they were computed (core/heads/shown_weights.h) have the shape and the
// statistics of what is shown, and besides "shown", an object of the options that say so as they are spelled ("groups",
// "hide_tokens", "renormalise", "weighting", "top_p"), "tokens" and "key_tokens", the names of their rows and columns.
//
// Stages that are computed when read are read once for their statistics, unless these are known; with a region their
// statistics are null instead, so that a region costs no more than its own cells. `progress` gets the share of this
// reading in [0, 1]; empty: nothing is reported.
//
// Stages of the whole model that were written, and those of several layers ("weights.l3"), stand behind those of the
// trace in "stages". Their statistics are taken while they are written; null with a region.
struct ManifestModelStage {
  std::string name;
  Shape shape;
  std::string operation;
  std::vector<std::string> files;
  std::optional<Statistics> statistics;
};

struct ManifestContents {
  std::map<StageId, std::vector<std::string>> files = {};  // names by stage; a stage without any gets an empty list
  std::string region = {};                                 // as --region spells it; "" is not written
  bool csv_safe = false;                                   // "csv": "safe": safe_text() of the names in CSV files
  // Statistics that are computed already; with a region, those of its cells alone for stages that are computed when
  // read (Trace::on_demand).
  std::map<StageId, Statistics> known = {};
  const PredictionReport* predictions = nullptr;  // null: the manifest has none
  const LogitLens* lens = nullptr;                // likewise
  std::vector<ManifestModelStage> model_stages = {};
  // Adds a list of the metrics of every head, {"batch", "layer", "head", "entropy", ...} (core/README.md, 'Metrics of a
  // head').
  bool metrics = false;
  const CostReport* cost = nullptr;       // null: the manifest has none
  std::vector<std::string> notices = {};  // what is to be said of the request besides what the trace says of itself
};
std::string manifest_json(const Trace& trace, const ManifestContents& contents = {}, const CancelToken& cancel = {},
                          const std::function<void(double)>& progress = {});

}  // namespace headscope
