#include "core/diagnose/model_diagnosis.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/request/stage.h"

namespace headscope {
namespace {

// Returns what is wrong in the layer, without its place among the others.
bool explained(const LayerDiagnosis& layer) {
  const bool parts = std::all_of(layer.parts.begin(), layer.parts.end(),
                                 [](const PartComparison& each) { return each.equal || !each.explanations.empty(); });
  return parts && (!layer.attention || layer.attention->equal || !layer.attention->explanations.empty());
}

std::string equal_words(const NumberFormat& format) {
  return format.is_float32() ? "equal" : fmt::format("equal within {}", format.name);
}

}  // namespace

std::string PartComparison::verdict() const {
  return equal ? equal_words(format) : explanations.empty() ? "differs" : "explained";
}

std::string LayerDiagnosis::verdict() const {
  if (!equal) return explained(*this) ? "explained" : "differs";
  if (attention && attention->verdict() != "equal") return attention->verdict();
  for (const PartComparison& each : parts) {
    if (!each.format.is_float32()) return each.verdict();
  }
  return "equal";
}

const PartComparison* LayerDiagnosis::first_wrong_part() const {
  const auto first = std::find_if(parts.begin(), parts.end(), [](const PartComparison& each) { return !each.equal; });
  if (first == parts.end()) return nullptr;
  const bool after = first->part != DumpPart::entering && attention && attention->first_different;
  return after ? nullptr : &*first;
}

std::vector<std::string> LayerDiagnosis::mistakes() const {
  if (const PartComparison* part = first_wrong_part()) {
    return part->explanations.empty() ? std::vector<std::string>() : part->explanations.front().variants;
  }
  if (!attention || attention->explanations.empty()) return {};
  return attention->explanations.front().variants;
}

std::string_view LayerDiagnosis::first_wrong() const {
  if (const PartComparison* part = first_wrong_part()) return part->name;
  return attention && attention->first_different ? stage_name(*attention->first_different) : "";
}

bool ModelDiagnosis::equal() const {
  return !first && missing.empty() && exchanged.empty() &&
         std::all_of(behind.begin(), behind.end(), [](const PartComparison& each) { return each.equal; });
}

std::string ModelDiagnosis::verdict() const {
  if (equal()) {
    for (const LayerDiagnosis& each : layers) {
      if (each.verdict() != "equal") return each.verdict();
    }
    for (const PartComparison& each : behind) {
      if (!each.format.is_float32()) return each.verdict();
    }
    return "equal";
  }
  const bool named = std::all_of(layers.begin(), layers.end(),
                                 [](const auto& each) { return each.equal || each.verdict() == "explained"; });
  const bool end = std::all_of(behind.begin(), behind.end(), [](const PartComparison& each) { return each.equal; });
  return named && end ? "explained" : "differs";
}

}  // namespace headscope
