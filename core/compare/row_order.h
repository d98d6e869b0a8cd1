// Whether two results differ because the rows of their projections stand in another order: whole heads, or the rows of
// each head. Files of Meta and GGUF have the two rows that a rotary position turns together beside each other, others
// half a head apart.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/tensor/shape.h"
#include "core/tensor/tensor.h"

namespace headscope {

// Which of the two has the rows of each head in the order of pairs.
enum class PairedRows { a, b, either };

// What `b` is of `a`, [.., heads * head_dim] each: the same features of each head in the other order. nullopt where
// that does not explain the difference, or where there is none: in the other order nothing but rounding may be left.
// `either`: heads of four features are the same whichever of the two has pairs.
// `turned`: the features of each head that positions turn; the others stand where they did. Of none it is the whole
// head.
std::optional<PairedRows> paired_rows(const Tensor& a, const Tensor& b, std::int64_t heads, const CancelToken& cancel,
                                      Range turned = {0, 0});

// For each head of `b` the head of `a` that holds its numbers, but for rounding, both [.., heads * head_dim]. nullopt
// where there is none for some, where two heads hold the same numbers, and where the heads stand in the same order.
std::optional<std::vector<std::int64_t>> head_order(const Tensor& a, const Tensor& b, std::int64_t heads,
                                                    const CancelToken& cancel);

// "the rows are permuted: query_proj and key_proj of B are those of A with the rows of each head in the order of rotary
// pairs ..." or "the heads stand in another order: heads 0, 1, 2 of B are heads 2, 0, 1 of A ...", of two results of
// the same tokens: of `layer`, in which both begin to differ, of models; nullopt: of the shown one. "" unless that
// explains the projections of queries, keys and values. Throws Cancelled.
std::string row_order_sentence(const Trace& a, const Trace& b, std::optional<std::int64_t> layer,
                               const CancelToken& cancel);

}  // namespace headscope
