// The question and the answer of a diagnosis are plain values.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/backend/backend.h"
#include "core/diagnose/leftover_lean.h"
#include "core/diagnose/number_format.h"
#include "core/diagnose/part_order.h"
#include "core/diagnose/where.h"
#include "core/request/stage.h"
#include "core/tensor/tensor.h"

namespace headscope {

struct Trace;

// One stage as other code computed it.
struct ExternalStage {
  StageId stage{};
  Tensor tensor;            // in any of layout_readings()
  bool averaged = false;    // the mean over heads, [batch, 1, queries, keys]
  std::string format = {};  // as --theirs-format has it: what its file says that it is; "": it says nothing
};

// A line of code as it probably stands and as it should.
struct MistakeCode {
  std::string mistake, wrong, right;
};

// A set of mistakes, and how near ours with them comes to theirs.
struct DiagnosisExplanation {
  std::vector<std::string> variants;  // names of mistakes (mistake_rows.h)
  std::vector<int> variations;        // MistakeRow::variations: of each of them the one that was made
  std::vector<MistakeCode> code;      // a line for each of them
  double residual = 0;                // ||theirs - ours with these mistakes|| / ||theirs||
  double largest = 0;                 // the largest |theirs - ours with these mistakes|
  double share = 0;                   // of the squared difference that they explain, at most 1
  double cells = 0;                   // the share of the cells that differ and no longer do with them
};

struct StageComparison {
  StageId stage{};
  bool equal = false;                       // in `format`
  double max_difference = 0;                // |ours - theirs|; infinite when only one is NaN or the shapes differ
  double allowed = 0;                       // the largest difference that a cell may have and be equal
  NumberFormat format;                      // of theirs
  std::optional<StageId> same_as;           // another of our stages that theirs are
  std::string read_as;                      // LayoutReading::as of the layout that theirs were read in; "" for our own
  std::vector<std::string> other_readings;  // the other layouts that the sizes allow
  std::optional<PartOrder> order;           // of theirs, where `read_as` says it
  std::vector<StageId> given;               // their stages that this one was computed from
  Where where;                              // against ours with their stages before
  // It makes a stage of few bits differ in which no number lies too far away (leftover_lean.h).
  std::optional<CommonFactor> common_factor;
  std::vector<std::string> mistakes;  // those of the best explanation
  // Best first; empty when equal, and when nothing known explains the difference. More mistakes are named only where
  // fewer do not explain it.
  std::vector<DiagnosisExplanation> explanations;
  std::vector<DiagnosisExplanation> nearest;  // of what does not explain it, the best first, at most kNearest
  std::size_t tried = 0;                      // how many sets of mistakes were tried
  // "equal", "equal within bfloat16", "explained" or "differs".
  std::string verdict() const;
};
constexpr std::size_t kNearest = 4;
constexpr std::size_t kMostMistakes = 4;  // that are named together in one stage

struct Diagnosis {
  bool equal = false;         // every stage is equal
  double max_difference = 0;  // the largest over stages
  // For one stage these are its own. For several there is one for all of them, where each that differs is explained.
  std::vector<DiagnosisExplanation> explanations;
  std::vector<DiagnosisExplanation> nearest;    // of the first stage that is not explained
  std::vector<std::vector<std::string>> alike;  // sets of mistakes that this input cannot tell apart
  std::vector<StageComparison> stages;          // in the order in which they are computed
  std::optional<StageId> first_different;       // of `stages`
  std::size_t tried = 0;                        // the number of sets of mistakes that were tried
  std::string verdict() const;                  // as StageComparison::verdict(), of all stages together
};

struct DiagnoseOptions {
  std::string format = "auto";      // format_named()
  std::optional<double> tolerance;  // how far a cell may differ and be equal; nullopt: by the format
  std::string layout;               // "bhsd" or "bshd": of layout_readings() these alone; "": whatever fits
  // The same layer from an input that lies as far from ours as theirs may, whose own is not known exactly: how far its
  // stages lie from ours is allowed besides. Null: the input is known.
  std::shared_ptr<const Trace> drifted;
  std::vector<std::string> first_tried;  // mistakes; where one of them explains a stage no other is tried
};

// Bundles what every step of a diagnosis needs: the backend, the options and who is told how far it is.
struct DiagnoseWork {
  std::shared_ptr<const Backend> backend;
  DiagnoseOptions options;
  std::function<void(double)> progress;  // gets the share done in [0, 1]; may be empty
};

}  // namespace headscope
