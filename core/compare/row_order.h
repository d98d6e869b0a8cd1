// Whether two results differ because the rows of their projections of queries and keys stand in another order: files of
// Meta and GGUF have the two rows that a rotary position turns together beside each other, others half a head apart.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/tensor/tensor.h"

namespace headscope {

// Which of the two has the rows of each head in the order of pairs.
enum class PairedRows { a, b, either };

// What `b` is of `a`, [.., heads * head_dim] each: the same features of each head in the other order. nullopt where
// that does not explain the difference, or where there is none: in the other order nothing but rounding may be left.
// `either`: heads of four features are the same whichever of the two has pairs.
std::optional<PairedRows> paired_rows(const Tensor& a, const Tensor& b, std::int64_t heads, const CancelToken& cancel);

// "query_proj and key_proj of B are those of A with the rows of each head in the order of rotary pairs ...", of two
// results of the same tokens: of `layer`, in which both begin to differ, of models; nullopt: of the shown one. ""
// unless the order explains both, and value_proj is equal. Throws Cancelled.
std::string row_order_sentence(const Trace& a, const Trace& b, std::optional<std::int64_t> layer,
                               const CancelToken& cancel);

}  // namespace headscope
