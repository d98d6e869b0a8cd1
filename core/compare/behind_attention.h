// Two results of which attention is equal, or differs in nothing but an order: what differs besides, and, where nothing
// does, how much of them was compared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/attention/trace.h"
#include "core/base/cancel.h"

namespace headscope {

// Where attention is equal in every layer, a sentence about the first of these that differs, in however small a number:
// what enters the layers, the final hidden states, the logits of the last position; then weights that this text does
// not show (unlike_weights.h), and settings. Where attention differs in layer `from` in nothing but an order, a
// sentence about what a later layer gives, or the final hidden states or logits, that differ by more than rounding. ""
// where nothing does, and where the results are of no model. Throws Cancelled.
std::string other_difference_sentence(const Trace& a, const Trace& b, std::optional<std::int64_t> from,
                                      const CancelToken& cancel);

// Returns all that was compared of two equal results, as the end of a sentence: "every number of every stage of all 2
// layers, what enters each of them, the final hidden states and the logits of the last position; every weight and
// setting that the models read". `unread`: stages of layers that are too large to be kept, and were not compared.
std::string compared_words(const Trace& a, const Trace& b, std::int64_t unread);

}  // namespace headscope
