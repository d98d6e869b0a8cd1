// Attention that a program has in memory, judged without a file: queries, keys, values and a result in, a diagnosis
// out.
#pragma once

#include <memory>
#include <vector>

#include "core/attention/trace.h"
#include "core/backend/backend.h"
#include "core/base/cancel.h"
#include "core/diagnose/diagnosis.h"
#include "core/request/request.h"
#include "core/tensor/tensor.h"

namespace headscope {

// Attention alone is computed from these.
struct AttentionArrays {
  Tensor query;  // [batch, heads, len, head_dim]
  Tensor key;    // [batch, kv_heads, key_len, head_dim]; kv_heads divides heads
  Tensor value;  // [batch, kv_heads, key_len, value_head_dim]
  Tensor mask;   // broadcasts to [batch, heads, len, key_len]; empty: none
  // Scale, terms of the mask (causal), past, softcap ... as the command line has them; nothing that names a file.
  // mask_kind says what the numbers of `mask` mean: keep (1 = may be seen), hide (1 = hidden), additive; automatic is
  // keep.
  Request options;
};

// Every stage of softmax(query . key^T * scale + mask) . value. UsageError where a source or a file is named in
// `options`, or a tensor has other axes; ProblemError where sizes do not fit each other. Throws Cancelled.
std::shared_ptr<const Trace> attention_of(const AttentionArrays& ours, const std::shared_ptr<const Backend>& backend,
                                          const CancelToken& cancel = {});

// diagnose() of what attention_of() gives, computed on the CPU with options.threads. `theirs`: one stage or several, as
// other code computed them (StageId::context is the result). Throws as attention_of() and diagnose() do; UsageError
// where attention alone has no such stage.
Diagnosis diagnose_arrays(const AttentionArrays& ours, std::vector<ExternalStage> theirs,
                          const DiagnoseOptions& options = {}, const CancelToken& cancel = {});

}  // namespace headscope
