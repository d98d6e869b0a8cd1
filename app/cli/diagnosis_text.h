// This file words the answer of `diagnose`: the verdict, where theirs differ, and which mistakes explain it.
#pragma once

#include <string>

#include "core/diagnose/diagnose.h"

namespace headscope::cli {

// {verdict, equal, format, max_difference, allowed, where, explanations, indistinguishable, nearest, stages}, as the
// contract spells them.
std::string diagnosis_json(const Diagnosis& found);

// Lines for people: every stage's verdict and where it differs, then a table of what explains it, or comes nearest.
std::string diagnosis_text(const Diagnosis& found);

}  // namespace headscope::cli
