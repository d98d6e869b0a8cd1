// One layer of a dump judged as one layer of ours, from what enters it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/attention/model_trace.h"
#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/diagnose/diagnosis.h"
#include "core/diagnose/end_search.h"
#include "core/diagnose/layer_lab.h"
#include "core/diagnose/layer_on_stream.h"
#include "core/diagnose/model_diagnosis.h"
#include "core/diagnose/model_dump.h"
#include "core/diagnose/number_format.h"
#include "core/diagnose/rest_run.h"
#include "core/tensor/tensor.h"

namespace headscope {

// A stream enters a layer, [batch, len, d_model].
struct LayerStream {
  Tensor exact;        // theirs, or ours as it follows from theirs before it
  Tensor drifted;      // drift.h
  bool known = false;  // theirs
};

struct JudgedLayer {
  LayerDiagnosis found;
  LayerStream next;
  // What leaves the layer behind the final norm, where theirs gave that: then theirs has no further layer.
  Tensor final_hidden;
  std::vector<std::string> readings;  // sentences for ModelDiagnosis
};

class LayerJudge {
 public:
  // `format`: of the numbers that theirs computed with. All must live as long as it.
  LayerJudge(const ModelTrace& model, const DiagnoseWork& work, const NumberFormat& format, const CancelToken& cancel)
      : model_(model), work_(work), format_(format), cancel_(cancel) {}

  // Compares `theirs`, the stages and parts of one layer in the order of computation, with layer `ours`; `search`: and
  // looks for the mistakes in stages that differ, first for `likely`. Throws Cancelled.
  JudgedLayer judged(std::int64_t ours, const LayerStream& stream, std::span<const DumpTensor> theirs, bool search,
                     const std::vector<std::string>& likely) const;
  // judged() of theirs with heads, or features of heads, in the order of ours; nothing where they stand in no other
  // one, and, without `search`, unless all of it is equal so.
  std::optional<JudgedLayer> judged_in_own_order(std::int64_t ours, const LayerStream& stream,
                                                 std::span<const DumpTensor> theirs, bool search) const;

 private:
  Diagnosis compared_stages(const Trace& trace, std::vector<ExternalStage> theirs, const DiagnoseWork& work) const;
  Tensor added_by(const Trace& trace, const GivenStages& given, const LayerRest& rest) const;
  void judge_parts(std::span<const DumpTensor> theirs, RestRun& exact, RestRun& drifted, const LayerRest& rest,
                   JudgedLayer& result) const;
  void explain_end(std::span<const DumpTensor> theirs, const EndOfLayer& end, JudgedLayer& result) const;
  void judge_leaving(const DumpTensor& theirs, RestRun& exact, RestRun& drifted, const LayerRest& rest,
                     JudgedLayer& result) const;

  const ModelTrace& model_;
  const DiagnoseWork& work_;
  const NumberFormat& format_;
  const CancelToken& cancel_;
};

}  // namespace headscope
