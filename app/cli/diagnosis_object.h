// The answer of a diagnosis as JSON objects.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "core/diagnose/diagnosis.h"
#include "core/diagnose/where.h"

namespace headscope::cli {

// {sentence, batches, heads, rows, columns, diagonals, cells, first, nan, inf}; null where no cell differs.
nlohmann::ordered_json where_json(const Where& where);

// [{mistakes, variants, residual, share, cells}].
nlohmann::ordered_json explanations_json(const std::vector<DiagnosisExplanation>& explanations);

// {verdict, equal, format, max_difference, allowed, where, explanations, indistinguishable, nearest, stages}, as the
// contract spells them.
nlohmann::ordered_json diagnosis_object(const Diagnosis& found);

}  // namespace headscope::cli
