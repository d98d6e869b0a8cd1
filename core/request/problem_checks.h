// The parts of find_problem.
#pragma once

#include <optional>
#include <string>

#include "core/request/memory.h"
#include "core/request/problem.h"

namespace headscope {

// Ranges of sizes, init-gain and threads.
std::optional<Problem> size_problem(const Request& request);

// num_heads that does not divide d_model, num_kv_heads that does not divide num_heads, seeded weights beyond the memory
// limit.
std::optional<Problem> divisibility_problem(const Request& request);

// Stages of a seeded request on a phrase that would not fit in memory: known before any weight is drawn.
std::optional<Problem> seeded_memory_problem(const Request& request);

// An ablated head of `layer` that is not below num_heads.
std::optional<Problem> ablate_problem(std::int64_t head, std::int64_t num_heads, std::int64_t layer);

// Where queries, keys and values come from: sources that are missing, exclude each other, or hold no token.
std::optional<Problem> source_problem(const Request& request);

// What is said of a decoder, of a request whose model (`model`, in words) is no checkpoint and has none.
std::optional<Problem> decoder_problem(const Request& request, const char* model);

// Options that cannot be applied to a capture.
std::optional<Problem> capture_problem(const Request& request);

// Stages that take more than `limit` bytes; the Problem says how many tokens would fit.
std::optional<Problem> memory_problem(const Request& request, const StageSizes& sizes, std::int64_t limit);

// "12.3 GiB", "512 MiB".
std::string gibibytes_text(double bytes);

}  // namespace headscope
