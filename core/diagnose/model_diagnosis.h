// The answer of a diagnosis of a whole model: plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/diagnose/diagnosis.h"
#include "core/diagnose/number_format.h"
#include "core/diagnose/program_names.h"
#include "core/diagnose/where.h"

namespace headscope {

// A part of a layer that is no stage of its attention, as it follows from theirs before it.
struct PartComparison {
  DumpPart part{};
  std::string_view name;           // dump_part_name()
  std::vector<std::string> given;  // names of their parts and stages that it was computed from
  bool equal = false;
  double max_difference = 0;  // |ours - theirs|; infinite where one is NaN and the other not
  double allowed = 0;         // the largest difference that a cell may have and be equal
  NumberFormat format;        // of theirs
  Where where;
  // Mistakes of attention, of what leaves a layer of which nothing between was given; best first.
  std::vector<DiagnosisExplanation> explanations;
  std::string verdict() const;  // "equal", "equal within bfloat16", "explained" or "differs"
};

// One layer of theirs, given what enters it as theirs has it, or as it follows from theirs before it.
struct LayerDiagnosis {
  std::int64_t layer = 0;  // theirs
  std::int64_t ours = 0;   // the layer of ours that it is
  bool equal = true;
  std::optional<Diagnosis> attention;  // of the stages that the dump has; nullopt: none
  std::vector<PartComparison> parts;   // in the order of computation; of layer 0 what enters it comes first
  std::string verdict() const;         // as Diagnosis::verdict(), of all of it
  // The first stage or part that is wrong given theirs before it; "" where none is.
  std::string_view first_wrong() const;
  const PartComparison* first_wrong_part() const;  // null where no part is wrong, or a stage before it is
  std::vector<std::string> mistakes() const;       // those of the best explanation of what is wrong first
};

struct ModelDiagnosis {
  std::vector<LayerDiagnosis> layers;                            // those of which the dump has something
  std::optional<std::size_t> first;                              // of `layers`, the first that is wrong
  std::vector<PartComparison> behind;                            // final_norm and logits
  std::vector<std::int64_t> missing;                             // layers of ours that theirs does not compute
  std::vector<std::pair<std::int64_t, std::int64_t>> exchanged;  // two layers in each other's place
  std::vector<std::string> unknown;                              // names that no row of program_names() knows
  std::vector<std::string> others;                               // names of what our model does not compute
  std::vector<std::string> readings;  // sentences about axes and norms that could have been read otherwise
  bool equal() const;
  std::string verdict() const;  // "equal", "equal within bfloat16", "explained" or "differs"
};

}  // namespace headscope
