#include "app/cli/bench_case.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <string_view>

#include "app/cli/output.h"
#include "core/base/error.h"
#include "core/base/system/machine.h"
#include "core/request/mask.h"
#include "core/request/mask_terms.h"
#include "core/request/request_text.h"

namespace headscope::cli {

namespace {

constexpr std::string_view kAlone = "attn:";
constexpr const char* kExpected = "B,S,INPUT_DIM,D_MODEL,HEADS,MASK or attn:S,HEADS,HEAD_DIM,MASK";
constexpr std::int64_t kMostSize = std::int64_t{1} << 24;  // of one field: their products fit in 64 bits and in doubles

[[noreturn]] void refuse(const std::string& option, const std::string& text, const std::string& expected) {
  throw UsageError(option, fmt::format("found '{}'", text), expected);
}

std::vector<MaskTerm> mask_from(const std::string& option, const std::string& text, const std::string& mask) {
  Request request;
  try {
    find_request_option("mask")->set(request, mask);
  } catch (const UsageError&) {
    refuse(option, text, fmt::format("a mask of none, {} at its end", mask_term_spellings(" or ")));
  }
  for (const MaskTerm& term : request.mask) {
    if (term.kind == MaskTerm::Kind::file) refuse(option, text, "a mask that needs no file");
  }
  return request.mask;
}

// What one run keeps in memory at least.
double stored_bytes(const BenchCase& size) {
  const auto tokens = static_cast<double>(size.batch) * static_cast<double>(size.seq_len);
  const auto d_model = static_cast<double>(size.d_model);
  const auto input_dim = static_cast<double>(size.input_dim);
  const auto seq_len = static_cast<double>(size.seq_len);
  const double added = adds_to_scores(size.mask) ? 4.0 * static_cast<double>(size.heads) * seq_len * seq_len : 0.0;
  if (size.alone) return added + 4.0 * 4.0 * tokens * d_model;
  return added + 4.0 * (tokens * (input_dim + 6 * d_model) + d_model * (3 * input_dim + d_model) +
                        tokens * static_cast<double>(size.seq_len) * static_cast<double>(size.heads));
}

void check_memory(const std::string& option, const BenchCase& size) {
  const double memory = system::memory_of_machine();
  if (stored_bytes(size) <= memory / 2) return;
  throw UsageError(option, fmt::format("found '{}', which keeps {}", size.text, size_text(stored_bytes(size))),
                   fmt::format("at most half of this machine's {} of memory", size_text(memory)));
}

}  // namespace

BenchCase bench_case_from(const std::string& option, const std::string& text) {
  BenchCase size;
  size.text = text;
  size.alone = text.starts_with(kAlone);
  std::string_view rest = std::string_view(text).substr(size.alone ? kAlone.size() : 0);
  std::array<std::int64_t, 5> fields{};
  const std::size_t count = size.alone ? 3 : 5;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t comma = rest.find(',');
    const std::string_view field = rest.substr(0, comma);
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), fields[k]);
    if (comma == rest.npos || error != std::errc() || end != field.data() + field.size() || fields[k] < 1 ||
        fields[k] > kMostSize) {
      refuse(option, text, fmt::format("{}, whole numbers from 1 to {}", kExpected, kMostSize));
    }
    rest.remove_prefix(comma + 1);
  }
  size.mask = mask_from(option, text, std::string(rest));
  if (size.alone) {
    size.seq_len = fields[0];
    size.heads = fields[1];
    size.d_model = fields[1] * fields[2];
  } else {
    size.batch = fields[0];
    size.seq_len = fields[1];
    size.input_dim = fields[2];
    size.d_model = fields[3];
    size.heads = fields[4];
    if (size.d_model % size.heads != 0) refuse(option, text, "heads that divide d_model");
  }
  check_memory(option, size);
  return size;
}

const std::vector<std::string>& usual_bench_sizes() {
  static const std::vector<std::string> sizes = {
      "1,4,512,512,8,none",      "1,16,512,512,8,causal",    "30,5,1024,512,8,none",       "1,64,768,768,12,causal",
      "1,256,768,768,12,causal", "1,1024,768,768,12,causal", "1,4096,1024,1024,16,causal", "attn:4096,12,64,causal"};
  return sizes;
}

double useful_operations(const BenchCase& size) {
  Request request;
  request.mask = size.mask;
  const Mask mask =
      build_mask(request, {}, {.batch = 1, .heads = 1, .query_len = size.seq_len, .key_len = size.seq_len});
  const auto cells = static_cast<double>(size.seq_len) * static_cast<double>(size.seq_len);
  const double visible = cells - static_cast<double>(mask.hidden.hidden_count(0, 0));
  const auto batch = static_cast<double>(size.batch), d_model = static_cast<double>(size.d_model);
  const double projected =
      static_cast<double>(size.seq_len) * d_model * (3 * static_cast<double>(size.input_dim) + d_model);
  return batch * ((size.alone ? 0 : 2 * projected) + 4 * visible * d_model);
}

}  // namespace headscope::cli
