// The parts of find_problem.
#pragma once

#include <optional>
#include <string>

#include "core/request/memory.h"
#include "core/request/problem.h"

namespace headscope {

// Ranges of sizes, init-gain and threads.
std::optional<Problem> size_problem(const Request& request);

// Heads that do not divide d_model, kv_heads that do not divide heads, seeded weights beyond the memory limit.
std::optional<Problem> divisibility_problem(const Request& request);

// Stages of a seeded request on words that would not fit: known before a weight is drawn.
std::optional<Problem> seeded_memory_problem(const Request& request);

// A head of `layer` beyond num_heads.
std::optional<Problem> ablate_problem(std::int64_t head, std::int64_t num_heads, std::int64_t layer);

// Options that a capture cannot follow.
std::optional<Problem> capture_problem(const Request& request);

// Stages that weigh more than `limit` bytes; says how many tokens would fit.
std::optional<Problem> memory_problem(const Request& request, const StageSizes& sizes, std::int64_t limit);

// "12.3 GiB", "512 MiB".
std::string gibibytes_text(double bytes);

}  // namespace headscope
