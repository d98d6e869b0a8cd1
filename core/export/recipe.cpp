#include "core/export/recipe.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "core/export/kept_arrays.h"
#include "core/export/session_file.h"
#include "core/export/used_weights.h"
#include "core/io/json_text.h"
#include "core/model/layer_weights.h"
#include "core/model/weights_sha256.h"
#include "core/picture/figure/theirs_contents.h"

namespace headscope {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kStandIn = "0000000000000000000000000000000000000000000000000000000000000000";

// Whether a view shows what acts after the attention of the shown layer, or other layers.
bool is_of_whole_model(ViewKind view) {
  return view == ViewKind::layers || view == ViewKind::lens || view == ViewKind::attribution ||
         view == ViewKind::sweep || view == ViewKind::composition;
}

// Null where the trace is of no model.
Json used_weights_json(const Trace& trace, bool whole, const RecipeHashes& hashes) {
  if (trace.inputs->checkpoint == nullptr) return nullptr;
  UsedWeights used{1, whole, kStandIn, kStandIn};
  if (!hashes.stand_in) used = *used_weights(trace, whole, hashes.cancel);
  return {{"layers", used.layers}, {"whole", used.whole}, {"sha256", used.sha256}, {"words_sha256", used.words_sha256}};
}

}  // namespace

std::map<std::string, std::string> recipe_of(const FigureSource& source, const ViewSpec& view,
                                             const std::string& window, const RecipeHashes& hashes) {
  const Trace& trace = source.trace;
  const bool whole = hashes.whole_model || is_of_whole_model(view.view);
  std::map<std::string, std::string> chunks;
  Json session = Json::parse(session_json(kept_request(trace), view, window));
  const auto add_used = [&](const char* key, const Trace& of) {
    Json used = used_weights_json(of, whole, hashes);
    if (!used.is_null()) session[key] = std::move(used);
  };
  if (takes_another_result(view.view) && source.against != nullptr) {
    session["against"] = Json::parse(request_json(kept_request(*source.against)));
    add_used("against_used_weights", *source.against);
  }
  if (view.view == ViewKind::difference && source.theirs != nullptr) session["theirs"] = source.theirs->file;
  const LayerWeights& weights = trace.inputs->weights;
  if (!weights.empty()) {
    const std::string sha256 = hashes.stand_in ? kStandIn : sha256_of(weights, hashes.cancel);
    session["sha256"] = sha256;
    chunks["headscope-sha256"] = sha256;
  }
  add_used("used_weights", trace);
  chunks["headscope"] = json_dump(session, 2) + "\n";
  return chunks;
}

}  // namespace headscope
