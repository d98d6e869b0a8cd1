#include "core/export/recipe.h"

#include <nlohmann/json.hpp>

#include "core/export/session_file.h"
#include "core/io/json_text.h"
#include "core/model/layer_weights.h"

namespace headscope {

std::map<std::string, std::string> recipe_of(const FigureSource& source, const ViewSpec& view,
                                             const std::string& window) {
  const Trace& trace = source.trace;
  std::map<std::string, std::string> chunks;
  auto session = nlohmann::ordered_json::parse(session_json(trace.request, view, window));
  if (takes_another_result(view.view) && source.against != nullptr) {
    session["against"] = nlohmann::ordered_json::parse(request_json(source.against->request));
  }
  const LayerWeights& weights = trace.inputs->weights;
  if (!weights.empty()) {
    const std::string sha256 = sha256_of(weights);
    session["sha256"] = sha256;
    chunks["headscope-sha256"] = sha256;
  }
  chunks["headscope"] = json_dump(session, 2) + "\n";
  return chunks;
}

}  // namespace headscope
